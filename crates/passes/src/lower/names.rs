//! What lowering knows of the whole program, and names that must not be taken twice.

use fencepost_ir::cfg::{self, HeapType, HeapTypeId, ObjectId, Reg, Register};
use fencepost_ir::tree::*;
use fencepost_ir::{Cell, Scalar};
use std::collections::{HashMap, HashSet};

/// What is found out of all procedures at once.
pub(super) struct Facts {
    /// How often threads are started with each procedure; more than once is 2.
    starts: Vec<u32>,
    /// Procedures that are called or spawned.
    called: Vec<bool>,
    /// The procedures that have each label, in order.
    labels: HashMap<String, Vec<usize>>,
}

impl Facts {
    pub(super) fn new(program: &Program) -> Facts {
        let mut facts = Facts {
            starts: vec![0; program.procedures.len()],
            called: vec![false; program.procedures.len()],
            labels: HashMap::new(),
        };
        for thread in &program.threads {
            let times = if thread.count == Count::Times(1) { 1 } else { 2 };
            let starts = &mut facts.starts[thread.procedure.0];
            *starts = (*starts + times).min(2);
        }
        let Facts { called, labels, .. } = &mut facts;
        for (i, procedure) in program.procedures.iter().enumerate() {
            procedure.body.visit(&mut |stmt| {
                if let StmtKind::Label(label) = &stmt.kind {
                    labels.entry(label.clone()).or_default().push(i);
                }
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Call(callee, _) | ExprKind::Spawn(callee, ..) = &e.kind {
                            called[callee.0] = true;
                        }
                    });
                }
            });
        }
        facts
    }

    /// Whether one thread runs the procedure, and only once.
    pub(super) fn runs_once(&self, id: ProcedureId) -> bool {
        self.starts[id.0] == 1 && !self.called[id.0]
    }

    /// How many registers a local of the procedure has. One in memory has one that points to it, unless it is an object
    /// that is there from the beginning.
    pub(super) fn registers_of(&self, id: ProcedureId, local: &Variable) -> usize {
        match local.kept {
            Kept::Private => local.init.len(),
            Kept::InMemory(Fill::Zero) if self.runs_once(id) => 0,
            Kept::InMemory(_) | Kept::InBlock(_) => 1,
        }
    }

    /// Whether a thread that is there from the beginning runs the procedure.
    pub(super) fn starts(&self, id: ProcedureId) -> bool {
        self.starts[id.0] > 0
    }

    /// The procedures that have a label, in order.
    pub(super) fn with_label(&self, label: &str) -> &[usize] {
        self.labels.get(label).map_or(&[], |procedures| procedures)
    }
}

/// Kinds of allocated objects.
#[derive(Default)]
pub(super) struct HeapTypes {
    pub(super) all: Vec<HeapType>,
    known: HashMap<(String, Type), HeapTypeId>,
}

impl HeapTypes {
    /// The kind with that name and type.
    pub(super) fn id(&mut self, name: &str, ty: &Type) -> HeapTypeId {
        *self.known.entry((name.to_string(), ty.clone())).or_insert_with(|| {
            self.all.push(HeapType { name: name.to_string(), ty: ty.clone() });
            HeapTypeId(self.all.len() as u32 - 1)
        })
    }
}

/// The program's objects, and their names.
pub(super) struct Objects<'a> {
    pub(super) objects: &'a mut Vec<cfg::Object>,
    pub(super) names: &'a mut HashSet<String>,
}

impl Objects<'_> {
    /// An object of the program for a local, under a name that is not taken.
    pub(super) fn add(&mut self, code: &Procedure, local: &Variable) -> ObjectId {
        let mut name = local.name.clone();
        let mut copy = 1;
        while !self.names.insert(name.clone()) {
            name = match copy {
                1 => format!("{}.{}", code.name, local.name),
                _ => format!("{}.{}.{copy}", code.name, local.name),
            };
            copy += 1;
        }
        let Variable { ty, init, span, .. } = local.clone();
        self.objects.push(cfg::Object { name, ty, init: init.into(), span });
        ObjectId(self.objects.len() as u32 - 1)
    }
}

/// The registers of a frame or a thread.
#[derive(Default)]
pub(super) struct Registers {
    pub(super) all: Vec<Register>,
    temporaries: usize,
    taken: HashSet<String>,
    /// Temporaries that no statement uses now, and those of the current one.
    free: Vec<u32>,
    busy: Vec<u32>,
    /// How many copies there are of a name with that ending, at least: no name becomes free again.
    copies: HashMap<(String, String), u32>,
}

impl Registers {
    /// Adds a variable's slots, one for each cell, under a name that is not taken.
    pub(super) fn add(&mut self, records: &Records, variable: &Variable) -> u32 {
        let base = self.all.len() as u32;
        let layout = records.layout(&variable.ty);
        let ending = |cell: Cell| match &variable.ty {
            Type::Array(element, _) if element.as_scalar().is_none() && element.leaf().is_some() => {
                format!("[{}]", cell.offset / cell.ty.size())
            }
            ty => records.path(ty, cell),
        };
        let name = match layout.first() {
            Some(&cell) => self.free_name(&variable.name, &ending(cell)),
            None => variable.name.clone(),
        };
        for (init, &cell) in variable.init.iter().zip(&layout) {
            let init = init.single().expect("variables of threads start with one value");
            // Units of bit-fields have no names of their own.
            let unique = self.free_name(&format!("{name}{}", ending(cell)), "");
            self.push(Register { name: unique, ty: cell.ty, init });
        }
        base
    }

    /// The name, or its first copy such that it is not taken with that ending.
    fn free_name(&mut self, name: &str, ending: &str) -> String {
        if !self.taken.contains(&format!("{name}{ending}")) {
            return name.to_string();
        }
        let copy = self.copies.entry((name.to_string(), ending.to_string())).or_insert(1);
        loop {
            *copy += 1;
            let candidate = format!("{name}.{copy}");
            if !self.taken.contains(&format!("{candidate}{ending}")) {
                // It may be asked for again before it is taken.
                *copy -= 1;
                return candidate;
            }
        }
    }

    /// A temporary for the current statement.
    pub(super) fn temporary(&mut self, ty: Scalar) -> Reg {
        let reusable = self.free.iter().position(|&slot| self.all[slot as usize].ty == ty);
        let slot = match reusable {
            Some(i) => self.free.swap_remove(i),
            None => self.add_temporary(ty),
        };
        self.busy.push(slot);
        Reg::Local(slot)
    }

    /// The current statement ends.
    pub(super) fn release_temporaries(&mut self) {
        self.free.append(&mut self.busy);
    }

    /// Adds a register that stands for no variable.
    fn add_temporary(&mut self, ty: Scalar) -> u32 {
        let name = format!("%{}", self.temporaries);
        self.push(Register { name, ty, init: ty.default_value() });
        self.all.len() as u32 - 1
    }

    fn push(&mut self, register: Register) {
        self.temporaries += usize::from(register.is_temporary());
        self.taken.insert(register.name.clone());
        self.all.push(register);
    }
}

//! What the tree calls the objects of a run.

use fencepost_analysis::points_to::{Object, Sites};
use fencepost_ir::cfg::{Address, Dest, Instr, ObjectId};
use fencepost_ir::eval::eval;
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{cfg, tree};
use fencepost_memory::{State, Thread};
use std::collections::HashMap;

/// What the program calls an object.
pub struct Names<'p> {
    pub tree: &'p tree::Program,
    graph: &'p cfg::Program,
    /// Sites by their lines, and the lines of allocated objects.
    sites: HashMap<u32, Vec<Object>>,
    lines: HashMap<u32, u32>,
}

impl<'p> Names<'p> {
    pub fn new(tree: &'p tree::Program, graph: &'p cfg::Program) -> Names<'p> {
        let mut sites: HashMap<u32, Vec<Object>> = HashMap::new();
        for (p, procedure) in tree.procedures.iter().enumerate() {
            for (n, (e, _)) in Sites::new(procedure).iter().enumerate() {
                sites.entry(e.span.line).or_default().push(Object::Site(tree::ProcedureId(p), n));
            }
        }
        Names { tree, graph, sites, lines: HashMap::new() }
    }

    /// The object that a step has made, if it has.
    pub fn made(&mut self, edge: &cfg::Edge, thread: &Thread) -> Option<u32> {
        let (Instr::Allocate { dest: Dest::Reg(dest), .. } | Instr::Reallocate { dest: Dest::Reg(dest), .. }) =
            &edge.instr
        else {
            return None;
        };
        match pointer::target(thread.registers[thread.slot(*dest)]) {
            Target::Object(number, _) => {
                self.lines.insert(number, edge.span.line);
                Some(number)
            }
            Target::Null | Target::Procedure(_) => None,
        }
    }

    /// What an object may be.
    pub fn objects(&self, state: &State, number: u32) -> Vec<Object> {
        let name = match state.heap_object(ObjectId(number)) {
            Some(object) => &self.graph.heap_types[object.ty.index()].name,
            None => &self.graph.objects[number as usize].name,
        };
        let is = |v: &tree::Variable| {
            let own: &str = name.rsplit('.').next().unwrap_or(name);
            v.name == *name || v.name == own
        };
        let mut found = Vec::new();
        for (i, v) in self.tree.shared.iter().enumerate() {
            if is(v) {
                found.push(Object::Variable(None, tree::VarRef::Shared(tree::SharedId(i))));
            }
        }
        for (p, procedure) in self.tree.procedures.iter().enumerate() {
            for (i, v) in procedure.locals.iter().enumerate() {
                if is(v) {
                    let id = Some(tree::ProcedureId(p));
                    found.push(Object::Variable(id, tree::VarRef::Local(tree::LocalId(i))));
                }
            }
        }
        if let Some(line) = self.lines.get(&number) {
            found.extend(self.sites.get(line).into_iter().flatten());
        }
        found
    }
}

/// Where the access of an instruction through a pointer leads.
pub fn pointed(instr: &Instr, thread: &Thread) -> Option<(u32, u64)> {
    let (Instr::Load(_, Address::Pointed { pointer, .. })
    | Instr::Store(Address::Pointed { pointer, .. }, _)
    | Instr::Rmw(_, Address::Pointed { pointer, .. }, _)) = instr
    else {
        return None;
    };
    match pointer::target(eval(pointer, thread).ok()?) {
        Target::Object(number, byte) => Some((number, byte)),
        Target::Null | Target::Procedure(_) => None,
    }
}

//! Variables that live as long as the program or its threads, and what they hold at first.

use super::floating::settled;
use super::types::default_cells;
use super::{Lowerer, Result, bits};
use crate::hir::{self, BitField, GlobalId, Initializer, Length, Lives, Part, PartValue, Step, TypeId};
use fencepost_ir::tree::{Choices, SharedId, ThreadLocalId, Type, VarRef, Variable};
use fencepost_ir::{Field, InitialCells, Record, Scalar, Span, pointer};
use fencepost_text::Diagnostic;
use index_vec::IndexVec;
use std::collections::{HashMap, HashSet};

/// The variables of the program that globals have become.
pub struct Globals<'h> {
    variables: IndexVec<GlobalId, Option<VarRef>>,
    shared: Names,
    thread_local: Names,
    /// String literals, which have no names, counted.
    strings: usize,
    /// Texts of our own.
    pub texts: HashMap<Vec<u8>, VarRef>,
    /// The function that the variable at hand belongs to, whose labels its initialiser means.
    pub function: Option<&'h hir::Body>,
}

impl<'h> Globals<'h> {
    pub fn new(program: &'h hir::Program) -> Globals<'h> {
        Globals {
            variables: IndexVec::from_vec(vec![None; program.globals.len()]),
            shared: Names::default(),
            thread_local: Names::default(),
            strings: 0,
            texts: HashMap::new(),
            function: None,
        }
    }
}

/// Names of variables, which are told apart by numbers where they are the same.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// The last number that was given to each name.
    copies: HashMap<String, u32>,
}

impl Names {
    /// The name, or its first copy that no other has.
    fn free(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_string()) {
            return name.to_string();
        }
        let copy = self.copies.entry(name.to_string()).or_insert(1);
        loop {
            *copy += 1;
            let candidate = format!("{name}.{copy}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// A part of a variable that an initialiser speaks of.
struct Leaf {
    offset: u64,
    ty: TypeId,
    bits: Option<BitField>,
}

impl<'h> Lowerer<'h> {
    /// The variable of the program that a global is.
    pub fn global(&mut self, id: GlobalId) -> Result<VarRef> {
        if let Some(variable) = self.globals.variables[id] {
            return Ok(variable);
        }
        // Known before its initialiser, which may point to it.
        let variable = self.declare_global(id)?;
        self.initialize_global(id, variable)?;
        Ok(variable)
    }

    /// The variable that a global becomes, without what it holds at first.
    pub fn declare_global(&mut self, id: GlobalId) -> Result<VarRef> {
        let hir::Global { name, ty, lives, init, span, .. } = &self.hir.globals[id];
        let storage = self.stored(*ty, *span)?;
        let storage = self.with_flexible_end(*ty, storage, init);
        let cells = default_cells(&self.program.records, &storage);
        if cells.is_empty() {
            return Err(Diagnostic::new(*span, format!("`{name}` has no room for anything")));
        }
        let is_literal = name.is_empty() || self.hir.types.qualifiers(*ty).is_const;
        let name = match name.as_str() {
            "" => self.string_name(),
            name => name.to_string(),
        };
        let spelled = self.spelled_at(*ty, *span);
        let variable = match lives {
            Lives::Program => {
                let name = self.globals.shared.free(&name);
                let variable = Variable { spelled, ..Variable::new(name, storage, cells, *span) };
                self.program.shared.push(variable);
                let id = SharedId(self.program.shared.len() - 1);
                if is_literal && is_text(init) {
                    self.notes.literals.insert(id);
                }
                VarRef::Shared(id)
            }
            Lives::Thread => {
                let name = self.globals.thread_local.free(&name);
                let variable = Variable { spelled, ..Variable::new(name, storage, cells, *span) };
                self.program.thread_locals.push(variable);
                VarRef::ThreadLocal(ThreadLocalId(self.program.thread_locals.len() - 1))
            }
        };
        self.globals.variables[id] = Some(variable);
        Ok(variable)
    }

    /// Gives the variable of a global what it holds at first.
    pub fn initialize_global(&mut self, id: GlobalId, variable: VarRef) -> Result<()> {
        let hir::Global { ty, function, init, .. } = &self.hir.globals[id];
        if matches!(init, Initializer::None) {
            return Ok(());
        }
        self.note_numbers(variable, *ty, 0);
        let known = self.program.variable(None, variable).expect("it has been declared");
        let storage = known.ty.clone();
        let function = function.and_then(|id| self.hir.functions[id].body.as_ref());
        let outer = std::mem::replace(&mut self.globals.function, function);
        let cells = self.initial_cells(*ty, &storage, init);
        self.globals.function = outer;
        let cells = cells?;
        match variable {
            VarRef::Shared(id) => self.program.shared[id.0].init = cells,
            VarRef::ThreadLocal(id) => self.program.thread_locals[id.0].init = cells,
            VarRef::Local(_) | VarRef::Observed(..) => panic!("globals are no locals"),
        }
        Ok(())
    }

    fn string_name(&mut self) -> String {
        self.globals.strings += 1;
        format!("string{}", self.globals.strings)
    }

    /// A text of our own.
    pub fn string_variable(&mut self, ty: Type, init: Vec<Choices>, span: Span) -> VarRef {
        let name = self.string_name();
        let variable = self.shared_variable(&name, ty, init, span);
        if let VarRef::Shared(id) = variable {
            self.notes.literals.insert(id);
        }
        variable
    }

    /// A shared variable of our own.
    pub fn shared_variable(&mut self, name: &str, ty: Type, init: Vec<Choices>, span: Span) -> VarRef {
        let name = self.globals.shared.free(name);
        self.program.shared.push(Variable::new(name, ty, init, span));
        VarRef::Shared(SharedId(self.program.shared.len() - 1))
    }

    /// The type of a variable whose flexible end an initialiser fills: as large as that needs.
    fn with_flexible_end(&mut self, ty: TypeId, storage: Type, init: &Initializer) -> Type {
        let (Type::Record(id), Initializer::Parts(parts)) = (&storage, init) else { return storage };
        let Some(record) = self.hir.types.record_id(ty) else { return storage };
        let layout = self.hir.types.layout(record).expect("variables have complete types");
        let Some(last) = layout.members.len().checked_sub(1) else { return storage };
        if !matches!(self.hir.types.kind(layout.members[last].ty), hir::Type::Array(_, Length::Unknown)) {
            return storage;
        }
        let elements = |part: &Part| match (&part.path[..], &part.value) {
            ([Step::Member(m), Step::Index(i) | Step::Range(_, i), ..], _) if *m == last => i + 1,
            ([Step::Member(m)], PartValue::Units(units)) if *m == last => units.len() as u64,
            _ => 0,
        };
        let count = parts.iter().map(elements).max().unwrap_or(0) as u32;
        let field = self.field(record, last);
        let Record { name, kind, mut fields, size } = self.program.records.get(*id).clone();
        let Field { ty: Type::Array(of, _), offset, .. } = &fields[field] else { return storage };
        let end = offset + self.program.records.size(of) * u64::from(count);
        fields[field].ty = Type::Array(of.clone(), count);
        Type::Record(self.new_record(Record { name, kind, fields, size: size.max(end) }))
    }

    fn initial_cells(&mut self, ty: TypeId, storage: &Type, init: &'h Initializer) -> Result<Vec<Choices>> {
        let mut cells = InitialCells::zero(&self.program.records, storage);
        match init {
            Initializer::None => {}
            Initializer::Value(e) => self.set_value(&mut cells, &Leaf { offset: 0, ty, bits: None }, e)?,
            Initializer::Parts(parts) => {
                for part in parts {
                    let mut leaves = Vec::new();
                    self.leaves(Leaf { offset: 0, ty, bits: None }, &part.path, &mut leaves);
                    for leaf in leaves {
                        self.set_part(&mut cells, &leaf, &part.value)?;
                    }
                }
            }
        }
        Ok(cells.values())
    }

    /// The parts that a path leads to: several where it names a range.
    fn leaves(&self, from: Leaf, path: &[Step], found: &mut Vec<Leaf>) {
        let Some((first, rest)) = path.split_first() else {
            found.push(from);
            return;
        };
        let types = &self.hir.types;
        let element = |index: u64| {
            let of = types.element(from.ty).expect("elements are of arrays");
            let size = types.size(of).expect("elements have a size");
            Leaf { offset: from.offset + index * size, ty: of, bits: None }
        };
        match *first {
            Step::Index(index) => self.leaves(element(index), rest, found),
            Step::Range(first, last) => {
                (first..=last).for_each(|index| self.leaves(element(index), rest, found));
            }
            Step::Member(member) => {
                let record = types.record_id(from.ty).expect("members are of records");
                let member = &types.layout(record).expect("members are of complete records").members[member];
                let leaf = Leaf { offset: from.offset + member.offset, ty: member.ty, bits: member.bits };
                self.leaves(leaf, rest, found);
            }
        }
    }

    fn set_part(&mut self, cells: &mut InitialCells, leaf: &Leaf, value: &'h PartValue) -> Result<()> {
        match value {
            PartValue::Value(e) => self.set_value(cells, leaf, e),
            PartValue::Zero => {
                self.set_zero(cells, leaf);
                Ok(())
            }
            PartValue::Units(units) => {
                let of = self.hir.types.element(leaf.ty).expect("strings are for arrays");
                let Scalar::Int(int) = self.scalar_of(of) else { panic!("characters are integers") };
                for (i, unit) in units.iter().enumerate() {
                    let offset = leaf.offset + i as u64 * u64::from(int.bits / 8);
                    cells.set(offset, Scalar::Int(int), int.wrap((*unit).into()));
                }
                Ok(())
            }
        }
    }

    fn set_zero(&mut self, cells: &mut InitialCells, leaf: &Leaf) {
        if let Some(bits) = leaf.bits {
            return self.set_bits(cells, leaf.offset, bits, 0);
        }
        let Some(storage) = self.storage(leaf.ty) else { return };
        let records = &self.program.records;
        records.scalars(&storage, &mut Vec::new(), &mut |path, scalar| {
            let (offset, _) = records.offset(&storage, path);
            cells.set(leaf.offset + offset, scalar, scalar.default_value());
        });
    }

    fn set_bits(&self, cells: &mut InitialCells, offset: u64, field: BitField, value: i64) {
        let unit = Scalar::Int(fencepost_ir::IntType { bits: field.unit * 8, signed: false });
        let others = cells.get(offset, unit).unwrap_or(0);
        cells.set(offset, unit, bits::placed_constant(field, value, others));
    }

    fn set_value(&mut self, cells: &mut InitialCells, leaf: &Leaf, e: &'h hir::Expr) -> Result<()> {
        if let (Some(_), hir::ExprKind::Const(value)) = (self.is_wide(leaf.ty), &e.kind) {
            for (i, word) in [*value as i64, (*value >> 64) as i64].into_iter().enumerate() {
                cells.set(leaf.offset + 8 * i as u64, super::types::WORD, word);
            }
            return Ok(());
        }
        let value = self.static_value(e)?;
        if let Some(bits) = leaf.bits {
            self.set_bits(cells, leaf.offset, bits, value);
            return Ok(());
        }
        let scalar = self.scalar_type(leaf.ty).ok_or_else(|| self.no_values(leaf.ty, e.span))?;
        if scalar != Scalar::Mutex {
            cells.set(leaf.offset, scalar, value);
        }
        Ok(())
    }

    /// The value of an expression that is known before the program runs.
    fn static_value(&mut self, e: &'h hir::Expr) -> Result<i64> {
        let body = std::mem::take(&mut self.body);
        let value = self.scalar(e);
        self.body = body;
        let value = settled(value?);
        self.fold(&value)
            .ok_or_else(|| Diagnostic::new(e.span, "the initialiser of a static variable is a constant"))
    }

    /// The arguments of `main`: how many words the command line has, and the words, if it looks at them.
    pub fn main_arguments(&mut self, main: hir::FunctionId) -> Result<Vec<i64>> {
        let hir::Function { ty, body, .. } = &self.hir.functions[main];
        let params = self.hir.types.function(*ty).and_then(|ty| ty.params.clone()).unwrap_or_default();
        let mut args = Vec::new();
        for i in 0..params.len() {
            let looks = i == 1 && body.as_ref().is_some_and(|body| reads(body, hir::LocalId::from_usize(1)));
            args.push(match i {
                0 => 1 + self.asks.args.len() as i64,
                _ => self.argument_vector(looks),
            });
        }
        Ok(args)
    }

    fn argument_vector(&mut self, looks: bool) -> i64 {
        let mut words = vec![Choices::one(0); 2];
        if looks {
            let given = ["program"].into_iter().chain(self.asks.args.iter().map(String::as_str));
            let texts: Vec<String> = given.map(|word| format!("{word}\0")).collect();
            words = texts.iter().enumerate().map(|(i, text)| Choices::one(self.argument(i, text))).collect();
            words.push(Choices::one(0));
        }
        let ty = Type::with_dims(self.pointer(), &[words.len() as u32]);
        object_address(self.shared_variable("argv", ty, words, Span::NONE))
    }

    fn argument(&mut self, number: usize, text: &str) -> i64 {
        let element = self.scalar_of(self.hir.types.char());
        let init = text.bytes().map(|byte| Choices::one(element_value(element, byte))).collect();
        let ty = Type::with_dims(element, &[text.len() as u32]);
        object_address(self.shared_variable(&format!("argv.{number}"), ty, init, Span::NONE))
    }
}

/// A byte of a text as a value of its elements' type.
fn element_value(element: Scalar, byte: u8) -> i64 {
    match element {
        Scalar::Int(int) => int.wrap(i128::from(byte)),
        _ => i64::from(byte),
    }
}

/// Whether an initialiser is a text with its end.
fn is_text(init: &Initializer) -> bool {
    match init {
        Initializer::Parts(parts) => match &parts[..] {
            [Part { path, value: PartValue::Units(units) }] => path.is_empty() && units.last() == Some(&0),
            _ => false,
        },
        Initializer::None | Initializer::Value(_) => false,
    }
}

/// A pointer to a shared variable.
fn object_address(variable: VarRef) -> i64 {
    match variable {
        VarRef::Shared(id) => pointer::to_object(id.0 as u32, 0),
        VarRef::ThreadLocal(_) | VarRef::Local(_) | VarRef::Observed(..) => panic!("it is shared"),
    }
}

/// Whether a function looks at one of its locals.
fn reads(body: &hir::Body, local: hir::LocalId) -> bool {
    struct Look(hir::LocalId, bool);
    impl hir::Visitor for Look {
        fn place(&mut self, place: &hir::Place) {
            self.1 |= matches!(place.base, hir::Base::Local(id) if id == self.0);
            hir::walk_place(self, place);
        }
    }
    let mut look = Look(local, false);
    hir::Visitor::block(&mut look, &body.block);
    look.1
}

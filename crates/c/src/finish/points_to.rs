//! Which objects pointers may lead to, to find the accesses that see an object as something that it is not, and variables
//! that pointers from outside of their blocks lead to.
//!
//! Sets of (object, byte) that grow until nothing changes, over all statements in any order (Andersen's analysis, 1994).
//! A byte stands for those at the same place of all elements of an array; pointers that step through an object as
//! through something else lead to any byte. Numbers are followed as well, since pointers become numbers and come back.
//!
//! Nothing depends on this being exact. An access that is not found ends in unknown when a run comes to it; one that never
//! happens costs room. So it has no notion of calling contexts. A variable that is taken for one that its block keeps to itself
//! lives too long.

use super::*;
use fencepost_ir::{Cell, pointer};
use std::collections::{BTreeMap, BTreeSet};

/// Any byte of an object.
const ANY: u64 = u64::MAX;

/// Bytes of memory that has no type are told apart up to this distance.
const CHUNK: u64 = 16;

/// What a pointer leads into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Object {
    Variable(Option<ProcedureId>, VarRef),
    /// An allocation, by its number among those of a procedure.
    Site(ProcedureId, usize),
    /// What a procedure gives back, and what threads do.
    Result(ProcedureId),
    Threads,
    /// No object: a floating-point number, whose bits are not known. It goes where pointers go.
    Number,
}

/// An object, and the byte in it.
type Target = (Object, u64);

/// An access that sees part of a scalar, or several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Misfit {
    pub object: Object,
    /// What it sees.
    pub seen: Scalar,
    pub place: MisfitPlace,
}

/// Where in its object a misfit is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum MisfitPlace {
    /// At this byte, in every element of the arrays around it.
    At(u64),
    /// Anywhere, at places that are this modulo the size of what it sees.
    Row(u64),
}

/// The misfits of a program, and whether pointers go through them as numbers do.
#[derive(Default)]
pub(super) struct Misfits {
    pub found: BTreeSet<Misfit>,
    pub exposes: bool,
    /// Objects that `realloc` makes or takes.
    pub resized: BTreeSet<Object>,
    /// Objects whose bytes are accessed as such.
    pub bytes: BTreeSet<Object>,
    /// An access that may cover several cells as they are.
    pub wide: Option<Span>,
}

/// The accesses that see an object as something else; `copies` are the places of copies of bytes.
pub(super) fn misfits(program: &Program, copies: &HashSet<Span>) -> Misfits {
    let mut analysis = Analysis::new(program, copies);
    analysis.run();
    analysis.looking = true;
    analysis.round();
    analysis.misfits
}

/// Where a floating-point number decides something that is looked at as an integer. Given are the constants that stand for
/// such numbers, and where variables of the program begin with some.
pub(super) fn used_number(
    program: &Program,
    numbers: &HashSet<(Span, Scalar)>,
    cells: &[(VarRef, u64)],
) -> Option<Span> {
    let copies = HashSet::new();
    let mut analysis = Analysis { numbers: Some(numbers), ..Analysis::new(program, &copies) };
    for (variable, offset) in cells {
        let at = analysis.located(Object::Variable(None, *variable), (*offset).into());
        analysis.put(at, &BTreeSet::from([(Object::Number, 0)]));
    }
    analysis.run();
    analysis.looking = true;
    analysis.round();
    analysis.used_number
}

/// For each object those that something in it may point to.
pub(super) fn held(program: &Program) -> BTreeSet<(Object, Object)> {
    let copies = HashSet::new();
    let mut analysis = Analysis::new(program, &copies);
    analysis.run();
    let all = analysis
        .holds
        .iter()
        .flat_map(|((holder, _), held)| held.iter().map(|(object, _)| (*holder, *object)));
    all.collect()
}

struct Analysis<'p> {
    program: &'p Program,
    copies: &'p HashSet<Span>,
    sites: HashMap<*const Expr, Object>,
    /// The types of allocations.
    types: HashMap<Object, Type>,
    layouts: HashMap<Object, Vec<Cell>>,
    holds: BTreeMap<Target, BTreeSet<Target>>,
    changed: bool,
    /// Nothing grows any more, and accesses are looked at.
    looking: bool,
    procedure: ProcedureId,
    misfits: Misfits,
    /// Constants that are floating-point numbers, where these are looked for, and where one is used.
    numbers: Option<&'p HashSet<(Span, Scalar)>>,
    used_number: Option<Span>,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, copies: &'p HashSet<Span>) -> Analysis<'p> {
        Analysis {
            program,
            copies,
            sites: HashMap::new(),
            types: HashMap::new(),
            layouts: HashMap::new(),
            holds: BTreeMap::new(),
            changed: false,
            looking: false,
            procedure: ProcedureId(0),
            misfits: Misfits::default(),
            numbers: None,
            used_number: None,
        }
    }

    fn run(&mut self) {
        self.prepare();
        // Sets only grow, and an object has finitely many bytes, so this ends.
        loop {
            self.changed = false;
            self.round();
            if !self.changed {
                break;
            }
        }
    }

    /// Notes that a value is computed with or decides.
    fn uses(&mut self, values: &BTreeSet<Target>, span: Span) {
        if self.looking && values.contains(&(Object::Number, 0)) {
            self.used_number.get_or_insert(span);
        }
    }

    fn prepare(&mut self) {
        for (p, procedure) in self.program.procedures.iter().enumerate() {
            let mut count = 0;
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Allocate(ty, ..) | ExprKind::Reallocate(ty, ..) = &e.kind {
                            let site = Object::Site(ProcedureId(p), count);
                            self.sites.insert(e, site);
                            self.types.insert(site, ty.innermost().clone());
                            count += 1;
                        }
                    });
                }
            });
        }
        for (i, variable) in self.program.shared.iter().enumerate() {
            let object = Object::Variable(None, VarRef::Shared(SharedId(i)));
            let layout = self.program.records.layout(&variable.ty);
            for (cell, value) in layout.iter().zip(&variable.init) {
                if let (Scalar::Pointer { .. }, Some(word)) = (cell.ty, value.single()) {
                    let target = self.constant(word);
                    self.put((object, cell.offset), &target);
                }
            }
        }
        for thread in &self.program.threads {
            for (i, word) in thread.args.iter().enumerate() {
                let targets = self.constant(*word);
                self.put((parameter(thread.procedure, i), 0), &targets);
            }
        }
    }

    /// What a constant word points to.
    fn constant(&self, word: i64) -> BTreeSet<Target> {
        match pointer::target(word) {
            pointer::Target::Object(object, offset) if (object as usize) < self.program.shared.len() => {
                let object = Object::Variable(None, VarRef::Shared(SharedId(object as usize)));
                BTreeSet::from([self.located(object, offset.into())])
            }
            _ => BTreeSet::new(),
        }
    }

    fn ty(&self, object: Object) -> Option<&Type> {
        match object {
            Object::Variable(None, variable) => Some(&self.program.variable(None, variable)?.ty),
            Object::Variable(Some(procedure), variable) => {
                Some(&self.program.variable(Some(self.program.procedure(procedure)), variable)?.ty)
            }
            Object::Site(..) => self.types.get(&object),
            Object::Result(_) | Object::Threads | Object::Number => None,
        }
    }

    /// The byte of an object that an offset stands for.
    fn located(&self, object: Object, offset: i128) -> Target {
        let Some(ty) = self.ty(object) else { return (object, 0) };
        let records = &self.program.records;
        let size = records.size(ty);
        // What leads before the beginning is taken to go on from an element to the one before it.
        let element = match (object, ty) {
            (_, Type::Array(element, _)) => records.size(element),
            _ => size,
        };
        let offset = match u64::try_from(offset) {
            Ok(offset) => offset,
            Err(_) => offset.rem_euclid(element.max(1).into()) as u64,
        };
        match (object, tail(records, ty)) {
            (Object::Site(..), Some((start, of))) if offset >= start => {
                (object, start + within(records, of, (offset - start) % records.size(of).max(1)))
            }
            (Object::Site(..), _) if is_byte(ty) => (object, offset % CHUNK),
            (Object::Site(..), None) => (object, within(records, ty, offset % size.max(1))),
            // What leads past the end goes on at the beginning, as in an array of such objects.
            _ => (object, within(records, ty, offset % size.max(1))),
        }
    }

    /// Where what is held at a byte is kept here: all bytes of memory without type are one.
    fn cell(&self, (object, byte): Target) -> Target {
        match self.ty(object) {
            Some(ty) if byte != ANY => {
                let array = byte_array(&self.program.records, ty, byte);
                (object, array.unwrap_or(byte))
            }
            _ => (object, byte),
        }
    }

    fn put(&mut self, at: Target, values: &BTreeSet<Target>) {
        if values.is_empty() || self.looking {
            return;
        }
        let at = self.cell(at);
        let held = self.holds.entry(at).or_default();
        let before = held.len();
        held.extend(values);
        self.changed |= held.len() > before;
    }

    fn get(&self, at: Target) -> BTreeSet<Target> {
        let at = self.cell(at);
        let all = at.1 == ANY;
        let (first, last) = if all { ((at.0, 0), (at.0, ANY)) } else { (at, at) };
        let mut found: BTreeSet<Target> =
            self.holds.range(first..=last).flat_map(|(_, held)| held).copied().collect();
        found.extend(self.holds.get(&(at.0, ANY)).into_iter().flatten());
        found
    }

    fn round(&mut self) {
        for p in 0..self.program.procedures.len() {
            self.procedure = ProcedureId(p);
            let body: &'p Block = &self.program.procedures[p].body;
            body.visit(&mut |stmt| self.statement(stmt));
        }
    }

    fn statement(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let value = self.value(value);
                for target in self.place(place, Use::Access) {
                    self.put(target, &value);
                }
            }
            StmtKind::Declare(id, Some(value)) => {
                let value = self.value(value);
                self.put((Object::Variable(Some(self.procedure), VarRef::Local(*id)), 0), &value);
            }
            StmtKind::Return(Some(value)) => {
                let value = self.value(value);
                self.put((Object::Result(self.procedure), 0), &value);
                self.put((Object::Threads, 0), &value);
            }
            StmtKind::Exit(Some(value)) => {
                let value = self.value(value);
                self.put((Object::Threads, 0), &value);
            }
            StmtKind::Join(place, handle) => {
                self.value(handle);
                if let Some(place) = place {
                    let results = self.get((Object::Threads, 0));
                    for target in self.place(place, Use::Access) {
                        self.put(target, &results);
                    }
                }
            }
            StmtKind::If(test, ..)
            | StmtKind::While(test, _)
            | StmtKind::DoWhile(_, test)
            | StmtKind::Assume(test)
            | StmtKind::Assert(test) => {
                let value = self.value(test);
                self.uses(&value, test.span);
            }
            kind => kind.expressions().into_iter().for_each(|e| {
                self.value(e);
            }),
        }
    }

    /// What a place is in.
    fn place(&mut self, place: &'p Place, usage: Use) -> Vec<Target> {
        let procedure = self.program.procedure(self.procedure);
        let (mut ty, bases) = match &place.base {
            Base::Variable(variable) => {
                let own = matches!(variable, VarRef::Local(_)).then_some(self.procedure);
                let Some(v) = self.program.variable(Some(procedure), *variable) else { return Vec::new() };
                (&v.ty, BTreeSet::from([(Object::Variable(own, *variable), 0)]))
            }
            Base::Pointed(pointer, ty) => {
                let mut bases = self.value(pointer);
                self.uses(&bases, place.span);
                bases.remove(&(Object::Number, 0));
                (ty, bases)
            }
        };
        let mut offset = 0u64;
        for step in &place.path {
            ty = match (step, ty) {
                (Projection::Index(index), Type::Array(element, _)) => {
                    let values = self.value(index);
                    self.uses(&values, index.span);
                    if let ExprKind::Const(i) = index.kind {
                        offset =
                            offset.wrapping_add((i as u64).wrapping_mul(self.program.records.size(element)));
                    }
                    element
                }
                (Projection::Field(i), Type::Record(id)) => {
                    let field = &self.program.records.get(*id).fields[*i];
                    offset = offset.wrapping_add(field.offset);
                    &field.ty
                }
                _ => return Vec::new(),
            };
        }
        let at = |&(object, byte): &Target| match byte {
            ANY => (object, ANY),
            byte => self.located(object, i128::from(byte) + i128::from(offset as i64)),
        };
        let targets: Vec<Target> = bases.iter().map(at).collect();
        if let (Use::Access, true, Base::Pointed(..), Type::Scalar(seen)) =
            (usage, self.looking, &place.base, ty)
        {
            for target in &targets {
                self.access(*target, *seen, place.span);
            }
        }
        targets
    }

    /// Looks at an access through a pointer.
    fn access(&mut self, (object, byte): Target, seen: Scalar, span: Span) {
        let Some(ty) = self.ty(object).cloned() else { return };
        let plain = |ty: Scalar| matches!(ty, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. });
        let (records, size) = (&self.program.records, seen.size());
        if !plain(seen) || (matches!(object, Object::Variable(..)) && size > records.size(&ty)) {
            return;
        }
        if size == 1 {
            self.misfits.bytes.insert(object);
        }
        let is_copy = self.copies.contains(&span);
        let layout = self.layouts.entry(object).or_insert_with(|| {
            let mut layout = records.layout(&ty);
            if let Some((start, of)) = tail(records, &ty) {
                layout.extend(records.layout(of).iter().map(|c| Cell { offset: c.offset + start, ..*c }));
            }
            layout
        });
        let bytes = |c: &Cell| c.ty.size() == 1;
        let is_pointer = |ty: Scalar| matches!(ty, Scalar::Pointer { .. });
        // Whether it covers whole cells, one at least of them bytes, and whether a pointer is seen as a number by it.
        let mut exactly = false;
        let (fits, of_bytes, mixes) = match byte {
            ANY => {
                let fits = layout.iter().all(|c| c.ty.size() == size);
                let mixes = layout.iter().all(|c| is_pointer(c.ty)) && !is_pointer(seen);
                (fits, layout.iter().all(bytes), mixes)
            }
            byte => {
                // Bytes of a row of them are alike.
                let byte = byte_array(records, &ty, byte).unwrap_or(byte);
                let end = byte + size;
                let touched = |c: &&Cell| c.offset < end && byte < c.offset + c.ty.size();
                let here: Vec<&Cell> = layout.iter().filter(touched).collect();
                let mixes = here.iter().any(|c| is_pointer(c.ty) != is_pointer(seen));
                exactly = here.iter().any(|c| c.offset == byte && c.ty.size() == size);
                let inside = here.iter().all(|c| c.offset >= byte && c.offset + c.ty.size() <= end);
                let bytes_covered: u64 = here.iter().map(|c| c.ty.size()).sum();
                let whole = inside && bytes_covered == size && !here.iter().any(|c| bytes(c));
                (exactly || whole && !is_pointer(seen), here.iter().any(|c| bytes(c)), mixes)
            }
        };
        let is_wide = match byte {
            ANY => layout.iter().any(|c| c.ty.size() < size),
            _ => !exactly,
        };
        if is_wide && self.misfits.wide.is_none() {
            self.misfits.wide = Some(span);
        }
        if fits {
            let words = u64::from(self.program.pointer_bits) / 8;
            let pointers = layout.iter().any(|c| is_pointer(c.ty));
            self.misfits.exposes |= size == words && (mixes || is_copy && pointers);
            return;
        }
        let anywhere = size == 1 || of_bytes || is_copy;
        let place = match byte {
            ANY if anywhere => MisfitPlace::Row(0),
            // What is not walked over is mostly meant where it is.
            ANY => return,
            byte if anywhere => MisfitPlace::Row(byte % size.max(1)),
            byte => MisfitPlace::At(byte),
        };
        self.misfits.found.insert(Misfit { object, seen, place });
    }

    /// What a value may point to.
    fn value(&mut self, e: &'p Expr) -> BTreeSet<Target> {
        match &e.kind {
            ExprKind::Const(_) if self.numbers.is_some_and(|n| n.contains(&(e.span, e.ty))) => {
                BTreeSet::from([(Object::Number, 0)])
            }
            // Such a number that nobody has set.
            ExprKind::Any(choices) if self.numbers.is_some() && choices.single() == Some(0) => {
                BTreeSet::from([(Object::Number, 0)])
            }
            ExprKind::Const(word) if matches!(e.ty, Scalar::Pointer { .. }) => self.constant(*word),
            ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Own => BTreeSet::new(),
            ExprKind::Read(place) => {
                let targets = self.place(place, Use::Access);
                targets.into_iter().flat_map(|target| self.get(target)).collect()
            }
            ExprKind::AddressOf(place) => self.place(place, Use::Address).into_iter().collect(),
            ExprKind::Unary(_, inner) => {
                let inner = self.value(inner);
                self.uses(&inner, e.span);
                BTreeSet::new()
            }
            ExprKind::Convert(_, inner) => {
                let inner = self.value(inner);
                let narrow = e.ty.size() * 8 < self.program.pointer_bits.into();
                if !narrow {
                    return inner;
                }
                // A number of 32 bits is one still.
                let numbers = inner.into_iter().filter(|(object, _)| *object == Object::Number);
                numbers.collect()
            }
            ExprKind::Binary(op, l, r) => {
                let values = self.computed(*op, l, r);
                if self.numbers.is_some() {
                    let (l, r) = (self.value(l), self.value(r));
                    self.uses(&l, e.span);
                    self.uses(&r, e.span);
                }
                values
            }
            ExprKind::Select(condition, then, otherwise) => {
                let test = self.value(condition);
                self.uses(&test, condition.span);
                let mut both = self.value(then);
                both.extend(self.value(otherwise));
                both
            }
            ExprKind::Rmw(_, place, operands) => {
                let mut new = BTreeSet::new();
                for operand in operands {
                    new.extend(self.value(operand));
                }
                let targets = self.place(place, Use::Access);
                let mut old = BTreeSet::new();
                for target in targets {
                    old.extend(self.get(target));
                    self.put(target, &new);
                }
                old
            }
            ExprKind::Call(procedure, args) | ExprKind::Spawn(procedure, args, _) => {
                for (i, arg) in args.iter().enumerate() {
                    let value = self.value(arg);
                    self.put((parameter(*procedure, i), 0), &value);
                }
                self.get((Object::Result(*procedure), 0))
            }
            ExprKind::Allocate(_, bytes, ..) => {
                self.value(bytes);
                BTreeSet::from([(self.sites[&(e as *const Expr)], 0)])
            }
            ExprKind::Reallocate(_, old, bytes) => {
                self.value(bytes);
                let site = self.sites[&(e as *const Expr)];
                self.misfits.resized.insert(site);
                for (old, _) in self.value(old) {
                    self.misfits.resized.insert(old);
                    let held = self.get((old, ANY));
                    self.put((site, ANY), &held);
                }
                BTreeSet::from([(site, 0)])
            }
        }
    }

    fn computed(&mut self, op: BinaryOp, l: &'p Expr, r: &'p Expr) -> BTreeSet<Target> {
        let (left, right) = (self.value(l), self.value(r));
        let sign = match op {
            BinaryOp::Add => 1,
            BinaryOp::Sub => -1,
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => {
                return left.into_iter().chain(right).collect();
            }
            _ => return BTreeSet::new(),
        };
        let moved = left.into_iter().map(|target| self.moved(target, sign, r)).collect::<Vec<_>>();
        moved.into_iter().chain(right.into_iter().map(|target| self.moved(target, 1, l))).collect()
    }

    /// A pointer that is moved by a number of bytes.
    fn moved(&self, (object, byte): Target, sign: i128, by: &Expr) -> Target {
        if byte == ANY {
            return (object, ANY);
        }
        let mut by = by;
        while let ExprKind::Convert(_, inner) = &by.kind {
            by = inner;
        }
        let step = match &by.kind {
            ExprKind::Const(bytes) => {
                return self.located(object, i128::from(byte) + sign * i128::from(*bytes));
            }
            ExprKind::Binary(BinaryOp::Mul, _, size) => match size.kind {
                ExprKind::Const(size) => size.unsigned_abs(),
                _ => 1,
            },
            _ => 1,
        };
        let Some(ty) = self.ty(object) else { return (object, byte) };
        let records = &self.program.records;
        let mut elements = vec![records.size(ty)];
        match tail(records, ty) {
            Some((start, of)) if byte >= start => {
                elements.push(records.size(of));
                element_sizes(records, of, byte - start, &mut elements);
            }
            _ => element_sizes(records, ty, byte, &mut elements),
        }
        let whole = elements.iter().any(|size| *size > 0 && step.is_multiple_of(*size));
        (object, if whole { byte } else { ANY })
    }
}

/// What a place is named for.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Access,
    Address,
}

fn parameter(procedure: ProcedureId, i: usize) -> Object {
    Object::Variable(Some(procedure), VarRef::Local(LocalId(i)))
}

/// Whether a type is that of memory of which nothing is known.
fn is_byte(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(scalar) if scalar.size() == 1)
}

/// The array without length at a record's end: its first byte, and what it is of.
fn tail<'r>(records: &'r Records, ty: &Type) -> Option<(u64, &'r Type)> {
    let Type::Record(id) = ty else { return None };
    let last = records.get(*id).fields.last()?;
    match &last.ty {
        Type::Array(of, 0) => Some((last.offset, of)),
        _ => None,
    }
}

/// The byte at the same place of an array's first element.
fn within(records: &Records, ty: &Type, offset: u64) -> u64 {
    match ty {
        Type::Scalar(_) => 0,
        Type::Array(element, _) if is_byte(element) => offset % CHUNK,
        Type::Array(element, _) => within(records, element, offset % records.size(element).max(1)),
        Type::Record(id) => {
            let record = records.get(*id);
            if record.kind == RecordKind::Union {
                return offset;
            }
            let holds = |f: &&Field| (f.offset..f.offset + records.size(&f.ty)).contains(&offset);
            match record.fields.iter().find(holds) {
                Some(field) => field.offset + within(records, &field.ty, offset - field.offset),
                None => offset,
            }
        }
    }
}

/// The first byte of the row of bytes that a byte is in.
fn byte_array(records: &Records, ty: &Type, offset: u64) -> Option<u64> {
    match ty {
        Type::Scalar(_) => is_byte(ty).then_some(0),
        Type::Array(element, _) if is_byte(element) => Some(0),
        Type::Array(element, _) => byte_array(records, element, offset),
        Type::Record(id) => {
            let record = records.get(*id);
            let holds = |f: &&Field| (f.offset..f.offset + records.size(&f.ty)).contains(&offset);
            let field = record.fields.iter().filter(|_| record.kind == RecordKind::Struct).find(holds)?;
            byte_array(records, &field.ty, offset - field.offset).map(|start| start + field.offset)
        }
    }
}

/// Sizes of the elements of the arrays that a byte is in.
fn element_sizes(records: &Records, ty: &Type, offset: u64, sizes: &mut Vec<u64>) {
    match ty {
        Type::Scalar(_) => {}
        Type::Array(element, _) => {
            let size = records.size(element);
            sizes.push(size);
            element_sizes(records, element, offset % size.max(1), sizes);
        }
        Type::Record(id) => {
            let holds = |f: &&Field| (f.offset..f.offset + records.size(&f.ty)).contains(&offset);
            if let Some(field) = records.get(*id).fields.iter().find(holds) {
                element_sizes(records, &field.ty, offset - field.offset, sizes);
            }
        }
    }
}

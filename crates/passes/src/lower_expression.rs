//! Tree to control-flow graph: expressions. Shared reads, read-modify-writes, calls and choices
//! become instructions; what is left is an expression over registers.

use crate::lower::{Home, Lowering, object};
use crate::lower_names::Facts;
use fencepost_ir::cfg::{
    self, Address, Arith, Dest, Instr, Loc, NodeId, ObjectId, Observable, ProcId, Reg, RmwOp, StartId,
};
use fencepost_ir::eval::element;
use fencepost_ir::tree::*;
use fencepost_ir::{Cell, IntType, Scalar, Span, Step, pointer};

fn binary(op: BinaryOp, operand: Scalar, left: cfg::Expr, right: cfg::Expr) -> cfg::Expr {
    cfg::Expr::Binary(op, Arith::of(operand), Box::new(left), Box::new(right))
}

fn convert(conversion: Conversion, from: Scalar, to: Scalar, arg: cfg::Expr) -> cfg::Expr {
    match (conversion, to) {
        (Conversion::Wrapping, Scalar::Int(int)) => cfg::Expr::Wrap(int, Box::new(arg)),
        (Conversion::Wrapping, Scalar::Pointer { .. }) => cfg::Expr::Wrap(pointer::WORD, Box::new(arg)),
        (Conversion::Wrapping, _) | (Conversion::Checked, _) => {
            let ((from_lo, from_hi), (lo, hi)) = (from.limits(), to.limits());
            // What an integer is computed from may leave 64 bits on the way.
            let is_certain = from != Scalar::Integer || !matches!(to, Scalar::Int(_));
            if is_certain && lo <= from_lo && from_hi <= hi {
                arg
            } else {
                cfg::Expr::Check { from, to, arg: Box::new(arg) }
            }
        }
    }
}

/// A place that is ready to be accessed.
pub(crate) enum Lowered {
    /// One of the thread's own registers.
    Private(Dest),
    /// Memory.
    Memory(Address),
}

/// `sum + factor * count`, computed here where it can be.
fn add(ty: Scalar, sum: cfg::Expr, count: cfg::Expr, factor: u64) -> cfg::Expr {
    let product = match (count, factor) {
        (cfg::Expr::Const(n), _) => cfg::Expr::Const(n.wrapping_mul(factor as i64)),
        (count, 1) => count,
        (count, _) => binary(BinaryOp::Mul, ty, count, cfg::Expr::Const(factor as i64)),
    };
    match (sum, product) {
        (cfg::Expr::Const(a), cfg::Expr::Const(b)) => cfg::Expr::Const(a.wrapping_add(b)),
        (cfg::Expr::Const(0), product) => product,
        (sum, cfg::Expr::Const(0)) => sum,
        (sum, product) => binary(BinaryOp::Add, ty, sum, product),
    }
}

/// Whether an index is checked against the length of its array.
#[derive(Clone, Copy, PartialEq)]
enum Check {
    Yes,
    /// Pointers may be formed to anywhere.
    No,
}

fn checked(check: Check, len: u32, index: cfg::Expr) -> cfg::Expr {
    match index {
        cfg::Expr::Const(i) if (0..i64::from(len)).contains(&i) => index,
        _ if check == Check::Yes => cfg::Expr::Index(len, Box::new(index)),
        _ => index,
    }
}

/// An index that leads from no object to another: more is an error of the program, since no object is that large.
fn near(index: cfg::Expr, size: u64) -> cfg::Expr {
    let most = (pointer::LARGEST as i64 + 2) / size.max(1) as i64;
    match index {
        cfg::Expr::Const(i) if (-most..most).contains(&i) => index,
        _ => {
            let to = Scalar::Range { lo: -most, hi: most - 1 };
            cfg::Expr::Check { from: Scalar::Integer, to, arg: Box::new(index) }
        }
    }
}

impl Lowering<'_> {
    pub(crate) fn scalar_type(&self, place: &Place) -> Scalar {
        let ty = self.program.place_type(Some(self.code), place).and_then(Type::as_scalar);
        ty.expect("the validator asks for a scalar")
    }

    fn is_pure(&self, e: &Expr) -> bool {
        self.program.is_pure(Some(self.code), e)
    }

    /// The number of the cell that a path leads to. A lone index is checked by the access itself.
    fn cell_number<'t>(
        &'t self,
        mut ty: &'t Type,
        path: &[Projection],
        indices: Vec<cfg::Expr>,
    ) -> cfg::Expr {
        let records = &self.program.records;
        let mut indices = indices.into_iter();
        let mut number = cfg::Expr::Const(0);
        for step in path {
            match (step, ty) {
                (Projection::Index(_), Type::Array(element, n)) => {
                    let index = indices.next().expect("one for each index on the path");
                    let alone = path.len() == 1;
                    let index = checked(if alone { Check::No } else { Check::Yes }, *n, index);
                    number = add(Scalar::Integer, number, index, records.cells(element));
                    ty = element;
                }
                (Projection::Field(i), Type::Record(id)) => {
                    let first = cfg::Expr::Const(records.first_cell(*id, *i) as i64);
                    number = add(Scalar::Integer, number, first, 1);
                    ty = &records.get(*id).fields[*i].ty;
                }
                _ => panic!("the validator follows paths"),
            }
        }
        number
    }

    /// The pointer to what a path leads to, from the pointer to its start.
    fn byte_address<'t>(
        &'t self,
        start: cfg::Expr,
        mut ty: &'t Type,
        path: &[Projection],
        indices: Vec<cfg::Expr>,
        check: Check,
    ) -> cfg::Expr {
        let records = &self.program.records;
        let word = Scalar::Pointer { bits: self.program.pointer_bits };
        let mut indices = indices.into_iter();
        let mut address = start;
        for step in path {
            match (step, ty) {
                (Projection::Index(_), Type::Array(element, n)) => {
                    let index = indices.next().expect("one for each index on the path");
                    // Arrays of one element or none at the end of a record stand for longer ones.
                    let index = match *n > 1 {
                        true => checked(check, *n, index),
                        false => near(index, records.size(element)),
                    };
                    address = add(word, address, index, records.size(element));
                    ty = element;
                }
                (Projection::Field(i), Type::Record(id)) => {
                    let field = &records.get(*id).fields[*i];
                    address = add(word, address, cfg::Expr::Const(field.offset as i64), 1);
                    ty = &field.ty;
                }
                _ => panic!("the validator follows paths"),
            }
        }
        address
    }

    /// The pointer to an object of the program.
    fn object_address(&self, object: ObjectId) -> cfg::Expr {
        cfg::Expr::Const(pointer::to_object(object.0, 0))
    }

    fn passes_union<'t>(&'t self, mut ty: &'t Type, path: &[Projection]) -> bool {
        let records = &self.program.records;
        for step in path {
            ty = match (step, ty) {
                (Projection::Index(_), Type::Array(element, _)) => element,
                (Projection::Field(i), Type::Record(id)) => match records.get(*id).kind {
                    RecordKind::Union => return true,
                    RecordKind::Struct => &records.get(*id).fields[*i].ty,
                },
                _ => return false,
            };
        }
        false
    }

    /// Evaluates what a place is computed from.
    pub(crate) fn place(&mut self, place: &Place) -> Lowered {
        let mut operands = self.operands(place.expressions());
        let (variable, ty) = match &place.base {
            Base::Pointed(_, ty) => {
                let indices = operands.split_off(1);
                let start = operands.remove(0);
                let pointer = self.byte_address(start, ty, &place.path, indices, Check::Yes);
                return Lowered::Memory(self.pointed(pointer, place));
            }
            Base::Variable(reference) => {
                let variable = self.program.variable(Some(self.code), *reference);
                (*reference, &variable.expect("the validator asks for the variable").ty)
            }
        };
        let (base, len) = match variable {
            VarRef::Shared(id) => return Lowered::Memory(self.in_object(object(id), ty, place, operands)),
            VarRef::Local(id) => match self.homes[id.0] {
                Home::Object(object) => return Lowered::Memory(self.in_object(object, ty, place, operands)),
                Home::Pointed(slot) => {
                    let start = cfg::Expr::Reg(Reg::Local(slot));
                    let pointer = self.byte_address(start, ty, &place.path, operands, Check::Yes);
                    return Lowered::Memory(self.pointed(pointer, place));
                }
                Home::Slots(slot) => (Reg::Local(slot), self.program.records.cells(ty) as u32),
            },
            VarRef::ThreadLocal(id) => {
                let before = &self.program.thread_locals[..id.0];
                let slot: u64 = before.iter().map(|v| self.program.records.cells(&v.ty)).sum();
                (Reg::Thread(slot as u32), self.program.records.cells(ty) as u32)
            }
            VarRef::Observed(..) => panic!("only final conditions observe"),
        };
        Lowered::Private(match self.cell_number(ty, &place.path, operands) {
            cfg::Expr::Const(i) if (0..i64::from(len)).contains(&i) => {
                Dest::Reg(element(base, len, i).expect("just compared"))
            }
            index => Dest::At { base, len, index },
        })
    }

    fn in_object(&self, object: ObjectId, ty: &Type, place: &Place, indices: Vec<cfg::Expr>) -> Address {
        if self.passes_union(ty, &place.path) {
            let start = self.object_address(object);
            return self.pointed(self.byte_address(start, ty, &place.path, indices, Check::Yes), place);
        }
        Address::Cell { object, index: self.cell_number(ty, &place.path, indices) }
    }

    fn pointed(&self, pointer: cfg::Expr, place: &Place) -> Address {
        Address::Pointed { pointer, ty: self.scalar_type(place) }
    }

    /// A place that is in memory.
    pub(crate) fn memory_place(&mut self, place: &Place) -> Address {
        match self.place(place) {
            Lowered::Memory(address) => address,
            Lowered::Private(_) => panic!("only places in memory have addresses"),
        }
    }

    fn address_of(&mut self, place: &Place) -> cfg::Expr {
        let mut operands = self.operands(place.expressions());
        let (start, ty) = match &place.base {
            Base::Pointed(_, ty) => {
                let indices = operands.split_off(1);
                let start = operands.remove(0);
                return self.byte_address(start, ty, &place.path, indices, Check::No);
            }
            Base::Variable(reference) => {
                let variable = self.program.variable(Some(self.code), *reference);
                let start = match reference {
                    VarRef::Shared(id) => self.object_address(object(*id)),
                    VarRef::Local(id) => match self.homes[id.0] {
                        Home::Object(object) => self.object_address(object),
                        Home::Pointed(slot) => cfg::Expr::Reg(Reg::Local(slot)),
                        Home::Slots(_) => panic!("what has an address is kept in memory"),
                    },
                    VarRef::ThreadLocal(_) | VarRef::Observed(..) => panic!("registers have no address"),
                };
                (start, &variable.expect("the validator asks for the variable").ty)
            }
        };
        self.byte_address(start, ty, &place.path, operands, Check::No)
    }

    /// `place = value`. What the place is computed from is evaluated before the value.
    pub(crate) fn store(&mut self, place: &Place, value: &Expr, span: Span) {
        match self.place(place) {
            Lowered::Memory(mut address) => {
                if value.calls() {
                    *address.expr_mut() = self.kept(address.expr().clone(), Scalar::Integer, span);
                }
                let value = self.expr(value);
                self.emit_access(Instr::Store(address, value), place.access, span);
            }
            Lowered::Private(mut dest) => {
                if let Dest::At { index, .. } = &mut dest
                    && value.calls()
                {
                    *index = self.kept(index.clone(), Scalar::Integer, span);
                }
                self.assign(dest, value, span);
            }
        }
    }

    /// `dest = value`, with the value's last instruction writing there directly if it can.
    pub(crate) fn assign(&mut self, dest: Dest, value: &Expr, span: Span) {
        let instr = match &value.kind {
            ExprKind::Read(place) if self.program.is_in_memory(Some(self.code), place) => {
                let load = Instr::Load(dest, self.memory_place(place));
                return self.emit_access(load, place.access, span);
            }
            ExprKind::Reallocate(ty, pointer, bytes) => {
                let mut operands = self.operands([&**pointer, &**bytes]).into_iter();
                let mut next = || operands.next().expect("two operands");
                let (pointer, bytes) = (next(), next());
                Instr::Reallocate { dest, ty: self.allocated_type(ty), pointer, bytes }
            }
            ExprKind::Allocate(ty, bytes, fill, storage) => {
                let bytes = self.expr(bytes);
                let ty = self.allocated_type(ty);
                Instr::Allocate { dest, ty, bytes, fill: *fill, storage: *storage }
            }
            ExprKind::Any(choices) => Instr::Havoc(dest, choices.clone()),
            ExprKind::Own => Instr::Own(dest),
            ExprKind::Rmw(kind, place, operands) if *kind != RmwKind::CompareAndSwap => {
                let (address, op) = self.rmw(*kind, place, operands);
                return self.emit_access(Instr::Rmw(Some(dest), address, op), place.access, span);
            }
            ExprKind::Call(id, args) => {
                let args = self.operands(args);
                self.emit(Instr::Call(Some(dest), ProcId(id.0 as u32), args), span);
                return self.after_call(*id, span);
            }
            ExprKind::Spawn(id, args, drain) => {
                let args = self.operands(args);
                Instr::Spawn(Some(dest), ProcId(id.0 as u32), args, *drain)
            }
            _ => {
                let value = self.expr(value);
                Instr::Assign(dest, value)
            }
        };
        self.emit(instr, span);
    }

    fn allocated_type(&mut self, ty: &Type) -> cfg::HeapTypeId {
        let name = match ty.innermost() {
            Type::Record(id) => self.program.records.get(*id).name.clone(),
            Type::Scalar(_) | Type::Array(..) => "block".to_string(),
        };
        self.heap_type(&name, ty)
    }

    /// An expression whose value nobody needs.
    pub(crate) fn effect(&mut self, e: &Expr) {
        let instr = match &e.kind {
            ExprKind::Call(id, args) => {
                let args = self.operands(args);
                self.emit(Instr::Call(None, ProcId(id.0 as u32), args), e.span);
                return self.after_call(*id, e.span);
            }
            ExprKind::Spawn(id, args, drain) => {
                Instr::Spawn(None, ProcId(id.0 as u32), self.operands(args), *drain)
            }
            ExprKind::Rmw(kind, place, operands) => {
                let (address, op) = self.rmw(*kind, place, operands);
                return self.emit_access(Instr::Rmw(None, address, op), place.access, e.span);
            }
            _ => {
                self.expr(e);
                return;
            }
        };
        self.emit(instr, e.span);
    }

    fn rmw(&mut self, kind: RmwKind, place: &Place, operands: &[Expr]) -> (Address, RmwOp) {
        let mut address = self.memory_place(place);
        if operands.iter().any(Expr::calls) {
            *address.expr_mut() = self.kept(address.expr().clone(), Scalar::Integer, place.span);
        }
        let mut operands = self.operands(operands).into_iter();
        let mut next = || operands.next().expect("the validator counts operands");
        let op = match kind {
            RmwKind::Exchange => RmwOp::Exchange(next()),
            RmwKind::Add => RmwOp::Add(next()),
            RmwKind::Sub => RmwOp::Sub(next()),
            RmwKind::And => RmwOp::And(next()),
            RmwKind::Or => RmwOp::Or(next()),
            RmwKind::Xor => RmwOp::Xor(next()),
            RmwKind::CompareExchange | RmwKind::CompareAndSwap => {
                RmwOp::CompareExchange { expected: next(), new: next() }
            }
        };
        (address, op)
    }

    /// Several expressions from left to right. A value that a later call could change is kept in
    /// a temporary.
    fn operands<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<cfg::Expr> {
        let exprs: Vec<_> = exprs.into_iter().collect();
        let mut lowered = Vec::new();
        for (i, e) in exprs.iter().enumerate() {
            let mut value = self.expr(e);
            if exprs[i + 1..].iter().any(|e| e.calls()) {
                value = self.kept(value, e.ty, e.span);
            }
            lowered.push(value);
        }
        lowered
    }

    /// The value, in a temporary if it reads what a call can change.
    pub(crate) fn kept(&mut self, value: cfg::Expr, ty: Scalar, span: Span) -> cfg::Expr {
        let mut changeable = false;
        value.visit(&mut |e| {
            changeable |=
                matches!(e, cfg::Expr::Reg(Reg::Thread(_)) | cfg::Expr::At { base: Reg::Thread(_), .. });
        });
        if !changeable {
            return value;
        }
        let temporary = self.temporary(ty);
        self.emit(Instr::Assign(Dest::Reg(temporary), value), span);
        cfg::Expr::Reg(temporary)
    }

    /// The expression over registers that has the value of `e`, after the instructions it needs.
    pub(crate) fn expr(&mut self, e: &Expr) -> cfg::Expr {
        match &e.kind {
            ExprKind::Const(value) => cfg::Expr::Const(*value),
            ExprKind::Read(place) if !self.program.is_in_memory(Some(self.code), place) => {
                match self.place(place) {
                    Lowered::Private(Dest::Reg(reg)) => cfg::Expr::Reg(reg),
                    Lowered::Private(Dest::At { base, len, index }) => {
                        cfg::Expr::At { base, len, index: Box::new(index) }
                    }
                    Lowered::Memory(_) => panic!("a private place is in registers"),
                }
            }
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::Unary(op, arg) => {
                let operand = arg.ty;
                cfg::Expr::Unary(*op, Arith::of(operand), Box::new(self.expr(arg)))
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, right) if !self.is_pure(right) => {
                self.by_cases(e)
            }
            ExprKind::Binary(op, left, right) => {
                let operand = left.ty;
                let mut l = self.expr(left);
                if right.calls() {
                    l = self.kept(l, left.ty, left.span);
                }
                let r = self.expr(right);
                binary(*op, operand, l, r)
            }
            ExprKind::Select(cond, then, otherwise) if self.is_pure(then) && self.is_pure(otherwise) => {
                let cond = Box::new(self.expr(cond));
                let then = Box::new(self.expr(then));
                cfg::Expr::Select(cond, then, Box::new(self.expr(otherwise)))
            }
            ExprKind::Select(..) => self.by_cases(e),
            ExprKind::Convert(conversion, arg) => {
                let from = arg.ty;
                let arg = self.expr(arg);
                convert(*conversion, from, e.ty, arg)
            }
            ExprKind::Rmw(RmwKind::CompareAndSwap, place, operands) => {
                let cell = self.scalar_type(place);
                let (address, op) = self.rmw(RmwKind::CompareAndSwap, place, operands);
                let RmwOp::CompareExchange { expected, .. } = &op else {
                    panic!("a compare-and-swap compares")
                };
                let expected = expected.clone();
                let old = self.temporary(cell);
                self.emit_access(Instr::Rmw(Some(Dest::Reg(old)), address, op), place.access, e.span);
                binary(BinaryOp::Eq, cell, cfg::Expr::Reg(old), expected)
            }
            ExprKind::Read(_)
            | ExprKind::Any(_)
            | ExprKind::Rmw(..)
            | ExprKind::Call(..)
            | ExprKind::Spawn(..)
            | ExprKind::Own
            | ExprKind::Reallocate(..)
            | ExprKind::Allocate(..) => {
                let temporary = self.temporary(e.ty);
                self.assign(Dest::Reg(temporary), e, e.span);
                cfg::Expr::Reg(temporary)
            }
        }
    }

    /// `&&`, `||` and `?:` whose later parts have effects: by branching.
    fn by_cases(&mut self, e: &Expr) -> cfg::Expr {
        let temporary = self.temporary(e.ty);
        let (yes, no, end) = (self.node(), self.node(), self.node());
        let cases = match &e.kind {
            ExprKind::Select(cond, then, otherwise) => {
                self.condition(cond, yes, no);
                [(yes, Some(then)), (no, Some(otherwise))]
            }
            _ => {
                self.condition(e, yes, no);
                [(yes, None), (no, None)]
            }
        };
        for (node, value) in cases {
            self.current = node;
            let value = match value {
                Some(branch) => {
                    let value = self.expr(branch);
                    convert(Conversion::Checked, branch.ty, e.ty, value)
                }
                None => cfg::Expr::Const(i64::from(node == yes)),
            };
            self.emit(Instr::Assign(Dest::Reg(temporary), value), e.span);
            self.go_to(end, e.span);
        }
        cfg::Expr::Reg(temporary)
    }

    /// Branches to `yes` or `no`.
    pub(crate) fn condition(&mut self, e: &Expr, yes: NodeId, no: NodeId) {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, arg) => self.condition(arg, no, yes),
            ExprKind::Binary(BinaryOp::And, left, right) if !self.is_pure(right) => {
                let middle = self.node();
                self.condition(left, middle, no);
                self.current = middle;
                self.condition(right, yes, no);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) if !self.is_pure(right) => {
                let middle = self.node();
                self.condition(left, yes, middle);
                self.current = middle;
                self.condition(right, yes, no);
            }
            ExprKind::Const(value) => {
                self.edge(self.current, if *value != 0 { yes } else { no }, Instr::Nop, e.span);
            }
            ExprKind::Any(choices) => {
                for (value, target) in [(1, yes), (0, no)] {
                    if choices.contains(value) {
                        self.edge(self.current, target, Instr::Choose, e.span);
                    }
                }
            }
            _ => {
                let value = self.expr(e);
                self.edge(self.current, yes, Instr::Assume(value.clone()), e.span);
                self.edge(self.current, no, Instr::Assume(value.negated()), e.span);
            }
        }
    }
}

/// A final condition over what it observes.
pub(crate) fn final_condition(
    program: &Program,
    facts: &Facts,
    e: &Expr,
    observed: &mut Vec<Observable>,
) -> cfg::Expr {
    let mut sub = |e: &Expr| Box::new(final_condition(program, facts, e, observed));
    match &e.kind {
        ExprKind::Const(value) => cfg::Expr::Const(*value),
        ExprKind::Read(place) => match parts(program, place) {
            Some((parts, scalar)) => joined(parts, scalar, observed),
            None => seen(observable(program, facts, place), observed),
        },
        ExprKind::Unary(op, arg) => cfg::Expr::Unary(*op, Arith::of(arg.ty), sub(arg)),
        ExprKind::Binary(op, left, right) => {
            cfg::Expr::Binary(*op, Arith::of(left.ty), sub(left), sub(right))
        }
        ExprKind::Select(cond, then, otherwise) => cfg::Expr::Select(sub(cond), sub(then), sub(otherwise)),
        ExprKind::Convert(conversion, arg) => convert(*conversion, arg.ty, e.ty, *sub(arg)),
        ExprKind::AddressOf(_) => panic!("final conditions compare no pointers yet"),
        ExprKind::Any(_)
        | ExprKind::Rmw(..)
        | ExprKind::Call(..)
        | ExprKind::Spawn(..)
        | ExprKind::Own
        | ExprKind::Reallocate(..)
        | ExprKind::Allocate(..) => {
            panic!("the validator keeps effects out of final conditions")
        }
    }
}

/// What an observable holds.
fn seen(observable: Observable, observed: &mut Vec<Observable>) -> cfg::Expr {
    let position = observed.iter().position(|o| *o == observable).unwrap_or_else(|| {
        observed.push(observable);
        observed.len() - 1
    });
    cfg::Expr::Reg(Reg::Local(position as u32))
}

/// The cells of a scalar in a variable with a union in it, which others may see as something else, with their types; and its
/// own type.
fn parts(program: &Program, place: &Place) -> Option<(Vec<(Observable, Scalar)>, Scalar)> {
    let Base::Variable(VarRef::Shared(id)) = place.base else { return None };
    let (records, ty) = (&program.records, &program.shared[id.0].ty);
    if !records.has_union(ty) {
        return None;
    }
    let step = |step: &Projection| match step {
        Projection::Index(Expr { kind: ExprKind::Const(i), .. }) => Step::Index(*i as u32),
        Projection::Index(_) => panic!("indices in final conditions are constant"),
        Projection::Field(i) => Step::Field(*i),
    };
    let path: Vec<Step> = place.path.iter().map(step).collect();
    let (start, scalar) = records.offset(ty, &path);
    let before: usize = program.shared[..id.0].iter().map(|v| v.init.len()).sum();
    let layout = records.layout(ty);
    let inside =
        layout.iter().enumerate().filter(|(_, c)| (start..start + scalar.size()).contains(&c.offset));
    let part = |(n, cell): (usize, &Cell)| (Observable::Cell(Loc::cell((before + n) as u32)), cell.ty);
    Some((inside.map(part).collect(), scalar))
}

/// The bits of cells one after the other, the lowest first, as a value of a type.
fn joined(parts: Vec<(Observable, Scalar)>, scalar: Scalar, observed: &mut Vec<Observable>) -> cfg::Expr {
    let word = Scalar::Int(pointer::WORD);
    let mut value = cfg::Expr::Const(0);
    let mut shift = 0;
    for (observable, ty) in parts {
        let bits = IntType { bits: ty.size() as u8 * 8, signed: false };
        let part = convert(Conversion::Wrapping, ty, Scalar::Int(bits), seen(observable, observed));
        let part = binary(BinaryOp::Shl, word, part, cfg::Expr::Const(shift));
        value = binary(BinaryOp::BitOr, word, value, part);
        shift += i64::from(bits.bits);
    }
    convert(Conversion::Wrapping, word, scalar, value)
}

fn observable(program: &Program, facts: &Facts, place: &Place) -> Observable {
    let Base::Variable(reference) = place.base else { panic!("final conditions follow no pointers") };
    let constant = |index: &Expr| match index.kind {
        ExprKind::Const(i) => i,
        _ => panic!("indices in final conditions are constant"),
    };
    let variable = program.variable(None, reference).expect("the validator asks for the variable");
    let mut cell = 0;
    let mut ty = &variable.ty;
    for step in &place.path {
        ty = match (step, ty) {
            (Projection::Index(index), Type::Array(element, _)) => {
                cell += constant(index) * program.records.cells(element) as i64;
                element
            }
            (Projection::Field(i), Type::Record(id)) => {
                cell += program.records.first_cell(*id, *i) as i64;
                &program.records.get(*id).fields[*i].ty
            }
            _ => panic!("the validator follows paths"),
        };
    }
    match reference {
        VarRef::Shared(id) if variable.ty.is_unbounded() => {
            Observable::Cell(Loc::element(object(id), cell).expect("the front end checks the address"))
        }
        VarRef::Shared(id) => {
            let before: usize = program.shared[..id.0].iter().map(|v| v.init.len()).sum();
            Observable::Cell(Loc::cell((before as i64 + cell) as u32))
        }
        VarRef::Observed(thread, local) => {
            let id = program.threads[thread.0].procedure;
            let locals = &program.procedure(id).locals[..local.0];
            let before: usize = locals.iter().map(|l| facts.registers_of(id, l)).sum();
            let slot = Reg::Local((before as i64 + cell) as u32);
            Observable::Register(StartId(thread.0 as u32), slot)
        }
        VarRef::ThreadLocal(_) | VarRef::Local(_) => panic!("a final condition is outside all threads"),
    }
}

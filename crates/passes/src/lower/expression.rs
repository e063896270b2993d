//! Expressions. Shared reads, read-modify-writes, calls and choices
//! become instructions; what is left is an expression over registers.

use super::Lowering;
use super::place::Lowered;
use fencepost_ir::cfg::{self, Address, Arith, Dest, Instr, NodeId, ProcId, Reg, RmwOp};
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span, pointer};

pub(super) fn binary(op: BinaryOp, operand: Scalar, left: cfg::Expr, right: cfg::Expr) -> cfg::Expr {
    cfg::Expr::Binary(op, Arith::of(operand), Box::new(left), Box::new(right))
}

pub(super) fn convert(conversion: Conversion, from: Scalar, to: Scalar, arg: cfg::Expr) -> cfg::Expr {
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

impl Lowering<'_> {
    fn is_pure(&self, e: &Expr) -> bool {
        self.program.is_pure(Some(self.code), e)
    }

    /// `place = value`. What the place is computed from is evaluated before the value.
    pub(super) fn store(&mut self, place: &Place, value: &Expr, span: Span) {
        match self.place(place) {
            Lowered::Memory(mut address) => {
                if value.calls() {
                    *address.expr_mut() = self.kept(address.expr().clone(), Scalar::Integer, span);
                }
                let value = self.expr(value);
                self.graph.emit_access(Instr::Store(address, value), place.access, span);
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
    pub(super) fn assign(&mut self, dest: Dest, value: &Expr, span: Span) {
        let instr = match &value.kind {
            ExprKind::Read(place) if self.program.is_in_memory(Some(self.code), place) => {
                let load = Instr::Load(dest, self.memory_place(place));
                return self.graph.emit_access(load, place.access, span);
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
                return self.graph.emit_access(Instr::Rmw(Some(dest), address, op), place.access, span);
            }
            ExprKind::Call(id, args) => {
                let args = self.operands(args);
                self.graph.emit(Instr::Call(Some(dest), ProcId(id.0 as u32), args), span);
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
        self.graph.emit(instr, span);
    }

    fn allocated_type(&mut self, ty: &Type) -> cfg::HeapTypeId {
        let name = match ty.innermost() {
            Type::Record(id) => self.program.records.get(*id).name.clone(),
            Type::Scalar(_) | Type::Array(..) => "block".to_string(),
        };
        self.heap_type(&name, ty)
    }

    /// An expression whose value is unused.
    pub(super) fn effect(&mut self, e: &Expr) {
        let instr = match &e.kind {
            ExprKind::Call(id, args) => {
                let args = self.operands(args);
                self.graph.emit(Instr::Call(None, ProcId(id.0 as u32), args), e.span);
                return self.after_call(*id, e.span);
            }
            ExprKind::Spawn(id, args, drain) => {
                Instr::Spawn(None, ProcId(id.0 as u32), self.operands(args), *drain)
            }
            ExprKind::Rmw(kind, place, operands) => {
                let (address, op) = self.rmw(*kind, place, operands);
                return self.graph.emit_access(Instr::Rmw(None, address, op), place.access, e.span);
            }
            _ => {
                self.expr(e);
                return;
            }
        };
        self.graph.emit(instr, e.span);
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
    pub(super) fn operands<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<cfg::Expr> {
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
    pub(super) fn kept(&mut self, value: cfg::Expr, ty: Scalar, span: Span) -> cfg::Expr {
        let mut changeable = false;
        value.visit(&mut |e| {
            changeable |=
                matches!(e, cfg::Expr::Reg(Reg::Thread(_)) | cfg::Expr::At { base: Reg::Thread(_), .. });
        });
        if !changeable {
            return value;
        }
        let temporary = self.registers.temporary(ty);
        self.graph.emit(Instr::Assign(Dest::Reg(temporary), value), span);
        cfg::Expr::Reg(temporary)
    }

    /// The expression over registers that has the value of `e`, after the instructions it needs.
    pub(super) fn expr(&mut self, e: &Expr) -> cfg::Expr {
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
                let old = self.registers.temporary(cell);
                self.graph.emit_access(Instr::Rmw(Some(Dest::Reg(old)), address, op), place.access, e.span);
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
                let temporary = self.registers.temporary(e.ty);
                self.assign(Dest::Reg(temporary), e, e.span);
                cfg::Expr::Reg(temporary)
            }
        }
    }

    /// `&&`, `||` and `?:` whose later parts have effects: by branching.
    fn by_cases(&mut self, e: &Expr) -> cfg::Expr {
        let temporary = self.registers.temporary(e.ty);
        let (yes, no, end) = (self.graph.node(), self.graph.node(), self.graph.node());
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
            self.graph.current = node;
            let value = match value {
                Some(branch) => {
                    let value = self.expr(branch);
                    convert(Conversion::Checked, branch.ty, e.ty, value)
                }
                None => cfg::Expr::Const(i64::from(node == yes)),
            };
            self.graph.emit(Instr::Assign(Dest::Reg(temporary), value), e.span);
            self.graph.go_to(end, e.span);
        }
        cfg::Expr::Reg(temporary)
    }

    /// Branches to `yes` or `no`.
    pub(super) fn condition(&mut self, e: &Expr, yes: NodeId, no: NodeId) {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, arg) => self.condition(arg, no, yes),
            ExprKind::Binary(BinaryOp::And, left, right) if !self.is_pure(right) => {
                let middle = self.graph.node();
                self.condition(left, middle, no);
                self.graph.current = middle;
                self.condition(right, yes, no);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) if !self.is_pure(right) => {
                let middle = self.graph.node();
                self.condition(left, yes, middle);
                self.graph.current = middle;
                self.condition(right, yes, no);
            }
            ExprKind::Const(value) => {
                self.graph.edge(self.graph.current, if *value != 0 { yes } else { no }, Instr::Nop, e.span);
            }
            ExprKind::Any(choices) => {
                for (value, target) in [(1, yes), (0, no)] {
                    if choices.contains(value) {
                        self.graph.edge(self.graph.current, target, Instr::Choose, e.span);
                    }
                }
            }
            _ => {
                let value = self.expr(e);
                self.graph.edge(self.graph.current, yes, Instr::Assume(value.clone()), e.span);
                self.graph.edge(self.graph.current, no, Instr::Assume(value.negated()), e.span);
            }
        }
    }
}

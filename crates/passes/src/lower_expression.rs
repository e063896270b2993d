//! Tree to control-flow graph: expressions. Shared reads, read-modify-writes, calls and choices
//! become instructions; what is left is an expression over registers.

use crate::lower::{Lowering, object};
use fencepost_ir::cfg::{
    self, Address, Arith, Dest, Instr, Loc, NodeId, Observable, ProcId, Reg, RmwOp, StartId,
};
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span};

/// The arithmetic of two operands: a fixed width if they have one, else exact.
fn arith(operand: Scalar) -> Arith {
    match operand {
        Scalar::Int(int) => Arith::Wrap(int),
        _ => Arith::Exact,
    }
}

fn binary(op: BinaryOp, operand: Scalar, left: cfg::Expr, right: cfg::Expr) -> cfg::Expr {
    cfg::Expr::Binary(op, arith(operand), Box::new(left), Box::new(right))
}

fn convert(conversion: Conversion, from: Scalar, to: Scalar, arg: cfg::Expr) -> cfg::Expr {
    match (conversion, to) {
        (Conversion::Wrapping, Scalar::Int(int)) => cfg::Expr::Wrap(int, Box::new(arg)),
        (Conversion::Wrapping, _) | (Conversion::Checked, _) => {
            let ((from_lo, from_hi), (lo, hi)) = (from.limits(), to.limits());
            if lo <= from_lo && from_hi <= hi {
                arg
            } else {
                cfg::Expr::Check { from, to, arg: Box::new(arg) }
            }
        }
    }
}

/// The number of an element, each index but the last checked against its dimension; the last is
/// checked by whoever uses the number if there is only one.
fn flat_index(dims: &[u32], indices: Vec<cfg::Expr>) -> cfg::Expr {
    if let [_] = dims {
        return indices.into_iter().next().expect("an index for each dimension");
    }
    let mut flat = cfg::Expr::Const(0);
    for (i, (dim, index)) in dims.iter().zip(indices).enumerate() {
        let index = cfg::Expr::Index(*dim, Box::new(index));
        flat = if i == 0 {
            index
        } else {
            let scaled = binary(BinaryOp::Mul, Scalar::Integer, flat, cfg::Expr::Const((*dim).into()));
            binary(BinaryOp::Add, Scalar::Integer, scaled, index)
        };
    }
    flat
}

impl Lowering<'_> {
    fn type_of(&self, place: &Place) -> &Type {
        let variable = self.program.variable(Some(self.code), place.variable);
        &variable.expect("the validator asks for the variable").ty
    }

    fn index(&mut self, place: &Place) -> cfg::Expr {
        let dims = self.type_of(place).dims.clone();
        let indices = self.operands(&place.indices);
        flat_index(&dims, indices)
    }

    pub(crate) fn address(&mut self, place: &Place) -> Address {
        let VarRef::Shared(id) = place.variable else { panic!("only shared places have addresses") };
        Address { object: object(id), index: self.index(place) }
    }

    /// First slot and number of slots of a thread's own place.
    fn slots(&self, place: &Place) -> (Reg, u32) {
        let cells = self.type_of(place).cells() as u32;
        let reg = match place.variable {
            VarRef::Local(id) => Reg::Local(self.slots[id.0]),
            VarRef::ThreadLocal(id) => {
                let before = &self.program.thread_locals[..id.0];
                Reg::Thread(before.iter().map(|v| v.ty.cells() as u32).sum())
            }
            VarRef::Shared(_) | VarRef::Observed(..) => panic!("not a place of the thread's own"),
        };
        (reg, cells)
    }

    pub(crate) fn dest(&mut self, place: &Place) -> Dest {
        let (base, len) = self.slots(place);
        if place.indices.is_empty() {
            return Dest::Reg(base);
        }
        Dest::At { base, len, index: self.index(place) }
    }

    /// `dest = value`, with the value's last instruction writing there directly if it can.
    pub(crate) fn assign(&mut self, dest: Dest, value: &Expr, span: Span) {
        let instr = match &value.kind {
            ExprKind::Read(place) if matches!(place.variable, VarRef::Shared(_)) => {
                Instr::Load(dest, self.address(place))
            }
            ExprKind::Any(choices) => Instr::Havoc(dest, choices.clone()),
            ExprKind::Rmw(kind, place, operands) if *kind != RmwKind::CompareAndSwap => {
                let (address, op) = self.rmw(*kind, place, operands);
                Instr::Rmw(Some(dest), address, op)
            }
            ExprKind::Call(id, args) => {
                let args = self.operands(args);
                Instr::Call(Some(dest), ProcId(id.0 as u32), args)
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

    /// An expression whose value nobody needs.
    pub(crate) fn effect(&mut self, e: &Expr) {
        let instr = match &e.kind {
            ExprKind::Call(id, args) => Instr::Call(None, ProcId(id.0 as u32), self.operands(args)),
            ExprKind::Spawn(id, args, drain) => {
                Instr::Spawn(None, ProcId(id.0 as u32), self.operands(args), *drain)
            }
            ExprKind::Rmw(kind, place, operands) => {
                let (address, op) = self.rmw(*kind, place, operands);
                Instr::Rmw(None, address, op)
            }
            _ => {
                self.expr(e);
                return;
            }
        };
        self.emit(instr, e.span);
    }

    fn rmw(&mut self, kind: RmwKind, place: &Place, operands: &[Expr]) -> (Address, RmwOp) {
        let mut address = self.address(place);
        if operands.iter().any(Expr::calls) {
            address.index = self.kept(address.index, Scalar::Integer, place.span);
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
    fn operands(&mut self, exprs: &[Expr]) -> Vec<cfg::Expr> {
        let mut lowered = Vec::new();
        for (i, e) in exprs.iter().enumerate() {
            let mut value = self.expr(e);
            if exprs[i + 1..].iter().any(Expr::calls) {
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
            ExprKind::Read(place) if !matches!(place.variable, VarRef::Shared(_)) => {
                let (base, len) = self.slots(place);
                if place.indices.is_empty() {
                    return cfg::Expr::Reg(base);
                }
                cfg::Expr::At { base, len, index: Box::new(self.index(place)) }
            }
            ExprKind::Unary(op, arg) => {
                let operand = arg.ty;
                cfg::Expr::Unary(*op, arith(operand), Box::new(self.expr(arg)))
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, _, right) if !right.is_pure() => self.by_cases(e),
            ExprKind::Binary(op, left, right) => {
                let operand = left.ty;
                let mut l = self.expr(left);
                if right.calls() {
                    l = self.kept(l, left.ty, left.span);
                }
                let r = self.expr(right);
                binary(*op, operand, l, r)
            }
            ExprKind::Select(cond, then, otherwise) if then.is_pure() && otherwise.is_pure() => {
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
                let cell = self.type_of(place).scalar;
                let (address, op) = self.rmw(RmwKind::CompareAndSwap, place, operands);
                let RmwOp::CompareExchange { expected, .. } = &op else {
                    panic!("a compare-and-swap compares")
                };
                let expected = expected.clone();
                let old = self.temporary(cell);
                self.emit(Instr::Rmw(Some(Dest::Reg(old)), address, op), e.span);
                binary(BinaryOp::Eq, cell, cfg::Expr::Reg(old), expected)
            }
            ExprKind::Read(_)
            | ExprKind::Any(_)
            | ExprKind::Rmw(..)
            | ExprKind::Call(..)
            | ExprKind::Spawn(..) => {
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
            ExprKind::Binary(BinaryOp::And, left, right) if !right.is_pure() => {
                let middle = self.node();
                self.condition(left, middle, no);
                self.current = middle;
                self.condition(right, yes, no);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) if !right.is_pure() => {
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
pub(crate) fn final_condition(program: &Program, e: &Expr, observed: &mut Vec<Observable>) -> cfg::Expr {
    let mut sub = |e: &Expr| Box::new(final_condition(program, e, observed));
    match &e.kind {
        ExprKind::Const(value) => cfg::Expr::Const(*value),
        ExprKind::Read(place) => {
            let observable = observable(program, place);
            let position = observed.iter().position(|o| *o == observable).unwrap_or_else(|| {
                observed.push(observable);
                observed.len() - 1
            });
            cfg::Expr::Reg(Reg::Local(position as u32))
        }
        ExprKind::Unary(op, arg) => cfg::Expr::Unary(*op, arith(arg.ty), sub(arg)),
        ExprKind::Binary(op, left, right) => cfg::Expr::Binary(*op, arith(left.ty), sub(left), sub(right)),
        ExprKind::Select(cond, then, otherwise) => cfg::Expr::Select(sub(cond), sub(then), sub(otherwise)),
        ExprKind::Convert(conversion, arg) => convert(*conversion, arg.ty, e.ty, *sub(arg)),
        ExprKind::Any(_) | ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => {
            panic!("the validator keeps effects out of final conditions")
        }
    }
}

fn observable(program: &Program, place: &Place) -> Observable {
    match place.variable {
        VarRef::Shared(id) if program.shared[id.0].ty.dims == [UNBOUNDED] => {
            let ExprKind::Const(address) = place.indices[0].kind else {
                panic!("indices in final conditions are constant")
            };
            Observable::Cell(Loc::element(object(id), address).expect("the front end checks the address"))
        }
        VarRef::Shared(id) => {
            let before: u64 = program.shared[..id.0].iter().map(|v| v.ty.cells()).sum();
            let mut cell = 0u64;
            for (dim, index) in program.shared[id.0].ty.dims.iter().zip(&place.indices) {
                let ExprKind::Const(i) = index.kind else {
                    panic!("indices in final conditions are constant")
                };
                cell = cell * u64::from(*dim) + i as u64;
            }
            Observable::Cell(Loc::cell((before + cell) as u32))
        }
        VarRef::Observed(thread, local) => {
            let locals = &program.procedure(program.threads[thread.0].procedure).locals[..local.0];
            let slot: u64 = locals.iter().map(|l| l.ty.cells()).sum();
            Observable::Register(StartId(thread.0 as u32), Reg::Local(slot as u32))
        }
        VarRef::ThreadLocal(_) | VarRef::Local(_) => panic!("a final condition is outside all threads"),
    }
}

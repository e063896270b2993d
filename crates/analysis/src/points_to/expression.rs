//! What each expression may point to: constants and addresses, what is loaded, and what is computed from them.

use super::constraints::{Constraints, Use, Where};
use super::geometry::{Bits, Byte, Step};
use super::opaque::{KeptBits, without_conversions};
use super::solve::{Edge, NodeId, ObjectNumber};
use fencepost_ir::Scalar;
use fencepost_ir::tree::*;

impl<'p> Constraints<'p> {
    /// A node of one target.
    fn one(&mut self, target: (ObjectNumber, Byte)) -> Option<NodeId> {
        let node = self.solver.node();
        self.solver.put(node, target);
        Some(node)
    }

    fn stepped(&mut self, from: Option<NodeId>, step: Step) -> Option<NodeId> {
        let from = from?;
        let to = self.solver.node();
        self.solver.edge(from, Edge::Step(to, step));
        Some(to)
    }

    /// What is computed from pointers in a way that is not followed.
    fn lost(&mut self, from: Option<NodeId>) -> Option<NodeId> {
        let from = from?;
        let to = self.solver.node();
        self.solver.edge(from, Edge::Lose(to, (self.unknown, Byte::At(0))));
        Some(to)
    }

    fn either(&mut self, nodes: [Option<NodeId>; 2]) -> Option<NodeId> {
        match nodes {
            [Some(one), Some(other)] => {
                let to = self.solver.node();
                self.copy(Some(one), to);
                self.copy(Some(other), to);
                Some(to)
            }
            [one, other] => one.or(other),
        }
    }

    /// What a value may point to; `None` for nothing.
    pub(super) fn value(&mut self, e: &'p Expr) -> Option<NodeId> {
        let value = self.value_of(e);
        if self.is_narrow(e) {
            self.tells(value);
        }
        value
    }

    fn value_of(&mut self, e: &'p Expr) -> Option<NodeId> {
        if let ExprKind::Const(_) | ExprKind::Any(_) = e.kind
            && let Some(object) = self.stands_for(e)
        {
            return self.one((object, Byte::At(0)));
        }
        match &e.kind {
            ExprKind::Const(word) if matches!(e.ty, Scalar::Pointer { .. }) => {
                let target = self.constant(*word)?;
                self.one(target)
            }
            ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Own => None,
            ExprKind::Read(place) => {
                let at = self.place(place, Use::Access);
                self.load(at, e.ty.size())
            }
            ExprKind::AddressOf(place) => match self.place(place, Use::Address) {
                Where::Fixed(places) => {
                    let node = self.solver.node();
                    places.into_iter().for_each(|target| self.solver.put(node, target));
                    Some(node)
                }
                Where::Pointed(pointer, path) => {
                    let to = self.solver.node();
                    self.solver.edge(pointer, Edge::Along(to, path));
                    Some(to)
                }
                Where::Nowhere => None,
            },
            ExprKind::Unary(op, inner) => {
                let inner = self.value(inner);
                self.uses(inner, e.span);
                match op {
                    UnaryOp::Not => None,
                    UnaryOp::Neg | UnaryOp::BitNot => {
                        self.tells(inner);
                        self.stepped(inner, Step::Anyhow)
                    }
                }
            }
            ExprKind::Convert(_, inner) => self.converted(e, inner),
            ExprKind::Binary(op, l, r) => self.computed(*op, l, r, e),
            ExprKind::Select(condition, then, otherwise) => {
                let test = self.value(condition);
                self.uses(test, condition.span);
                let both = [self.value(then), self.value(otherwise)];
                self.either(both)
            }
            ExprKind::Rmw(kind, place, operands) => self.rmw(*kind, place, operands),
            ExprKind::Call(procedure, args) if self.has_contexts(*procedure) => {
                let args = args.iter().map(|arg| self.value(arg)).collect();
                Some(self.in_context(*procedure, args))
            }
            ExprKind::Call(procedure, args) | ExprKind::Spawn(procedure, args, _) => {
                for (i, arg) in args.iter().enumerate() {
                    let value = self.value(arg);
                    if let ExprKind::Spawn(..) = e.kind {
                        self.notes.handed.extend(value);
                    }
                    let parameter = self.variable(*procedure, LocalId(i));
                    self.copy(value, parameter);
                }
                matches!(e.kind, ExprKind::Call(..)).then(|| self.results[procedure.0])
            }
            ExprKind::Allocate(_, bytes, ..) => {
                let bytes = self.value(bytes);
                self.tells(bytes);
                self.one((self.allocated(e), Byte::At(0)))
            }
            ExprKind::Reallocate(_, old, bytes) => {
                let bytes = self.value(bytes);
                self.tells(bytes);
                let site = self.allocated(e);
                let made = self.one((site, Byte::At(0)));
                let old = self.value(old);
                self.notes.resized.extend(made.into_iter().chain(old));
                if let Some(old) = old {
                    self.solver.edge(old, Edge::Contents(site));
                }
                made
            }
        }
    }

    /// Whether a value is too small for a pointer; it may be part of one.
    fn is_narrow(&self, e: &Expr) -> bool {
        e.ty.size() * 8 < self.program.pointer_bits.into()
    }

    fn converted(&mut self, e: &'p Expr, inner: &'p Expr) -> Option<NodeId> {
        let value = self.value(inner);
        // The low half of a word is the byte alone.
        if matches!(inner.ty, Scalar::Pointer { .. }) && matches!(e.ty, Scalar::Int(int) if int.bits > 32) {
            self.notes.numbers.extend(value);
        }
        match e.ty {
            Scalar::Bool => None,
            // The low half of a pointer does not lead to its object, and the high half is got by a shift.
            _ if self.is_narrow(e) && !self.is_narrow(inner) => {
                let is_part = matches!(without_conversions(inner).kind, ExprKind::Binary(BinaryOp::Shr, ..));
                if is_part { self.stepped(value, Step::Anyhow) } else { None }
            }
            _ => value,
        }
    }

    fn rmw(&mut self, kind: RmwKind, place: &'p Place, operands: &'p [Expr]) -> Option<NodeId> {
        let values: Vec<_> = operands.iter().map(|operand| self.value(operand)).collect();
        let at = self.place(place, Use::Access);
        let size = self.size(place);
        let old = match &at {
            Where::Fixed(places) => self.load(Where::Fixed(places.clone()), size),
            Where::Pointed(pointer, path) => self.load(Where::Pointed(*pointer, *path), size),
            Where::Nowhere => None,
        };
        let [.., new] = values[..] else { return old };
        let new = match kind {
            RmwKind::Exchange | RmwKind::CompareExchange | RmwKind::CompareAndSwap => new,
            RmwKind::Add | RmwKind::Sub | RmwKind::And | RmwKind::Or | RmwKind::Xor => {
                let operand = operands.last();
                let step = operand.map_or(Step::Anyhow, |operand| match kind {
                    RmwKind::Add => distance(operand, 1),
                    RmwKind::Sub => distance(operand, -1),
                    RmwKind::And => bits(Bits::And, operand),
                    RmwKind::Or => bits(Bits::Or, operand),
                    _ => bits(Bits::Xor, operand),
                });
                self.tells_of_update(kind, old, new, operand);
                let moved = self.stepped(old, step);
                let operand = self.stepped(new, Step::Anyhow);
                self.either([moved, operand])
            }
        };
        self.store(new, at, size);
        if kind == RmwKind::CompareAndSwap { None } else { old }
    }

    fn tells_of_update(
        &mut self,
        kind: RmwKind,
        old: Option<NodeId>,
        new: Option<NodeId>,
        operand: Option<&'p Expr>,
    ) {
        self.tells_of_both([old, new]);
        match (kind, operand) {
            (RmwKind::Sub, _) => self.tells(new),
            (RmwKind::And, Some(operand)) => {
                self.tells_by_bits(KeptBits::WhereOne, old, operand);
                self.tells(new);
            }
            (RmwKind::Or | RmwKind::Xor, Some(operand)) => {
                self.tells_by_bits(KeptBits::WhereZero, old, operand);
                self.tells(new);
            }
            _ => {}
        }
    }

    /// What an operator shows of addresses among its operands.
    fn tells_by(
        &mut self,
        op: BinaryOp,
        (l, left): (&Expr, Option<NodeId>),
        (r, right): (&Expr, Option<NodeId>),
    ) {
        match op {
            BinaryOp::Add => self.tells_of_both([left, right]),
            BinaryOp::Sub => self.tells(right),
            BinaryOp::BitAnd => {
                self.tells_by_bits(KeptBits::WhereOne, left, r);
                self.tells_by_bits(KeptBits::WhereOne, right, l);
            }
            BinaryOp::BitOr | BinaryOp::BitXor => {
                self.tells_by_bits(KeptBits::WhereZero, left, r);
                self.tells_by_bits(KeptBits::WhereZero, right, l);
            }
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                self.tells(left);
                self.tells(right);
            }
            // Which of two pointers is smaller is asked elsewhere, see `Program::orders_pointers`.
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let is_pointer = |e: &Expr| matches!(e.ty, Scalar::Pointer { .. });
                if !is_pointer(l) || !is_pointer(r) {
                    self.tells(left);
                    self.tells(right);
                }
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or => {}
        }
    }

    fn computed(&mut self, op: BinaryOp, l: &'p Expr, r: &'p Expr, e: &'p Expr) -> Option<NodeId> {
        let (left, right) = (self.value(l), self.value(r));
        self.uses(left, e.span);
        self.uses(right, e.span);
        let is_pointer = |e: &Expr| matches!(e.ty, Scalar::Pointer { .. });
        let is_number = |e: &Expr| matches!(&e.kind, ExprKind::Convert(_, inner) if !is_pointer(inner));
        // How far one pointer is from another is a number.
        if op == BinaryOp::Sub && is_pointer(l) && is_pointer(r) && !is_number(r) {
            return None;
        }
        self.tells_by(op, (l, left), (r, right));
        let (left, right) = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
                if self.is_narrow(e) =>
            {
                (self.stepped(left, Step::Anyhow), self.stepped(right, Step::Anyhow))
            }
            BinaryOp::Add => (self.stepped(left, distance(r, 1)), self.stepped(right, distance(l, 1))),
            BinaryOp::Sub => (self.stepped(left, distance(r, -1)), self.stepped(right, Step::Anyhow)),
            // The low bits of an address are not an address; but those of a narrow form are.
            BinaryOp::BitAnd if self.program.pointer_bits == 64 && (is_low(l) || is_low(r)) => return None,
            BinaryOp::BitAnd => {
                (self.stepped(left, bits(Bits::And, r)), self.stepped(right, bits(Bits::And, l)))
            }
            BinaryOp::BitOr => {
                (self.stepped(left, bits(Bits::Or, r)), self.stepped(right, bits(Bits::Or, l)))
            }
            BinaryOp::BitXor => {
                (self.stepped(left, bits(Bits::Xor, r)), self.stepped(right, bits(Bits::Xor, l)))
            }
            BinaryOp::Shl | BinaryOp::Shr => (self.stepped(left, Step::Anyhow), None),
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => (self.lost(left), self.lost(right)),
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or => return None,
        };
        self.either([left, right])
    }
}

/// How far a number moves a pointer that it is added to.
fn distance(by: &Expr, sign: i64) -> Step {
    match &without_conversions(by).kind {
        ExprKind::Const(bytes) => Step::By(bytes.wrapping_mul(sign)),
        ExprKind::Binary(BinaryOp::Mul, l, r) => {
            match (&without_conversions(l).kind, &without_conversions(r).kind) {
                (_, ExprKind::Const(size)) | (ExprKind::Const(size), _) => Step::Stride(size.unsigned_abs()),
                _ => Step::Stride(1),
            }
        }
        _ => Step::Stride(1),
    }
}

/// Whether it has only bits that say nothing of a pointer's object.
fn is_low(e: &Expr) -> bool {
    matches!(without_conversions(e).kind, ExprKind::Const(bits) if u32::try_from(bits).is_ok())
}

fn bits(op: Bits, with: &Expr) -> Step {
    match without_conversions(with).kind {
        ExprKind::Const(bits) => Step::Bits(op, bits),
        _ => Step::Anyhow,
    }
}

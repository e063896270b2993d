//! Expressions for their value.
//!
//! Expressions of the program have no effects but those of memory, calls and spawns, so assignments inside of expressions
//! become statements before the one they are in, operands from left to right; C leaves the order open.

use super::body::Slot;
use super::build::{number, read, truth_value};
use super::place::Target;
use super::{Lowerer, Result, Value, Wanted, floating};
use crate::hir::{self, ExprKind as Hir, TypeId};
use fencepost_ir::pointer;
use fencepost_ir::tree::{Block, Expr, ExprKind, Place, UnaryOp};
use fencepost_ir::{Scalar, Span};

impl<'h> Lowerer<'h> {
    /// An expression that is one scalar.
    pub fn scalar(&mut self, e: &'h hir::Expr) -> Result<Expr> {
        match self.value(e)? {
            Value::Scalar(value) => Ok(value),
            Value::Record(_) | Value::Void => Err(self.no_values(e.ty, self.at(e.span))),
        }
    }

    /// An expression that is a record.
    pub fn record_value(&mut self, e: &'h hir::Expr) -> Result<Place> {
        match self.value(e)? {
            Value::Record(place) => Ok(place),
            Value::Scalar(_) | Value::Void => Err(self.no_values(e.ty, self.at(e.span))),
        }
    }

    pub fn value(&mut self, e: &'h hir::Expr) -> Result<Value> {
        let span = self.at(e.span);
        let scalar = match &e.kind {
            Hir::Const(value) | Hir::SizeOf(_, value) => return self.constant(*value, e.ty, span),
            Hir::Number(_) => self.some_number(e.ty, span)?,
            Hir::Read(place) => return self.read(place, span),
            Hir::AddressOf(place) => self.address_of(place, span)?,
            Hir::Function(id) => self.function_address(*id, span)?,
            Hir::LabelAddress(label) => self.label_address(*label, span),
            Hir::Unary(op, arg) => return self.unary(*op, arg, span),
            Hir::Not(_) | Hir::Compare(..) | Hir::Logical(..) => {
                let truth = self.condition(e)?;
                self.int_of(truth)
            }
            Hir::Binary(op, l, r) => return self.binary_value(*op, l, r, e.ty, span),
            Hir::Offset(pointer, direction, count) => self.offset(pointer, *direction, count, span)?,
            Hir::Distance(l, r) => self.distance(l, r, span)?,
            Hir::Conditional(test, then, otherwise) => {
                return self.conditional(test, then, otherwise, e.ty, span);
            }
            Hir::Elvis(first, otherwise) => return self.elvis(first, otherwise, span),
            Hir::Convert(_, arg) => return self.convert(arg, e.ty, span),
            Hir::Assign(place, value) => return self.assign(place, value, Wanted::New, span),
            Hir::Update(update) => {
                let wanted = match update.gives {
                    hir::Gives::Old => Wanted::Old,
                    hir::Gives::New => Wanted::New,
                };
                return self.update(update, wanted, span);
            }
            Hir::Comma(first, second) => {
                self.effect(first)?;
                return self.value(second);
            }
            Hir::Call(callee, args) => return self.call(callee, args, e.ty, Wanted::New, span),
            Hir::Builtin(builtin, args) => return self.builtin(*builtin, args, span),
            Hir::Atomic(atomic) => return self.atomic(atomic, e.ty, Wanted::New, span),
            Hir::Statements(block, value) => return self.statement_expression(block, value.as_deref()),
            Hir::VaArg(list) => return self.next_argument(list, e.ty, span),
            Hir::Error => panic!("a program with errors is not lowered"),
        };
        Ok(Value::Scalar(scalar))
    }

    fn constant(&mut self, value: i128, ty: TypeId, span: Span) -> Result<Value> {
        if let Some(signed) = self.is_wide(ty) {
            return Ok(Value::Record(self.wide_constant(value, signed, span)));
        }
        let scalar = self.scalar_type(ty).ok_or_else(|| self.no_values(ty, span))?;
        let word = match scalar {
            Scalar::Int(int) => int.wrap(value),
            // Threads are counted from 1, and 0 is none.
            Scalar::Thread if value == 0 => scalar.default_value(),
            Scalar::Thread => value as i64 - 1,
            Scalar::Pointer { bits: 32 } => pointer::widen(value as u32),
            _ => value as i64,
        };
        Ok(Value::Scalar(Expr::constant(word, scalar, span)))
    }

    /// The value of a place.
    fn read(&mut self, place: &'h hir::Place, span: Span) -> Result<Value> {
        if let (hir::Base::Local(id), []) = (&place.base, &place.path[..])
            && let Some(Slot::Alias(value)) = self.slot(*id)
        {
            return Ok(Value::Scalar(Expr { span, ..value.clone() }));
        }
        let target = self.place(place)?;
        self.load(target, span)
    }

    /// The value of a place that has been found.
    pub fn load(&mut self, target: Target, span: Span) -> Result<Value> {
        let Target { mut place, ty, bits } = target;
        place.span = span;
        if let Some(bits) = bits {
            return self.load_bits(place, bits, ty, span).map(Value::Scalar);
        }
        if self.is_compound(ty) {
            return match place.access.is_atomic() && self.hir.types.qualifiers(ty).is_atomic {
                true => self.atomic_copy(place, ty, span).map(Value::Record),
                false => Ok(Value::Record(place)),
            };
        }
        self.notes.keeps_numbers |= self.hir.types.is_floating(ty);
        match self.scalar_type(ty) {
            Some(scalar) => Ok(Value::Scalar(read(place, scalar, span))),
            None => Err(self.no_values(ty, span)),
        }
    }

    /// The value of a place that is one scalar.
    pub fn load_scalar(&mut self, target: Target, span: Span) -> Result<Expr> {
        let ty = target.ty;
        match self.load(target, span)? {
            Value::Scalar(value) => Ok(value),
            Value::Record(_) | Value::Void => Err(self.no_values(ty, span)),
        }
    }

    fn unary(&mut self, op: hir::UnaryOp, arg: &'h hir::Expr, span: Span) -> Result<Value> {
        if let Some(signed) = self.is_wide(arg.ty) {
            return self.wide_unary(op, arg, signed, span).map(Value::Record);
        }
        let op = match op {
            hir::UnaryOp::Minus => UnaryOp::Neg,
            hir::UnaryOp::BitNot => UnaryOp::BitNot,
        };
        let value = self.scalar(arg)?;
        match self.hir.types.is_floating(arg.ty) {
            true => Ok(Value::Scalar(value)),
            false => Ok(Value::Scalar(self.negated(op, value, span))),
        }
    }

    /// An expression, as a truth value of the program.
    pub fn condition(&mut self, e: &'h hir::Expr) -> Result<Expr> {
        let span = self.at(e.span);
        match &e.kind {
            Hir::Not(arg) => {
                let truth = self.condition(arg)?;
                let kind = ExprKind::Unary(UnaryOp::Not, Box::new(truth));
                Ok(self.folded(Expr { kind, ty: Scalar::Bool, span }))
            }
            Hir::Compare(op, l, r) => self.compare(*op, l, r, span),
            Hir::Logical(op, l, r) => self.logical(*op, l, r, span),
            Hir::Const(value) => Ok(truth_value(*value != 0, span)),
            _ if self.hir.types.is_floating(e.ty) => {
                // What is wrong with its operands comes first.
                self.value(e)?;
                Err(floating::unknown_value(span))
            }
            _ if self.is_wide(e.ty).is_some() => {
                let words = self.wide(e)?;
                Ok(self.any_bits(words, span))
            }
            _ => {
                let value = self.scalar(e)?;
                Ok(self.truth(value, span))
            }
        }
    }

    /// Whether a value is not zero, as a truth value of the program.
    pub fn truth(&self, value: Expr, span: Span) -> Expr {
        use fencepost_ir::tree::{BinaryOp, Choices, Conversion};
        if value.ty == Scalar::Bool {
            return value;
        }
        // `int` that was made from a truth value.
        if let ExprKind::Convert(Conversion::Wrapping, inner) = &value.kind
            && inner.ty == Scalar::Bool
        {
            return (**inner).clone();
        }
        // Of any value, all that is known is that it is zero or not.
        if let ExprKind::Any(choices) = &value.kind
            && choices.0.iter().any(|(lo, hi)| *lo <= 0 && 0 <= *hi)
            && choices.0.iter().any(|(lo, hi)| *lo != 0 || *hi != 0)
        {
            return Expr { kind: ExprKind::Any(Choices(vec![(0, 1)])), ty: Scalar::Bool, span };
        }
        let zero = Expr::constant(value.ty.default_value(), value.ty, span);
        self.folded(super::build::binary(BinaryOp::Ne, value, zero, span))
    }

    /// A truth value as C's `int`.
    pub fn int_of(&self, truth: Expr) -> Expr {
        let span = truth.span;
        self.wrapped(truth, self.int(), span)
    }

    /// An expression for what it does, not for its value.
    pub fn effect(&mut self, e: &'h hir::Expr) -> Result<()> {
        let span = self.at(e.span);
        let value = match &e.kind {
            Hir::Assign(place, value) => self.assign(place, value, Wanted::Nothing, span)?,
            Hir::Update(update) => self.update(update, Wanted::Nothing, span)?,
            Hir::Comma(first, second) => {
                self.effect(first)?;
                return self.effect(second);
            }
            Hir::Conditional(test, then, otherwise) => {
                let test = self.condition(test)?;
                let then = self.block_of(|this| this.effect(then))?;
                let otherwise = self.block_of(|this| this.effect(otherwise))?;
                self.emit(fencepost_ir::tree::StmtKind::If(test, then, otherwise), span);
                return Ok(());
            }
            Hir::Convert(_, arg) if self.hir.types.is_void(e.ty) => return self.effect(arg),
            Hir::Call(callee, args) => self.call(callee, args, e.ty, Wanted::Nothing, span)?,
            Hir::Atomic(atomic) => self.atomic(atomic, e.ty, Wanted::Nothing, span)?,
            _ => self.value(e)?,
        };
        if let Value::Scalar(value) = value {
            self.discard(value);
        }
        Ok(())
    }

    /// Arguments for what they do; addresses do nothing.
    pub fn evaluate(&mut self, args: &'h [hir::Expr]) -> Result<()> {
        args.iter().filter(|arg| !is_address(arg)).try_for_each(|arg| self.effect(arg))
    }

    /// `({ ...; value; })`
    fn statement_expression(&mut self, block: &'h hir::Block, last: Option<&'h hir::Expr>) -> Result<Value> {
        let first = self.body.blocks.count();
        let value = self.scoped(|this| {
            this.statements(block)?;
            let Some(last) = last else { return Ok(Value::Void) };
            Ok(match this.value(last)? {
                // Its variables may be assigned again before the value is used.
                Value::Scalar(value) => Value::Scalar(this.keep(value)),
                other => other,
            })
        })?;
        self.outlives_block(&value, first);
        Ok(value)
    }

    /// Zero of a type, as the result of a function.
    pub fn zero(&self, ty: TypeId, span: Span) -> Value {
        match self.scalar_type(ty) {
            Some(scalar) => Value::Scalar(number(scalar.default_value(), scalar, span)),
            None => Value::Void,
        }
    }

    /// The statements of a block that has been captured, now.
    pub fn append(&mut self, block: Block) {
        self.body.out.extend(block.0);
    }
}

/// Whether an expression is the address of a variable or of a known part of it.
fn is_address(e: &hir::Expr) -> bool {
    let is_known = |step: &hir::Projection| match step {
        hir::Projection::Member(_) => true,
        hir::Projection::Index(index) => matches!(index.kind, Hir::Const(_) | Hir::SizeOf(..)),
    };
    match &e.kind {
        Hir::Convert(_, inner) => is_address(inner),
        Hir::AddressOf(place) => {
            matches!(place.base, hir::Base::Global(_) | hir::Base::Local(_))
                && place.path.iter().all(is_known)
        }
        _ => false,
    }
}

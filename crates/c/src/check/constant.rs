//! Constants: every operator on constants is folded as it is made, so a constant expression is one that has become a
//! number.

use super::{Checker, Result};
use crate::ast;
use crate::hir::{Base, Expr, ExprKind, Lives, Place, Projection, TypeId, UnaryOp};
use fencepost_ir::Span;
use fencepost_ir::tree::BinaryOp;
use fencepost_text::Diagnostic;

/// The number that an expression is.
pub fn constant_of(e: &Expr) -> Option<i128> {
    match e.kind {
        ExprKind::Const(value) | ExprKind::SizeOf(_, value) => Some(value),
        _ => None,
    }
}

/// A number that was made of others: of a size, if one of them was.
fn made_of(operands: &[&Expr], value: i128) -> ExprKind {
    let size = operands.iter().find_map(|e| match e.kind {
        ExprKind::SizeOf(ty, _) => Some(ty),
        _ => None,
    });
    size.map_or(ExprKind::Const(value), |ty| ExprKind::SizeOf(ty, value))
}

/// A number that was converted.
pub fn converted_constant(from: &Expr, value: i128) -> ExprKind {
    made_of(&[from], value)
}

/// How an integer is held.
#[derive(Clone, Copy)]
struct Width {
    bits: u32,
    signed: bool,
}

impl Width {
    /// The value of the type that has the same low bits.
    fn wrap(self, value: i128) -> i128 {
        let spare = 128 - self.bits;
        match self.signed {
            true => value << spare >> spare,
            false => (((value << spare) as u128) >> spare) as i128,
        }
    }

    /// An operation without a defined result has none. Gives whether the result is exact, too.
    fn operate(self, op: BinaryOp, l: i128, r: i128) -> Option<(i128, bool)> {
        let exact = |value: Option<i128>, wrapped: i128| {
            let wrapped = self.wrap(wrapped);
            Some((wrapped, !self.signed || value == Some(wrapped)))
        };
        match op {
            BinaryOp::Add => exact(l.checked_add(r), l.wrapping_add(r)),
            BinaryOp::Sub => exact(l.checked_sub(r), l.wrapping_sub(r)),
            BinaryOp::Mul => exact(l.checked_mul(r), l.wrapping_mul(r)),
            BinaryOp::Div | BinaryOp::Rem if r == 0 => None,
            BinaryOp::Div if self.signed => {
                exact(l.checked_div(r), l.wrapping_div(r)).filter(|(_, exact)| *exact)
            }
            BinaryOp::Rem if self.signed => exact(l.checked_rem(r), l.wrapping_rem(r)),
            BinaryOp::Div => Some(((l as u128 / r as u128) as i128, true)),
            BinaryOp::Rem => Some(((l as u128 % r as u128) as i128, true)),
            BinaryOp::BitAnd => Some((l & r, true)),
            BinaryOp::BitOr => Some((l | r, true)),
            BinaryOp::BitXor => Some((l ^ r, true)),
            BinaryOp::Shl | BinaryOp::Shr if r < 0 || r >= i128::from(self.bits) => None,
            BinaryOp::Shl => exact(Some(l << r), l << r),
            BinaryOp::Shr if self.signed => Some((l >> r, true)),
            BinaryOp::Shr => Some((((l as u128) >> r) as i128, true)),
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or => None,
        }
    }

    fn compare(self, op: BinaryOp, l: i128, r: i128) -> Option<bool> {
        let order = match self.signed {
            true => l.cmp(&r),
            false => (l as u128).cmp(&(r as u128)),
        };
        Some(match op {
            BinaryOp::Eq => order.is_eq(),
            BinaryOp::Ne => order.is_ne(),
            BinaryOp::Lt => order.is_lt(),
            BinaryOp::Le => order.is_le(),
            BinaryOp::Gt => order.is_gt(),
            BinaryOp::Ge => order.is_ge(),
            _ => return None,
        })
    }
}

impl<'a> Checker<'a> {
    fn width(&self, ty: TypeId) -> Width {
        match self.types.as_integer(ty) {
            Some(integer) => Width { bits: self.types.bits(integer), signed: integer.signed },
            // Pointers, handles and truth values.
            None => Width { bits: self.types.size(ty).unwrap_or(8) as u32 * 8, signed: false },
        }
    }

    /// A number of a type, cut to its range.
    pub fn constant(&self, value: i128, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(self.width(ty).wrap(value)), ty, span }
    }

    /// The number as one of another type.
    pub fn convert_constant(&self, value: i128, ty: TypeId) -> i128 {
        match self.types.kind(ty) {
            crate::hir::Type::Bool => i128::from(value != 0),
            _ => self.width(ty).wrap(value),
        }
    }

    /// Arithmetic on two operands of a type; the right one of a shift has its own.
    pub fn binary(&self, op: BinaryOp, l: Expr, r: Expr, ty: TypeId, span: Span) -> Expr {
        if let (Some(a), Some(b), true) = (constant_of(&l), constant_of(&r), self.types.is_integer(ty))
            && let Some((value, exact)) = self.width(ty).operate(op, a, b)
            // An overflow that the user looks for happens when the program runs.
            && (exact || !self.options.overflow)
        {
            return Expr { kind: made_of(&[&l, &r], value), ty, span };
        }
        Expr { kind: ExprKind::Binary(op, Box::new(l), Box::new(r)), ty, span }
    }

    /// A comparison of two operands of one type.
    pub fn comparison(&self, op: BinaryOp, l: Expr, r: Expr, span: Span) -> Expr {
        let ty = self.types.int();
        if let (Some(a), Some(b)) = (constant_of(&l), constant_of(&r))
            && let Some(truth) = self.width(l.ty).compare(op, a, b)
        {
            return Expr { kind: ExprKind::Const(i128::from(truth)), ty, span };
        }
        Expr { kind: ExprKind::Compare(op, Box::new(l), Box::new(r)), ty, span }
    }

    /// `-` and `~` on the operand's type.
    pub fn unary(&self, op: UnaryOp, arg: Expr, span: Span) -> Expr {
        let ty = arg.ty;
        if let Some(value) = constant_of(&arg) {
            let width = self.width(ty);
            let result = match op {
                UnaryOp::Minus => width.operate(BinaryOp::Sub, 0, value),
                UnaryOp::BitNot => Some((width.wrap(!value), true)),
            };
            if let Some((value, exact)) = result
                && (exact || !self.options.overflow)
            {
                return Expr { kind: ExprKind::Const(value), ty, span };
            }
        }
        Expr { kind: ExprKind::Unary(op, Box::new(arg)), ty, span }
    }

    /// The integer that a constant expression is worth.
    pub fn integer_constant(&mut self, e: &'a ast::Expr) -> Result<i128> {
        let value = self.unevaluated(|this| this.value(e))?;
        if !self.types.is_integer(value.ty) {
            return self.fail(e.span, "this is not a constant");
        }
        match constant_of(&value) {
            Some(number) => Ok(number),
            None => self.fail(e.span, "this is not a constant"),
        }
    }

    pub fn static_assert(&mut self, assertion: &'a ast::StaticAssert) -> Result<()> {
        if self.integer_constant(&assertion.condition)? != 0 {
            return Ok(());
        }
        let text = assertion.message.as_ref().map_or(String::new(), |m| format!(": {}", m.text()));
        self.fail(assertion.span, format!("this static assertion fails{text}"))
    }

    /// Refuses a value that is not known before the program runs.
    pub fn check_static(&mut self, e: &Expr) -> Result<()> {
        if self.is_static(e) {
            return Ok(());
        }
        let message = "the initialiser of a static variable is a constant";
        Err(self.report(Diagnostic::new(e.span, message)))
    }

    /// Whether a value is a number or an address that is known before the program runs.
    fn is_static(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(_)
            | ExprKind::SizeOf(..)
            | ExprKind::Number(_)
            | ExprKind::Function(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Error => true,
            ExprKind::AddressOf(place) => self.is_static_place(place),
            ExprKind::Convert(_, arg) | ExprKind::Unary(_, arg) | ExprKind::Not(arg) => self.is_static(arg),
            ExprKind::Offset(l, _, r)
            | ExprKind::Distance(l, r)
            | ExprKind::Binary(_, l, r)
            | ExprKind::Compare(_, l, r)
            | ExprKind::Logical(_, l, r) => self.is_static(l) && self.is_static(r),
            ExprKind::Conditional(c, t, o) => [c, t, o].into_iter().all(|e| self.is_static(e)),
            _ => false,
        }
    }

    fn is_static_place(&self, place: &Place) -> bool {
        let base = match &place.base {
            Base::Global(id) => self.output.globals[*id].lives != Lives::Thread,
            Base::Pointed(pointer) => self.is_static(pointer),
            Base::Local(_) | Base::Literal(..) | Base::Value(_) => false,
        };
        base && place.path.iter().all(|step| match step {
            Projection::Index(index) => constant_of(index).is_some(),
            Projection::Member(_) => true,
        })
    }
}

//! Conversions, and operators on values of C's types.

use super::*;
use crate::types::Integer;

/// How a binary operator is applied, for messages.
pub(super) fn wrong_operands(op: BinaryOp, span: Span, types: Types<'_>, l: &CType, r: &CType) -> Diagnostic {
    let message = format!("`{}` does not apply to `{}` and `{}`", op.symbol(), types.show(l), types.show(r));
    Diagnostic::new(span, message)
}

/// A distance in bytes that leads from every object to another: no object is that large.
const FAR: i64 = fencepost_ir::pointer::LARGEST as i64 + 2;

impl Lowerer<'_> {
    /// A constant of a type, to which it is wrapped.
    pub(super) fn int_constant(&self, value: i64, ty: &CType, span: Span) -> Typed {
        let scalar = self.types().scalar(ty).expect("constants are scalars");
        let value = match scalar {
            Scalar::Int(int) => int.wrap(value.into()),
            _ => value,
        };
        Typed { expr: Expr::constant(value, scalar, span), ty: ty.clone() }
    }

    /// Converts a value, as an assignment or a cast does.
    pub(super) fn convert(&mut self, value: Typed, to: &CType, span: Span) -> Result<Typed> {
        if let Some(bits) = to.bits() {
            let value = self.convert(value, &bits.declared, span)?;
            return Ok(Typed { expr: self.truncated(value.expr, bits, span), ..value });
        }
        let to = to.unqualified();
        let from = value.ty.unqualified().clone();
        if from == *to {
            return Ok(Typed { ty: to.clone(), ..value });
        }
        let Some(scalar) = self.types().scalar(to).filter(|_| to.is_scalar() || to.is_floating()) else {
            let (from, to) = (self.types().show(&from), self.types().show(to));
            return Err(match self.convertible_name(to.as_str()) {
                Some(diagnostic) => Diagnostic { span, ..diagnostic },
                None => Diagnostic::new(span, format!("`{from}` does not convert to `{to}`")),
            });
        };
        if to.is_floating() {
            return self.made_floating(value, to, span);
        }
        if from.is_floating() {
            return Err(floating::unknown_value(span));
        }
        let expr = match (&from, to) {
            (_, CType::Bool) => self.truth(value.clone(), span),
            (CType::Pointer(source), CType::Pointer(target)) => {
                self.keeps_floating(source, target, span)?;
                let mut expr = value.expr;
                self.retype_allocation(&mut expr, target, span)?;
                expr
            }
            (CType::Bool | CType::Integer(_), CType::Thread) => match self.fold(&value.expr) {
                Some(0) => Expr::constant(scalar.default_value(), scalar, span),
                _ => {
                    let word = self.convert(value, &CType::LONG, span)?;
                    self.numbered_thread(word, span)?
                }
            },
            // A handle that was carried as a pointer.
            (CType::Pointer(_), CType::Thread) => {
                let word = self.types().scalar(&CType::UNSIGNED_LONG).expect("integers are scalars");
                let word = self.address_as_integer(value.expr, word, span);
                let word =
                    self.convert(Typed { expr: word, ty: CType::UNSIGNED_LONG }, &CType::LONG, span)?;
                self.numbered_thread(word, span)?
            }
            (CType::Pointer(_), CType::Integer(_)) => self.address_as_integer(value.expr, scalar, span),
            (CType::Thread, CType::Pointer(_)) => {
                let number = self.thread_number(value.expr, span)?;
                self.integer_as_address(number, scalar, span)
            }
            (CType::Thread, CType::Integer(_)) => {
                let number = self.thread_number(value.expr, span)?;
                wrapping(number, scalar, span)
            }
            (CType::Bool | CType::Integer(_), CType::Pointer(_)) => {
                self.integer_as_address(value.expr, scalar, span)
            }
            (CType::Bool | CType::Integer(_), CType::Integer(_)) => wrapping(value.expr, scalar, span),
            (CType::Thread, CType::Thread) => value.expr,
            _ => {
                let (from, to) = (self.types().show(&from), self.types().show(to));
                return Err(Diagnostic::new(span, format!("`{from}` does not convert to `{to}`")));
            }
        };
        Ok(Typed { expr: self.folded(expr), ty: to.clone() })
    }

    /// A thread as an integer: they are counted from 1, and 0 is none.
    fn thread_number(&mut self, thread: Expr, span: Span) -> Result<Expr> {
        let long = self.types().scalar(&CType::LONG).expect("integers are scalars");
        let index = Typed { expr: wrapping(thread, long, span), ty: CType::LONG };
        let one = self.int_constant(1, &CType::LONG, span);
        Ok(self.arithmetic(BinaryOp::Add, index, one, span)?.expr)
    }

    /// The thread of a number.
    fn numbered_thread(&mut self, number: Typed, span: Span) -> Result<Expr> {
        let one = self.int_constant(1, &CType::LONG, span);
        let index = self.arithmetic(BinaryOp::Sub, number, one, span)?;
        let kind = ExprKind::Convert(Conversion::Checked, Box::new(index.expr));
        Ok(Expr { kind, ty: Scalar::Thread, span })
    }

    fn convertible_name(&self, name: &str) -> Option<Diagnostic> {
        name.contains("floating").then(|| Diagnostic::new(Span::NONE, "floating point is not supported"))
    }

    /// Whether a value is not zero, as a truth value of the program.
    pub(super) fn truth(&self, value: Typed, span: Span) -> Expr {
        let Typed { expr, .. } = value;
        if expr.ty == Scalar::Bool {
            return expr;
        }
        // `int` that was made from a truth value.
        if let ExprKind::Convert(Conversion::Wrapping, inner) = &expr.kind
            && inner.ty == Scalar::Bool
        {
            return (**inner).clone();
        }
        // Of any value nobody can say more than that it is zero or not.
        if let ExprKind::Any(choices) = &expr.kind
            && choices.0.iter().any(|(lo, hi)| *lo <= 0 && 0 <= *hi)
            && choices.0.iter().any(|(lo, hi)| *lo != 0 || *hi != 0)
        {
            return Expr { kind: ExprKind::Any(Choices(vec![(0, 1)])), ty: Scalar::Bool, span };
        }
        let zero = Expr::constant(expr.ty.default_value(), expr.ty, span);
        let test = ExprKind::Binary(BinaryOp::Ne, Box::new(expr), Box::new(zero));
        self.folded(Expr { kind: test, ty: Scalar::Bool, span })
    }

    /// A truth value as C's `int`.
    pub(super) fn int_of(&self, truth: Expr) -> Typed {
        let span = truth.span;
        let scalar = self.types().scalar(&CType::INT).expect("int is a scalar");
        Typed { expr: self.folded(wrapping(truth, scalar, span)), ty: CType::INT }
    }

    /// Arithmetic on two values.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, l: Typed, r: Typed, span: Span) -> Result<Typed> {
        if l.ty.is_floating() || r.ty.is_floating() {
            return self.floating_arithmetic(op, l, r, span);
        }
        let pointers = (l.ty.is_pointer(), r.ty.is_pointer());
        match (op, pointers) {
            (BinaryOp::Add, (true, false)) => return self.offset(l, r, 1, span),
            (BinaryOp::Add, (false, true)) => return self.offset(r, l, 1, span),
            (BinaryOp::Sub, (true, false)) => return self.offset(l, r, -1, span),
            (BinaryOp::Sub, (true, true)) => return self.distance(l, r, span),
            _ => {}
        }
        if is_comparison(op) {
            return self.compare(op, l, r, span);
        }
        if !l.ty.is_integer() || !r.ty.is_integer() {
            return Err(wrong_operands(op, span, self.types(), &l.ty, &r.ty));
        }
        // The right side of a shift has no say in the type.
        let ty = match op {
            BinaryOp::Shl | BinaryOp::Shr => l.ty.promoted(),
            _ => self.types().common(&l.ty, &r.ty),
        };
        let l = self.convert(l, &ty, span)?;
        let r = self.convert(r, &ty, span)?;
        if let Some(few) = self.part_of_any(op, &l.expr, &r.expr) {
            let expr = Expr { kind: ExprKind::Any(few), ty: l.expr.ty, span };
            return Ok(Typed { expr, ty });
        }
        self.operate(op, l, r, span)
    }

    /// The values of `any % n` and `any & mask`, where they are few: as good as any number is any
    /// remainder of it.
    fn part_of_any(&self, op: BinaryOp, l: &Expr, r: &Expr) -> Option<Choices> {
        let n = self.fold(r)?;
        let any = match &l.kind {
            ExprKind::Convert(Conversion::Wrapping, inner) => inner,
            _ => l,
        };
        let ExprKind::Any(choices) = &any.kind else { return None };
        let [(lo, hi)] = choices.0[..] else { return None };
        let (Scalar::Int(from), Scalar::Int(to)) = (any.ty, l.ty) else { return None };
        // Where the conversion changes a value, other remainders come of it.
        let (least, most) = to.limits();
        let kept = i128::from(lo) >= least && i128::from(hi) <= most;
        if from.bits == 64 || n <= 0 {
            return None;
        }
        match op {
            BinaryOp::Rem if kept && lo == 0 && hi >= n - 1 => Some(Choices(vec![(0, n - 1)])),
            BinaryOp::Rem if kept && lo <= 1 - n && hi >= n - 1 => Some(Choices(vec![(1 - n, n - 1)])),
            BinaryOp::BitAnd if kept && (n & (n + 1)) == 0 && lo <= 0 && hi >= n => {
                Some(Choices(vec![(0, n)]))
            }
            _ => None,
        }
    }

    /// Arithmetic on two values of one type that may overflow, also where that is looked for.
    pub(super) fn wrapping_arithmetic(
        &mut self,
        op: BinaryOp,
        l: Typed,
        r: Typed,
        span: Span,
    ) -> Result<Typed> {
        let asked = std::mem::replace(&mut self.overflow, false);
        let result = self.operate(op, l, r, span);
        self.overflow = asked;
        result
    }

    fn operate(&mut self, op: BinaryOp, l: Typed, r: Typed, span: Span) -> Result<Typed> {
        let scalar = l.expr.ty;
        let may_overflow = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        if may_overflow && self.overflow && self.inlined == 0 && is_signed(scalar) {
            return Ok(self.checked(op, l, r, span));
        }
        let kind = ExprKind::Binary(op, Box::new(l.expr), Box::new(r.expr));
        Ok(Typed { expr: self.folded(Expr { kind, ty: scalar, span }), ty: l.ty })
    }

    /// Arithmetic whose result has to fit.
    fn checked(&mut self, op: BinaryOp, l: Typed, r: Typed, span: Span) -> Typed {
        let scalar = l.expr.ty;
        let exact = |e: Expr| {
            let kind = ExprKind::Convert(Conversion::Checked, Box::new(e));
            Box::new(Expr { kind, ty: Scalar::Integer, span })
        };
        let kind = ExprKind::Binary(op, exact(l.expr), exact(r.expr));
        let result = Expr { kind, ty: Scalar::Integer, span };
        let kind = ExprKind::Convert(Conversion::Checked, Box::new(result));
        Typed { expr: self.folded(Expr { kind, ty: scalar, span }), ty: l.ty }
    }

    fn compare(&mut self, op: BinaryOp, l: Typed, r: Typed, span: Span) -> Result<Typed> {
        let is_thread = |ty: &CType| matches!(ty.unqualified(), CType::Thread);
        let ty = if is_thread(&l.ty) || is_thread(&r.ty) {
            CType::Thread
        } else if l.ty.is_pointer() {
            l.ty.clone()
        } else if r.ty.is_pointer() {
            r.ty.clone()
        } else if l.ty.is_integer() && r.ty.is_integer() {
            self.types().common(&l.ty, &r.ty)
        } else {
            return Err(wrong_operands(op, span, self.types(), &l.ty, &r.ty));
        };
        // Comparing with zero does not look at a pointer's bits.
        let l = self.convert(l, &ty, span)?;
        let r = self.convert(r, &ty, span)?;
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) && ty.is_pointer() {
            return self.order_pointers(op, l, r, span);
        }
        let kind = ExprKind::Binary(op, Box::new(l.expr), Box::new(r.expr));
        let truth = self.folded(Expr { kind, ty: Scalar::Bool, span });
        Ok(self.int_of(truth))
    }

    /// `<` and its like on pointers. Which of two allocated objects comes first depends on who allocated first, so a program
    /// that asks looks at addresses as integers do. It does not where one side is null or a variable that is there from the
    /// beginning. Where one side is a local variable, the other has to lead into it, too.
    fn order_pointers(&mut self, op: BinaryOp, l: Typed, r: Typed, span: Span) -> Result<Typed> {
        let leads = [self.leads(&l.expr), self.leads(&r.expr)];
        let (l, r) = if leads.contains(&Leads::Local) && !leads.contains(&Leads::Static) {
            let distance = self.words_apart(l, r, span)?;
            let zero = Expr::constant(0, distance.ty, span);
            (self.within_object(distance, span), zero)
        } else {
            self.program.orders_pointers |= !leads.contains(&Leads::Static);
            (l.expr, r.expr)
        };
        let kind = ExprKind::Binary(op, Box::new(l), Box::new(r));
        let truth = self.folded(Expr { kind, ty: Scalar::Bool, span });
        Ok(self.int_of(truth))
    }

    /// Where a pointer leads, as far as its text tells.
    fn leads(&self, pointer: &Expr) -> Leads {
        match &pointer.kind {
            ExprKind::AddressOf(place) => match place.base {
                Base::Variable(VarRef::Shared(_)) => Leads::Static,
                Base::Variable(_) => Leads::Local,
                Base::Pointed(..) => Leads::Anywhere,
            },
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, pointer, _) => self.leads(pointer),
            _ if self.fold(pointer).is_some() => Leads::Static,
            _ => Leads::Anywhere,
        }
    }

    /// `pointer + sign * count`
    pub(super) fn offset(&mut self, pointer: Typed, count: Typed, sign: i64, span: Span) -> Result<Typed> {
        if !count.ty.is_integer() {
            return Err(wrong_operands(BinaryOp::Add, span, self.types(), &pointer.ty, &count.ty));
        }
        self.not_rows(&pointer.expr, span)?;
        let element = pointer.ty.element().expect("a pointer").clone();
        let size = self.types().size(&element).ok_or_else(|| self.no_values(&element, span))?;
        let long = CType::LONG;
        let count = self.convert(count, &long, span)?;
        let size = self.int_constant(size as i64 * sign, &long, span);
        let bytes = self.operate(BinaryOp::Mul, count, size, span)?;
        let bytes = Typed { expr: self.near(bytes.expr, span), ..bytes };
        let bytes = Typed { expr: wrapping(bytes.expr, pointer.expr.ty, span), ty: pointer.ty.clone() };
        let bytes = Typed { expr: self.folded(bytes.expr), ..bytes };
        self.operate(BinaryOp::Add, pointer, bytes, span)
    }

    /// A distance that leads from no object to another: more is an error of the program, since no object
    /// is that large.
    fn near(&self, bytes: Expr, span: Span) -> Expr {
        let most = FAR;
        let (lo, hi) = bytes.ty.limits();
        if lo >= i128::from(-most) && hi < i128::from(most) {
            return bytes;
        }
        if self.fold(&bytes).is_some_and(|n| (-most..most).contains(&n)) {
            return bytes;
        }
        let ty = bytes.ty;
        let range = Scalar::Range { lo: -most, hi: most - 1 };
        let kind = ExprKind::Convert(Conversion::Checked, Box::new(bytes));
        let checked = Expr { kind, ty: range, span };
        Expr { kind: ExprKind::Convert(Conversion::Checked, Box::new(checked)), ty, span }
    }

    /// The distance of two pointers into one object; of others it is an error of the program. What is said of the error
    /// tells nothing of the objects' numbers, which mean nothing. The library asks whether objects are the same.
    fn within_object(&mut self, distance: Expr, span: Span) -> Expr {
        if self.inlined > 0 || self.fold(&distance).is_some() {
            return distance;
        }
        let distance = self.keep(distance);
        let (ty, most) = (distance.ty, FAR);
        let binary = |op, l: Expr, r: Expr, ty| {
            let kind = ExprKind::Binary(op, Box::new(l), Box::new(r));
            Expr { kind, ty, span }
        };
        let number = |n| Expr::constant(n, ty, span);
        let low = binary(BinaryOp::Ge, distance.clone(), number(-most), Scalar::Bool);
        let high = binary(BinaryOp::Lt, distance.clone(), number(most), Scalar::Bool);
        let near = binary(BinaryOp::And, low, high, Scalar::Bool);
        let kind = ExprKind::Select(Box::new(near), Box::new(distance), Box::new(number(most)));
        self.near(Expr { kind, ty, span }, span)
    }

    /// The difference of two pointers as words.
    fn words_apart(&mut self, l: Typed, r: Typed, span: Span) -> Result<Expr> {
        let long = CType::integer(crate::types::Rank::LongLong, true);
        let scalar = self.types().scalar(&long).expect("integers are scalars");
        let (ty, kind) = (l.expr.ty, ExprKind::Binary(BinaryOp::Sub, Box::new(l.expr), Box::new(r.expr)));
        let apart = self.folded(Expr { kind, ty, span });
        Ok(wrapping(apart, scalar, span))
    }

    fn distance(&mut self, l: Typed, r: Typed, span: Span) -> Result<Typed> {
        self.not_rows(&l.expr, span)?;
        self.not_rows(&r.expr, span)?;
        let element = l.ty.element().expect("a pointer").clone();
        let size = self.types().size(&element).ok_or_else(|| self.no_values(&element, span))?.max(1);
        let long = self.types().scalar(&CType::LONG).expect("long is a scalar");
        // The difference of two pointers into one object says nothing of the object's number.
        let distance = self.words_apart(l, r, span)?;
        let distance = self.within_object(distance, span);
        let distance = Typed { expr: self.folded(wrapping(distance, long, span)), ty: CType::LONG };
        let size = self.int_constant(size as i64, &CType::LONG, span);
        self.operate(BinaryOp::Div, distance, size, span)
    }

    /// `-`, `~` and `+`.
    pub(super) fn negate(&mut self, op: Option<UnaryOp>, value: Typed, span: Span) -> Result<Typed> {
        if value.ty.is_floating() && op != Some(UnaryOp::BitNot) {
            return Ok(value);
        }
        if !value.ty.is_integer() {
            let message = format!("this needs an integer, not `{}`", self.types().show(&value.ty));
            return Err(Diagnostic::new(span, message));
        }
        let ty = value.ty.promoted();
        let value = self.convert(value, &ty, span)?;
        let Some(op) = op else { return Ok(value) };
        let scalar = value.expr.ty;
        if op == UnaryOp::Neg && self.overflow && self.inlined == 0 && is_signed(scalar) {
            let zero = self.int_constant(0, &ty, span);
            return Ok(self.checked(BinaryOp::Sub, zero, value, span));
        }
        let expr = Expr { kind: ExprKind::Unary(op, Box::new(value.expr)), ty: scalar, span };
        Ok(Typed { expr: self.folded(expr), ty })
    }

    /// The integer type of a literal.
    pub(super) fn literal_type(&self, literal: &ast::IntegerLiteral) -> CType {
        use crate::types::Rank;
        let first = match literal.length {
            ast::IntegerLength::Int => Rank::Int,
            ast::IntegerLength::Long => Rank::Long,
            ast::IntegerLength::LongLong => Rank::LongLong,
        };
        let ranks = [Rank::Int, Rank::Long, Rank::LongLong];
        for rank in ranks.into_iter().filter(|r| *r >= first) {
            for signed in [true, false] {
                let integer = Integer { rank, signed, plain: false };
                let allowed = if signed {
                    !literal.unsigned
                } else {
                    literal.unsigned || literal.radix != ast::Radix::Decimal
                };
                if allowed && i128::from(literal.value) <= self.types().int_type(integer).limits().1 {
                    return CType::Integer(integer);
                }
            }
        }
        CType::integer(Rank::LongLong, false)
    }
}

/// What a pointer certainly points to.
#[derive(Clone, Copy, PartialEq)]
enum Leads {
    /// Nothing, or a variable that is there from the beginning.
    Static,
    /// A local variable.
    Local,
    Anywhere,
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

fn is_signed(ty: Scalar) -> bool {
    matches!(ty, Scalar::Int(int) if int.signed)
}

/// The value wrapped to another scalar type.
pub(super) fn wrapping(e: Expr, ty: Scalar, span: Span) -> Expr {
    if e.ty == ty {
        return e;
    }
    Expr { kind: ExprKind::Convert(Conversion::Wrapping, Box::new(e)), ty, span }
}

//! Expressions as C text: what [`fencepost_ir::eval`] computes, without anything that C leaves undefined.
//!
//! A value of the program is an `i64`; its C expression has that number as its value, in a C type that may be narrower.
//! Arithmetic that wraps is done on unsigned types and converted back; arithmetic on integers
//! without bounds is plain where its operands are so small that nothing can happen, and else goes by a function that
//! looks. What can fail is checked by functions of `support.rs`, so that C's own order of evaluation (`&&`, `||`, `?:`)
//! decides what is looked at.

use fencepost_analysis::values::slot;
use fencepost_ir::cfg::{Arith, BinaryOp, Expr, Reg, RmwOp, UnaryOp};
use fencepost_ir::tree::integer_words;
use fencepost_ir::{IntType, Scalar};

/// The C type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CType {
    /// Whole numbers that `int` holds.
    Int,
    /// Those that `unsigned` holds.
    Unsigned,
    /// All others.
    Long,
}

impl CType {
    /// The type of an expression that holds values of a scalar type.
    fn of(ty: Scalar) -> CType {
        CType::of_range(range_of(ty))
    }

    fn of_range((lo, hi): (i128, i128)) -> CType {
        if lo >= i32::MIN.into() && hi <= i32::MAX.into() {
            CType::Int
        } else if lo >= 0 && hi <= u32::MAX.into() {
            CType::Unsigned
        } else {
            CType::Long
        }
    }
}

/// What C declares a variable of a scalar type as.
pub fn declared(ty: Scalar) -> &'static str {
    match ty {
        Scalar::Bool => "_Bool",
        Scalar::Int(IntType { bits: 1, signed: false }) => "unsigned char",
        Scalar::Int(int @ IntType { bits: 8 | 16, .. }) => integer_words(int).expect("C has them"),
        _ => match CType::of(ty) {
            CType::Int => "int",
            CType::Unsigned => "unsigned int",
            CType::Long => "long long",
        },
    }
}

/// The numbers that stand for values of a type: 64 unsigned bits are held as a signed number.
pub fn range_of(ty: Scalar) -> (i128, i128) {
    let (lo, hi) = ty.limits();
    if hi > i64::MAX.into() { (i64::MIN.into(), i64::MAX.into()) } else { (lo, hi) }
}

/// A C expression.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text; in parentheses unless it binds as tightly as a name.
    pub code: String,
    /// Its C type.
    ty: CType,
    /// What its value may be.
    range: (i128, i128),
    /// Whether it is a comparison or the like.
    is_truth: bool,
}

impl Text {
    /// A name or a call whose values belong to a type.
    pub fn named(code: String, ty: Scalar) -> Text {
        Text { code, ty: CType::of(ty), range: range_of(ty), is_truth: false }
    }

    /// A variable or call of the type `long long`.
    pub fn long(code: String) -> Text {
        Text { code, ty: CType::Long, range: (i64::MIN.into(), i64::MAX.into()), is_truth: false }
    }

    /// A number.
    pub fn constant(value: i64) -> Text {
        let code = match value {
            i64::MIN => "(-9223372036854775807LL - 1)".to_string(),
            v if v > i32::MAX.into() => format!("{v}LL"),
            v if v >= 0 => v.to_string(),
            v if v > i32::MIN.into() => format!("({v})"),
            v => format!("({v}LL)"),
        };
        let range = (value.into(), value.into());
        let ty = if value > i32::MIN.into() && value <= i32::MAX.into() { CType::Int } else { CType::Long };
        Text { code, ty, range, is_truth: false }
    }

    fn truth(code: String) -> Text {
        Text { code: format!("({code})"), ty: CType::Int, range: (0, 1), is_truth: true }
    }

    /// As a condition.
    pub fn condition(&self) -> String {
        if let Some(value) = self.as_constant() {
            return i32::from(value != 0).to_string();
        }
        if self.is_truth { self.code.clone() } else { format!("({} != 0)", self.code) }
    }

    /// The value, if it is a number.
    pub fn as_constant(&self) -> Option<i64> {
        (self.range.0 == self.range.1).then_some(self.range.0 as i64)
    }

    fn wide(&self) -> String {
        if self.ty == CType::Long { self.code.clone() } else { format!("(long long){}", self.code) }
    }
}

/// The functions that wrap to widths that C has no type for.
pub fn wrapped(value: &Text, int: IntType) -> Text {
    let range = range_of(Scalar::Int(int));
    if range.0 <= value.range.0 && value.range.1 <= range.1 {
        return value.clone();
    }
    // 64 unsigned bits are held as a signed number.
    let held = IntType { signed: int.signed || int.bits == 64, ..int };
    let code = match integer_words(held) {
        Some(words) => format!("({words}){}", value.code),
        None if int.signed => format!("sign_bits({}, {})", value.code, int.bits),
        None => format!("low_bits({}, {})", value.code, int.bits),
    };
    let ty = match CType::of_range(range) {
        // The functions give their results as `long long`.
        _ if !matches!(int.bits, 8 | 16 | 32 | 64) => CType::Long,
        ty => ty,
    };
    Text { code, ty, range, is_truth: false }
}

/// Writes expressions; `register` names registers.
pub struct Writer<'a> {
    /// A register's name and type.
    pub register: &'a dyn Fn(Reg) -> (String, Scalar),
}

impl Writer<'_> {
    /// The text of an expression.
    pub fn text(&self, expr: &Expr) -> Text {
        match expr {
            Expr::Const(value) => Text::constant(*value),
            Expr::Reg(reg) => {
                let (name, ty) = (self.register)(*reg);
                Text::named(name, ty)
            }
            Expr::At { base, len, index } => {
                let index = self.index(&self.text(index), *len);
                let last = (self.register)(slot(*base, len - 1));
                let mut code = last.0;
                for i in (0..len - 1).rev() {
                    code = format!("{} == {i} ? {} : {code}", index.code, (self.register)(slot(*base, i)).0);
                }
                let code = if *len == 1 { code } else { format!("({code})") };
                Text::named(code, last.1)
            }
            Expr::Unary(op, arith, arg) => self.unary(*op, *arith, self.text(arg)),
            Expr::Binary(BinaryOp::And, _, left, right) => {
                Text::truth(format!("{} && {}", self.text(left).condition(), self.text(right).condition()))
            }
            Expr::Binary(BinaryOp::Or, _, left, right) => {
                Text::truth(format!("{} || {}", self.text(left).condition(), self.text(right).condition()))
            }
            Expr::Binary(op, arith, left, right) => {
                self.binary(*op, *arith, &self.text(left), &self.text(right))
            }
            Expr::Select(condition, then, otherwise) => {
                let (condition, a, b) = (self.text(condition), self.text(then), self.text(otherwise));
                let range = (a.range.0.min(b.range.0), a.range.1.max(b.range.1));
                let (a, b, ty) =
                    if a.ty == b.ty { (a.code, b.code, a.ty) } else { (a.wide(), b.wide(), CType::Long) };
                let code = format!("({} ? {a} : {b})", condition.condition());
                Text { code, ty, range, is_truth: false }
            }
            Expr::Check { from, to, arg } => match expr.as_checked_arithmetic() {
                Some((op, left, right)) => self.checked(op, &self.text(left), &self.text(right)),
                None => self.check(*from, *to, self.text(arg)),
            },
            Expr::Wrap(int, arg) => wrapped(&self.text(arg), *int),
            Expr::Index(len, arg) => self.index(&self.text(arg), *len),
        }
    }

    /// An index that must be below a length.
    pub fn index(&self, index: &Text, len: u32) -> Text {
        if index.range.0 >= 0 && index.range.1 < len.into() {
            return index.clone();
        }
        let range = (0, i128::from(len) - 1);
        Text { code: format!("element({}, {len})", index.code), ty: CType::Long, range, is_truth: false }
    }

    fn check(&self, from: Scalar, to: Scalar, arg: Text) -> Text {
        let (mut lo, mut hi) = to.limits();
        let unsigned = from.limits().1 > i64::MAX.into();
        match (unsigned, hi > i64::MAX.into()) {
            // The same 64 bits.
            (true, true) => return arg,
            (true, false) => lo = lo.max(0),
            (false, _) => {}
        }
        (lo, hi) = (lo.max(i64::MIN.into()), hi.min(i64::MAX.into()));
        if lo <= arg.range.0 && arg.range.1 <= hi {
            return arg;
        }
        let name = if to == Scalar::Integer { "modelled" } else { "in_range" };
        let bound = |v: i128| Text::constant(v as i64).code;
        let code = format!("{name}({}, {}, {})", arg.code, bound(lo), bound(hi));
        Text { code, ty: CType::Long, range: (lo, hi), is_truth: false }
    }

    /// Arithmetic that must not leave 64 bits.
    fn checked(&self, op: BinaryOp, l: &Text, r: &Text) -> Text {
        let range = interval(op, l.range, r.range);
        if op != BinaryOp::Div && range.0 >= i64::MIN.into() && range.1 <= i64::MAX.into() {
            return self.binary(op, Arith::Exact, l, r);
        }
        let name = match op {
            BinaryOp::Add => "checked_sum",
            BinaryOp::Sub => "checked_difference",
            BinaryOp::Mul => "checked_product",
            _ => "checked_quotient",
        };
        Text::long(format!("{name}({}, {})", l.code, r.code))
    }

    fn unary(&self, op: UnaryOp, arith: Arith, arg: Text) -> Text {
        match (op, arith) {
            (UnaryOp::Not, _) => Text::truth(format!("!{}", arg.condition())),
            (UnaryOp::Neg, Arith::Exact) => self.binary(BinaryOp::Sub, arith, &Text::constant(0), &arg),
            (UnaryOp::Neg, Arith::Wrap(_)) => self.binary(BinaryOp::Sub, arith, &Text::constant(0), &arg),
            (UnaryOp::BitNot, Arith::Exact) => {
                let range = (!arg.range.1, !arg.range.0);
                Text { code: format!("(~{})", arg.wide()), ty: CType::Long, range, is_truth: false }
            }
            (UnaryOp::BitNot, Arith::Wrap(int)) => wrapped(&Text::long(format!("(~{})", arg.wide())), int),
        }
    }

    /// The text of a strict operator.
    pub fn binary(&self, op: BinaryOp, arith: Arith, l: &Text, r: &Text) -> Text {
        let unsigned_64 = matches!(arith, Arith::Wrap(IntType { bits: 64, signed: false }));
        let sign = op.symbol();
        match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                if let (Some(l), Some(r)) = (l.as_constant(), r.as_constant()) {
                    let value = fencepost_ir::eval::binary(op, arith, l, r);
                    return Text::constant(value.expect("comparisons do not fail"));
                }
                // Where one is unsigned and the other may be negative, C would convert the wrong way.
                let mixed = (l.ty == CType::Unsigned) != (r.ty == CType::Unsigned)
                    && l.ty != CType::Long
                    && r.ty != CType::Long;
                let (l, r) = match (unsigned_64, mixed) {
                    (true, _) => {
                        (format!("(unsigned long long){}", l.code), format!("(unsigned long long){}", r.code))
                    }
                    (false, true) => (l.wide(), r.wide()),
                    (false, false) => (l.code.clone(), r.code.clone()),
                };
                Text::truth(format!("{l} {sign} {r}"))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.sum(op, sign, arith, l, r),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let plain = l.ty == CType::Int && r.ty == CType::Int;
                let value = if plain {
                    let code = format!("({} {sign} {})", l.code, r.code);
                    let range = (i32::MIN.into(), i32::MAX.into());
                    Text { code, ty: CType::Int, range, is_truth: false }
                } else {
                    Text::long(format!("({} {sign} {})", l.wide(), r.wide()))
                };
                self.fit(arith, value)
            }
            BinaryOp::Div | BinaryOp::Rem => {
                let kind = if op == BinaryOp::Div { "quotient" } else { "rest" };
                let value = match (unsigned_64, arith) {
                    (true, _) => format!("unsigned_{kind}({}, {})", l.code, r.code),
                    (false, Arith::Exact) if op == BinaryOp::Div => {
                        format!("exact_{kind}({}, {})", l.code, r.code)
                    }
                    (false, _) => format!("{kind}({}, {})", l.code, r.code),
                };
                self.fit(arith, Text::long(value))
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let (width, name) = match arith {
                    Arith::Exact => {
                        (64, if op == BinaryOp::Shl { "exact_shift_left" } else { "shift_right" })
                    }
                    Arith::Wrap(int) if op == BinaryOp::Shl => (int.bits, "shift_left"),
                    Arith::Wrap(int) if unsigned_64 => (int.bits, "unsigned_shift_right"),
                    Arith::Wrap(int) => (int.bits, "shift_right"),
                };
                self.fit(arith, Text::long(format!("{name}({}, {}, {width})", l.code, r.code)))
            }
            BinaryOp::And | BinaryOp::Or => unreachable!("not strict"),
        }
    }

    fn fit(&self, arith: Arith, value: Text) -> Text {
        match arith {
            Arith::Exact => value,
            Arith::Wrap(int) => wrapped(&value, int),
        }
    }

    fn sum(&self, op: BinaryOp, sign: &str, arith: Arith, l: &Text, r: &Text) -> Text {
        let range = interval(op, l.range, r.range);
        let fits_long = range.0 >= i64::MIN.into() && range.1 <= i64::MAX.into();
        let fits_int = range.0 >= i32::MIN.into() && range.1 <= i32::MAX.into();
        if fits_int && l.ty == CType::Int && r.ty == CType::Int {
            let code = format!("({} {sign} {})", l.code, r.code);
            return self.fit(arith, Text { code, ty: CType::Int, range, is_truth: false });
        }
        match arith {
            Arith::Exact if fits_long => {
                let code = format!("({} {sign} {})", l.wide(), r.wide());
                Text { code, ty: CType::Long, range, is_truth: false }
            }
            Arith::Exact => {
                let name = match op {
                    BinaryOp::Add => "exact_sum",
                    BinaryOp::Sub => "exact_difference",
                    _ => "exact_product",
                };
                Text::long(format!("{name}({}, {})", l.code, r.code))
            }
            Arith::Wrap(int) => {
                let machine = |text: &Text| match (text.as_constant(), int.bits <= 32) {
                    (Some(value @ 0..=0x7fff_ffff), true) => format!("{value}u"),
                    (Some(value @ 0..), false) => format!("{value}ull"),
                    (_, true) => format!("(unsigned){}", text.code),
                    (_, false) => format!("(unsigned long long){}", text.code),
                };
                let code = format!("({} {sign} {})", machine(l), machine(r));
                // All texts of 64 bits have the signed type.
                let code = if int.bits <= 32 { code } else { format!("(long long){code}") };
                wrapped(&Text::long(code), int)
            }
        }
    }

    /// What a read-modify-write writes to a cell of type `ty` that holds `old`; and when, if not always.
    pub fn rmw(&self, op: &RmwOp, ty: Scalar, old: &Text) -> (Text, Option<String>) {
        let (operator, operand) = match op {
            RmwOp::Exchange(value) => return (self.text(value), None),
            RmwOp::CompareExchange { expected, new } => {
                let equal = self.binary(BinaryOp::Eq, Arith::Exact, old, &self.text(expected));
                return (self.text(new), Some(equal.condition()));
            }
            RmwOp::Add(value) => (BinaryOp::Add, value),
            RmwOp::Sub(value) => (BinaryOp::Sub, value),
            RmwOp::And(value) => (BinaryOp::BitAnd, value),
            RmwOp::Or(value) => (BinaryOp::BitOr, value),
            RmwOp::Xor(value) => (BinaryOp::BitXor, value),
        };
        let new = self.binary(operator, Arith::of(ty), old, &self.text(operand));
        match ty {
            Scalar::Int(_) | Scalar::Pointer { .. } => (new, None),
            _ => (self.check(Scalar::Integer, ty, new), None),
        }
    }
}

fn interval(op: BinaryOp, l: (i128, i128), r: (i128, i128)) -> (i128, i128) {
    match op {
        BinaryOp::Add => (l.0 + r.0, l.1 + r.1),
        BinaryOp::Sub => (l.0 - r.1, l.1 - r.0),
        _ => {
            let corners = [l.0 * r.0, l.0 * r.1, l.1 * r.0, l.1 * r.1];
            (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
        }
    }
}

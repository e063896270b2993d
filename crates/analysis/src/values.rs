//! Sets of values: a few, or a range; and what expressions make of them. A set that is computed has every value that can
//! come about, and maybe others.

use fencepost_ir::cfg::{Arith, BinaryOp, Choices, Expr, Reg, UnaryOp};
use fencepost_ir::eval::{self, Registers};
use fencepost_ir::{IntType, Scalar, pointer};

/// A set of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// These, sorted.
    Few(Vec<i64>),
    /// All between the two, both included.
    Range(i64, i64),
}

/// More are a range.
const MANY: usize = 48;
/// More pairs are not computed one by one.
const MANY_PAIRS: usize = 1024;

struct NoRegisters;
impl Registers for NoRegisters {
    fn get(&self, _: Reg) -> i64 {
        unreachable!("constants have no registers")
    }
}

impl Values {
    /// No value.
    pub const NONE: Values = Values::Few(Vec::new());
    /// Any value.
    pub const ANY: Values = Values::Range(i64::MIN, i64::MAX);

    /// One value.
    pub fn one(value: i64) -> Values {
        Values::Few(vec![value])
    }

    /// All values of a type.
    pub fn of(ty: Scalar) -> Values {
        match ty {
            Scalar::Int(int) => of_int(int),
            Scalar::Pointer { .. } => of_int(pointer::WORD),
            _ => {
                let (lo, hi) = ty.limits();
                Values::range(lo, hi)
            }
        }
    }

    /// The values of a choice.
    pub fn of_choices(choices: &Choices) -> Values {
        let (lo, hi) = (choices.0[0].0, choices.0[choices.0.len() - 1].1);
        if choices.count() <= MANY as u128 {
            Values::Few(choices.values().collect())
        } else {
            Values::Range(lo, hi)
        }
    }

    fn range(lo: i128, hi: i128) -> Values {
        let fit = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Values::Range(fit(lo), fit(hi)).compact()
    }

    /// These.
    pub fn from_list(mut values: Vec<i64>) -> Values {
        values.sort_unstable();
        values.dedup();
        if values.len() > MANY {
            Values::Range(values[0], values[values.len() - 1])
        } else {
            Values::Few(values)
        }
    }

    fn compact(self) -> Values {
        match self {
            Values::Range(lo, hi) if i128::from(hi) - i128::from(lo) < 8 => Values::Few((lo..=hi).collect()),
            other => other,
        }
    }

    /// The only one.
    pub fn single(&self) -> Option<i64> {
        match self {
            Values::Few(values) => (values.len() == 1).then(|| values[0]),
            Values::Range(lo, hi) => (lo == hi).then_some(*lo),
        }
    }

    /// Smallest and largest.
    pub fn hull(&self) -> Option<(i64, i64)> {
        match self {
            Values::Few(values) => Some((*values.first()?, *values.last()?)),
            Values::Range(lo, hi) => Some((*lo, *hi)),
        }
    }

    /// Whether it is one of them.
    pub fn contains(&self, value: i64) -> bool {
        match self {
            Values::Few(values) => values.binary_search(&value).is_ok(),
            Values::Range(lo, hi) => *lo <= value && value <= *hi,
        }
    }

    /// Adds others; whether that changed anything.
    pub fn join(&mut self, other: &Values) -> bool {
        let joined = match (&*self, other) {
            (_, Values::Few(none)) if none.is_empty() => return false,
            (Values::Few(none), _) if none.is_empty() => other.clone(),
            (Values::Few(a), Values::Few(b)) => {
                if b.iter().all(|v| a.binary_search(v).is_ok()) {
                    return false;
                }
                Values::from_list([&a[..], &b[..]].concat())
            }
            (a, b) => match (a.hull(), b.hull()) {
                (Some((l1, h1)), Some((l2, h2))) => Values::Range(l1.min(l2), h1.max(h2)),
                _ => unreachable!("empty ones are done"),
            },
        };
        let changed = joined != *self;
        *self = joined;
        changed
    }

    /// Those between the two.
    pub fn clamp(&self, lo: i64, hi: i64) -> Values {
        match self {
            Values::Few(values) => {
                Values::Few(values.iter().copied().filter(|v| lo <= *v && *v <= hi).collect())
            }
            Values::Range(l, h) if lo.max(*l) > hi.min(*h) => Values::NONE,
            Values::Range(l, h) => Values::Range(lo.max(*l), hi.min(*h)).compact(),
        }
    }

    /// All but one, where that is one of a few.
    fn without(&self, value: i64) -> Values {
        match self {
            Values::Few(values) => Values::Few(values.iter().copied().filter(|v| *v != value).collect()),
            Values::Range(lo, hi) if *lo == value && lo < hi => Values::Range(lo + 1, *hi).compact(),
            Values::Range(lo, hi) if *hi == value && lo < hi => Values::Range(*lo, hi - 1).compact(),
            Values::Range(..) => self.clone(),
        }
    }

    /// The same, changed one by one; ranges become what is given.
    pub fn map(&self, change: impl Fn(i64) -> Option<i64>, range: Values) -> Values {
        match self {
            Values::Few(values) => Values::from_list(values.iter().filter_map(|v| change(*v)).collect()),
            Values::Range(..) => range,
        }
    }

    /// Whether any of them is not 0, and whether any is.
    pub fn truth(&self) -> (bool, bool) {
        match self {
            Values::Few(values) => (values.iter().any(|v| *v != 0), values.contains(&0)),
            Values::Range(lo, hi) => (*lo != 0 || *hi != 0, *lo <= 0 && 0 <= *hi),
        }
    }
}

fn of_int(int: IntType) -> Values {
    match int.bits {
        64 => Values::ANY,
        _ => {
            let (lo, hi) = int.limits();
            Values::range(lo, hi)
        }
    }
}

/// The values of an expression.
pub fn evaluate(expr: &Expr, registers: &dyn Fn(Reg) -> Values) -> Values {
    let by_truth = |truth: (bool, bool)| {
        Values::Few([(truth.1, 0), (truth.0, 1)].iter().filter(|(may, _)| *may).map(|(_, v)| *v).collect())
    };
    match expr {
        Expr::Const(value) => Values::one(*value),
        Expr::Reg(reg) => registers(*reg),
        Expr::At { base, len, index } => {
            let index = evaluate(index, registers);
            let mut values = Values::NONE;
            for i in (0..*len).filter(|i| index.contains((*i).into())) {
                values.join(&registers(slot(*base, i)));
            }
            values
        }
        Expr::Unary(UnaryOp::Not, _, arg) => {
            let (nonzero, zero) = evaluate(arg, registers).truth();
            by_truth((zero, nonzero))
        }
        Expr::Unary(op, arith, arg) => {
            let arg = evaluate(arg, registers);
            let one = |v| eval::eval(&Expr::Unary(*op, *arith, Box::new(Expr::Const(v))), &NoRegisters).ok();
            let range = match (op, &arg) {
                (UnaryOp::Neg, Values::Range(lo, hi)) => fit(*arith, -i128::from(*hi), -i128::from(*lo)),
                (UnaryOp::BitNot, Values::Range(lo, hi)) => fit(*arith, (!*hi).into(), (!*lo).into()),
                _ => all(*arith),
            };
            arg.map(one, range)
        }
        Expr::Binary(BinaryOp::And, _, left, right) => {
            let left = evaluate(left, registers).truth();
            if !left.0 {
                return by_truth(left);
            }
            let right = evaluate(right, registers).truth();
            by_truth((left.0 && right.0, left.1 || right.1))
        }
        Expr::Binary(BinaryOp::Or, _, left, right) => {
            let left = evaluate(left, registers).truth();
            if !left.1 {
                return by_truth(left);
            }
            let right = evaluate(right, registers).truth();
            by_truth((left.0 || right.0, left.1 && right.1))
        }
        Expr::Binary(op, arith, left, right) => {
            binary(*op, *arith, &evaluate(left, registers), &evaluate(right, registers))
        }
        Expr::Select(condition, then, otherwise) => {
            let (nonzero, zero) = evaluate(condition, registers).truth();
            let mut values = Values::NONE;
            if nonzero {
                values.join(&evaluate(then, registers));
            }
            if zero {
                values.join(&evaluate(otherwise, registers));
            }
            values
        }
        Expr::Check { from, to, arg } => {
            let arg = evaluate(arg, registers);
            let one = |v| to.value_of(from.meaning(v));
            let unsigned = |ty: &Scalar| matches!(Values::of(*ty), Values::ANY) && *ty != Scalar::Integer;
            let range = match (&arg, Values::of(*to)) {
                (Values::Range(..), Values::Range(lo, hi)) if !unsigned(from) && !unsigned(to) => {
                    arg.clamp(lo, hi)
                }
                (_, all) => all,
            };
            arg.map(one, range)
        }
        Expr::Wrap(int, arg) => {
            let arg = evaluate(arg, registers);
            let range = match arg {
                Values::Range(lo, hi) => fit(Arith::Wrap(*int), lo.into(), hi.into()),
                Values::Few(_) => Values::NONE,
            };
            arg.map(|v| Some(int.wrap(v.into())), range)
        }
        Expr::Index(len, arg) => evaluate(arg, registers).clamp(0, i64::from(*len) - 1),
    }
}

/// What registers can hold where a condition holds, if that says more than before.
pub fn learnt(condition: &Expr, value: &dyn Fn(&Expr) -> Values) -> Vec<(Reg, Values)> {
    let mut known = Vec::new();
    learn(condition, true, value, &mut known);
    known
}

fn learn(condition: &Expr, holds: bool, value: &dyn Fn(&Expr) -> Values, known: &mut Vec<(Reg, Values)>) {
    match condition {
        Expr::Unary(UnaryOp::Not, _, arg) => learn(arg, !holds, value, known),
        Expr::Reg(reg) => {
            let old = value(condition);
            known.push((*reg, if holds { old.without(0) } else { old.clamp(0, 0) }));
        }
        Expr::Binary(op, arith, left, right) => {
            // Unsigned 64-bit values are held by their pattern, in another order.
            if matches!(arith, Arith::Wrap(IntType { bits: 64, signed: false })) {
                return;
            }
            for (expr, other, op) in [(left, right, Some(*op)), (right, left, mirrored(*op))] {
                let (Expr::Reg(reg), Some(op)) = (&**expr, op) else { continue };
                if let Some(values) = compared(op, holds, &value(expr), &value(other)) {
                    known.push((*reg, values));
                }
            }
        }
        Expr::Const(_)
        | Expr::At { .. }
        | Expr::Unary(..)
        | Expr::Select(..)
        | Expr::Check { .. }
        | Expr::Wrap(..)
        | Expr::Index(..) => {}
    }
}

/// The comparison with its operands exchanged.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Eq,
        BinaryOp::Ne => BinaryOp::Ne,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}

/// Those of the values that compare so with some of the others.
fn compared(op: BinaryOp, holds: bool, values: &Values, others: &Values) -> Option<Values> {
    let (lo, hi) = others.hull()?;
    let op = match (op, holds) {
        (op, true) => op,
        (BinaryOp::Eq, false) => BinaryOp::Ne,
        (BinaryOp::Ne, false) => BinaryOp::Eq,
        (BinaryOp::Lt, false) => BinaryOp::Ge,
        (BinaryOp::Le, false) => BinaryOp::Gt,
        (BinaryOp::Gt, false) => BinaryOp::Le,
        (BinaryOp::Ge, false) => BinaryOp::Lt,
        _ => return None,
    };
    Some(match op {
        BinaryOp::Eq => values.clamp(lo, hi),
        BinaryOp::Ne if lo == hi => values.without(lo),
        BinaryOp::Lt if hi > i64::MIN => values.clamp(i64::MIN, hi - 1),
        BinaryOp::Le => values.clamp(i64::MIN, hi),
        BinaryOp::Gt if lo < i64::MAX => values.clamp(lo + 1, i64::MAX),
        BinaryOp::Ge => values.clamp(lo, i64::MAX),
        _ => return None,
    })
}

/// All results of arithmetic.
fn all(arith: Arith) -> Values {
    match arith {
        Arith::Exact => Values::ANY,
        Arith::Wrap(int) => of_int(int),
    }
}

fn fit(arith: Arith, lo: i128, hi: i128) -> Values {
    match (arith, all(arith)) {
        (Arith::Exact, _) => Values::range(lo, hi),
        (Arith::Wrap(_), Values::Range(l, h)) if i128::from(l) <= lo && hi <= h.into() => {
            Values::Range(lo as i64, hi as i64).compact()
        }
        (_, all) => all,
    }
}

fn binary(op: BinaryOp, arith: Arith, left: &Values, right: &Values) -> Values {
    if let (Values::Few(l), Values::Few(r)) = (left, right)
        && l.len() * r.len() <= MANY_PAIRS
    {
        let pairs = l.iter().flat_map(|a| r.iter().map(move |b| (*a, *b)));
        return Values::from_list(pairs.filter_map(|(a, b)| eval::binary(op, arith, a, b).ok()).collect());
    }
    let (Some((l1, h1)), Some((l2, h2))) = (left.hull(), right.hull()) else { return Values::NONE };
    let wide = |v: i64| i128::from(v);
    // Unsigned 64-bit values held by their pattern are in another order.
    let patterns = matches!(arith, Arith::Wrap(IntType { bits: 64, signed: false })) && (l1 < 0 || l2 < 0);
    let either = || Values::Few(vec![0, 1]);
    match op {
        BinaryOp::Add => fit(arith, wide(l1) + wide(l2), wide(h1) + wide(h2)),
        BinaryOp::Sub => fit(arith, wide(l1) - wide(h2), wide(h1) - wide(l2)),
        BinaryOp::Mul => {
            let corners =
                [wide(l1) * wide(l2), wide(l1) * wide(h2), wide(h1) * wide(l2), wide(h1) * wide(h2)];
            fit(arith, *corners.iter().min().expect("four"), *corners.iter().max().expect("four"))
        }
        BinaryOp::Div if !patterns && l1 >= 0 && l2 > 0 => fit(arith, wide(l1 / h2), wide(h1 / l2)),
        BinaryOp::Rem if !patterns && l1 >= 0 && l2 > 0 => fit(arith, 0, wide(h1.min(h2 - 1))),
        BinaryOp::Shr if !patterns && l1 >= 0 && l2 >= 0 => fit(arith, 0, wide(h1)),
        BinaryOp::BitAnd if l1 >= 0 && l2 >= 0 => fit(arith, 0, wide(h1.min(h2))),
        BinaryOp::BitAnd if l1 >= 0 => fit(arith, 0, wide(h1)),
        BinaryOp::BitAnd if l2 >= 0 => fit(arith, 0, wide(h2)),
        BinaryOp::BitOr | BinaryOp::BitXor if l1 >= 0 && l2 >= 0 => {
            let top = 64 - (h1 | h2).leading_zeros();
            fit(arith, 0, (1i128 << top) - 1)
        }
        BinaryOp::Eq if h1 < l2 || h2 < l1 => Values::one(0),
        BinaryOp::Ne if h1 < l2 || h2 < l1 => Values::one(1),
        BinaryOp::Lt if !patterns && h1 < l2 => Values::one(1),
        BinaryOp::Lt if !patterns && l1 >= h2 => Values::one(0),
        BinaryOp::Le if !patterns && h1 <= l2 => Values::one(1),
        BinaryOp::Le if !patterns && l1 > h2 => Values::one(0),
        BinaryOp::Gt if !patterns && l1 > h2 => Values::one(1),
        BinaryOp::Gt if !patterns && h1 <= l2 => Values::one(0),
        BinaryOp::Ge if !patterns && l1 >= h2 => Values::one(1),
        BinaryOp::Ge if !patterns && h1 < l2 => Values::one(0),
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => either(),
        _ => all(arith),
    }
}

/// The slot of an array's element.
pub fn slot(base: Reg, index: u32) -> Reg {
    match base {
        Reg::Local(slot) => Reg::Local(slot + index),
        Reg::Thread(slot) => Reg::Thread(slot + index),
    }
}

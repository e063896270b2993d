//! Expressions as circuits: what [`fencepost_ir::eval`] computes on one value, on all of them.
//!
//! Where the interpreter fails, a literal says so: errors of the program and limits of ours apart, and
//! only the first failure of an evaluation counts. What has failed has some value or other.

use crate::circuit::{Circuit, Lit};
use crate::word::{Division, Word};
use fencepost_analysis::values::slot;
use fencepost_ir::cfg::{Arith, BinaryOp, Expr, Reg, RmwOp, UnaryOp};
use fencepost_ir::{IntType, Scalar, pointer};

/// When an evaluation fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Faults {
    /// By an error of the program.
    pub error: Lit,
    /// By an engine limit.
    pub limit: Lit,
}

impl Faults {
    /// Never.
    pub const NONE: Faults = Faults { error: Lit::FALSE, limit: Lit::FALSE };

    /// Neither.
    pub fn absent(self, c: &mut Circuit) -> Lit {
        c.and(!self.error, !self.limit)
    }

    /// An error, if nothing has failed before.
    pub fn error(&mut self, when: Lit, c: &mut Circuit) {
        let first = self.absent(c);
        let now = c.and(when, first);
        self.error = c.or(self.error, now);
    }

    /// A limit, if nothing has failed before.
    pub fn limit(&mut self, when: Lit, c: &mut Circuit) {
        let first = self.absent(c);
        let now = c.and(when, first);
        self.limit = c.or(self.limit, now);
    }
}

/// Wraps to a type, 64 unsigned bits by their pattern.
pub fn wrap(word: &Word, int: IntType) -> Word {
    match (int.bits, int.signed) {
        (64, _) | (_, true) => word.signed(int.bits.into()),
        (bits, false) => word.unsigned(bits.into()),
    }
}

/// The integer that a value of a type stands for.
fn meaning(word: &Word, int: IntType) -> Word {
    if int.bits == 64 && !int.signed { word.unsigned(64) } else { word.clone() }
}

/// Evaluates; `registers` gives the registers' values.
pub struct Evaluation<'a> {
    /// Where gates go.
    pub circuit: &'a mut Circuit,
    /// The registers.
    pub registers: &'a dyn Fn(Reg) -> Word,
    /// What has failed so far.
    pub faults: Faults,
}

impl Evaluation<'_> {
    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr) -> Word {
        self.under(Lit::TRUE, expr)
    }

    /// The value of an expression that is evaluated only if the condition holds.
    fn under(&mut self, when: Lit, expr: &Expr) -> Word {
        match expr {
            Expr::Const(value) => Word::constant((*value).into()),
            Expr::Reg(reg) => (self.registers)(*reg),
            Expr::At { base, len, index } => {
                let index = self.under(when, index);
                self.check_index(when, &index, *len);
                let mut value = Word::constant(0);
                for i in 0..*len {
                    let here = index.equals(&Word::constant(i.into()), self.circuit);
                    if here != Lit::FALSE {
                        let element = (self.registers)(slot(*base, i));
                        value = Word::choose(here, &element, &value, self.circuit);
                    }
                }
                value
            }
            Expr::Unary(op, arith, arg) => {
                let arg = self.under(when, arg);
                match op {
                    UnaryOp::Neg => {
                        let negated = arg.neg(self.circuit);
                        self.fit(when, *arith, negated)
                    }
                    UnaryOp::BitNot => self.fit(when, *arith, arg.complement()),
                    UnaryOp::Not => Word::from_lit(!arg.is_nonzero(self.circuit)),
                }
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), _, left, right) => {
                let left = self.under(when, left).is_nonzero(self.circuit);
                let goes_on = if *op == BinaryOp::And { left } else { !left };
                let when = self.circuit.and(when, goes_on);
                let right = self.under(when, right).is_nonzero(self.circuit);
                Word::from_lit(match op {
                    BinaryOp::And => self.circuit.and(left, right),
                    _ => self.circuit.or(left, right),
                })
            }
            Expr::Binary(op, arith, left, right) => {
                let (left, right) = (self.under(when, left), self.under(when, right));
                self.binary(when, *op, *arith, &left, &right)
            }
            Expr::Select(condition, then, otherwise) => {
                let condition = self.under(when, condition).is_nonzero(self.circuit);
                let (if_so, if_not) = (self.circuit.and(when, condition), self.circuit.and(when, !condition));
                let then = self.under(if_so, then);
                let otherwise = self.under(if_not, otherwise);
                Word::choose(condition, &then, &otherwise, self.circuit)
            }
            Expr::Check { from, to, arg } => {
                if let Some((op, left, right)) = expr.as_checked_arithmetic() {
                    let (left, right) = (self.under(when, left), self.under(when, right));
                    let value = self.exact(when, op, &left, &right);
                    return self.check(when, &value, *to);
                }
                let arg = self.under(when, arg);
                let integer = match *from {
                    Scalar::Int(int) => meaning(&arg, int),
                    Scalar::Pointer { .. } => meaning(&arg, pointer::WORD),
                    _ => arg,
                };
                self.check(when, &integer, *to)
            }
            Expr::Wrap(int, arg) => wrap(&self.under(when, arg), *int),
            Expr::Index(len, arg) => {
                let index = self.under(when, arg);
                self.check_index(when, &index, *len);
                index
            }
        }
    }

    /// An index out of bounds is an error.
    pub fn check_index(&mut self, when: Lit, index: &Word, len: u32) {
        let inside = index.within(0, i128::from(len) - 1, self.circuit);
        let outside = self.circuit.and(when, !inside);
        self.faults.error(outside, self.circuit);
    }

    /// The value of an integer that must belong to a type.
    fn check(&mut self, when: Lit, integer: &Word, ty: Scalar) -> Word {
        let (lo, hi) = ty.limits();
        let inside = integer.within(lo, hi, self.circuit);
        let outside = self.circuit.and(when, !inside);
        match ty {
            Scalar::Integer => self.faults.limit(outside, self.circuit),
            _ => self.faults.error(outside, self.circuit),
        }
        integer.signed(64)
    }

    fn fit(&mut self, when: Lit, arith: Arith, value: Word) -> Word {
        match arith {
            Arith::Wrap(int) => wrap(&value, int),
            Arith::Exact => self.check(when, &value, Scalar::Integer),
        }
    }

    /// The exact result of an operation on integers.
    fn exact(&mut self, when: Lit, op: BinaryOp, l: &Word, r: &Word) -> Word {
        match op {
            BinaryOp::Add => l.add(r, self.circuit),
            BinaryOp::Sub => l.sub(r, self.circuit),
            BinaryOp::Mul => l.mul(r, 128, self.circuit),
            _ => self.divide(when, l, r).quotient,
        }
    }

    /// Dividing by zero is an error.
    fn divide(&mut self, when: Lit, l: &Word, r: &Word) -> Division {
        let nonzero = r.is_nonzero(self.circuit);
        let by_zero = self.circuit.and(when, !nonzero);
        self.faults.error(by_zero, self.circuit);
        l.divide(r, self.circuit)
    }

    fn binary(&mut self, when: Lit, op: BinaryOp, arith: Arith, left: &Word, right: &Word) -> Word {
        let (l, r) = match arith {
            Arith::Exact => (left.clone(), right.clone()),
            Arith::Wrap(int) => (meaning(left, int), meaning(right, int)),
        };
        let c = &mut *self.circuit;
        let value = match op {
            BinaryOp::Add => left.add(right, c),
            BinaryOp::Sub => left.sub(right, c),
            BinaryOp::Mul => {
                let limit = if let Arith::Wrap(int) = arith { usize::from(int.bits) } else { 128 };
                left.mul(right, limit, c)
            }
            BinaryOp::Div => self.divide(when, &l, &r).quotient,
            BinaryOp::Rem => self.divide(when, &l, &r).remainder,
            BinaryOp::BitAnd => l.zip(&r, c, Circuit::and),
            BinaryOp::BitOr => l.zip(&r, c, Circuit::or),
            BinaryOp::BitXor => l.zip(&r, c, Circuit::xor),
            BinaryOp::Shl | BinaryOp::Shr => {
                let width = if let Arith::Wrap(int) = arith { int.bits } else { 64 };
                let inside = r.within(0, i128::from(width) - 1, c);
                let outside = c.and(when, !inside);
                self.faults.error(outside, c);
                if op == BinaryOp::Shl { l.shift_left(&r, c) } else { l.shift_right(&r, c) }
            }
            BinaryOp::Eq => return Word::from_lit(l.equals(&r, c)),
            BinaryOp::Ne => return Word::from_lit(!l.equals(&r, c)),
            BinaryOp::Lt => return Word::from_lit(l.less(&r, c)),
            BinaryOp::Le => return Word::from_lit(!r.less(&l, c)),
            BinaryOp::Gt => return Word::from_lit(r.less(&l, c)),
            BinaryOp::Ge => return Word::from_lit(!l.less(&r, c)),
            BinaryOp::And | BinaryOp::Or => unreachable!("not strict, done above"),
        };
        self.fit(when, arith, value)
    }

    /// What a read-modify-write writes to a cell of type `ty` that holds `old`, and when it writes.
    pub fn rmw(&mut self, op: &RmwOp, ty: Scalar, old: &Word) -> (Word, Lit) {
        let (operator, operand) = match op {
            RmwOp::Exchange(value) => return (self.value(value), Lit::TRUE),
            RmwOp::CompareExchange { expected, new } => {
                let (expected, new) = (self.value(expected), self.value(new));
                return (new, old.equals(&expected, self.circuit));
            }
            RmwOp::Add(value) => (BinaryOp::Add, value),
            RmwOp::Sub(value) => (BinaryOp::Sub, value),
            RmwOp::And(value) => (BinaryOp::BitAnd, value),
            RmwOp::Or(value) => (BinaryOp::BitOr, value),
            RmwOp::Xor(value) => (BinaryOp::BitXor, value),
        };
        let operand = self.value(operand);
        let new = self.binary(Lit::TRUE, operator, Arith::of(ty), old, &operand);
        match ty {
            Scalar::Int(_) | Scalar::Pointer { .. } => (new, Lit::TRUE),
            _ => {
                let (lo, hi) = ty.limits();
                let inside = new.within(lo, hi, self.circuit);
                self.faults.error(!inside, self.circuit);
                (new, Lit::TRUE)
            }
        }
    }
}

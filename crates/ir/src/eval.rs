//! What expressions mean, and how evaluating one can fail.

use crate::cfg::{Arith, BinaryOp, Expr, Reg, RmwOp, UnaryOp};
use crate::scalar::Scalar;
use std::fmt;

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// A value left its finite range.
    OutOfRange {
        /// The integer.
        value: i128,
        /// The type it had to belong to.
        ty: Scalar,
    },
    /// An index is not below the length.
    OutOfBounds {
        /// The index.
        index: i64,
        /// The number of elements.
        len: u32,
    },
    /// Division or remainder by zero.
    DivisionByZero,
    /// A shift by a negative number or by the width or more.
    ShiftOutOfRange {
        /// How far.
        by: i64,
    },
    /// An integer without bounds left 64 bits: no error of the program, but the end of what we
    /// can say.
    Overflow,
    /// The null pointer is followed.
    NullPointer,
    /// A pointer is followed that points to no object.
    WildPointer,
    /// A pointer is followed beyond its object's end or before its start.
    OutsideObject {
        /// The first byte of the access.
        offset: u64,
        /// The object's bytes.
        size: u64,
    },
    /// A pointer is followed to an object that is gone.
    UseAfterFree,
    /// An access covers part of a cell, as those do by which our library refuses a call: no error of the program, but not
    /// modelled.
    MixedSize,
    /// Reads memory that was never written: it holds any value, and we do not try them all.
    Unwritten,
    /// More memory is allocated than is modelled: no error of the program.
    TooMuchMemory,
    /// What is freed was not allocated, or is not its start.
    InvalidFree,
    /// What is freed is gone already.
    DoubleFree,
}

impl Fault {
    /// Whether this says something of our limits and not of the program.
    pub fn is_limit(self) -> bool {
        match self {
            Fault::Overflow | Fault::MixedSize | Fault::Unwritten | Fault::TooMuchMemory => true,
            Fault::OutOfRange { .. }
            | Fault::OutOfBounds { .. }
            | Fault::DivisionByZero
            | Fault::ShiftOutOfRange { .. }
            | Fault::NullPointer
            | Fault::WildPointer
            | Fault::OutsideObject { .. }
            | Fault::UseAfterFree
            | Fault::InvalidFree
            | Fault::DoubleFree => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::OutOfRange { value, ty } => write!(f, "{value} is outside {ty}"),
            Fault::OutOfBounds { index, len } => {
                write!(f, "index {index} is out of bounds, there are {len} elements")
            }
            Fault::DivisionByZero => f.write_str("division by zero"),
            Fault::ShiftOutOfRange { by } => write!(f, "shift by {by}"),
            Fault::Overflow => f.write_str("an unbounded integer leaves 64 bits"),
            Fault::NullPointer => f.write_str("null pointer dereference"),
            Fault::WildPointer => f.write_str("dereference of a pointer to nothing"),
            Fault::OutsideObject { offset, size } => {
                write!(f, "access at byte {} of an object of {size} bytes", *offset as i64)
            }
            Fault::UseAfterFree => f.write_str("use of memory after it was freed"),
            Fault::MixedSize => f.write_str("this library call, or an access of this size, is not modelled"),
            Fault::Unwritten => f.write_str("memory is read that was never written"),
            Fault::TooMuchMemory => f.write_str("more memory is allocated than is modelled"),
            Fault::InvalidFree => f.write_str("free of what was not allocated"),
            Fault::DoubleFree => f.write_str("double free"),
        }
    }
}

/// The registers that an expression reads.
pub trait Registers {
    /// The value of a register.
    fn get(&self, reg: Reg) -> i64;
}

/// The slot that an array access means.
pub fn element(base: Reg, len: u32, index: i64) -> Result<Reg, Fault> {
    if !(0..i64::from(len)).contains(&index) {
        return Err(Fault::OutOfBounds { index, len });
    }
    Ok(match base {
        Reg::Local(slot) => Reg::Local(slot + index as u32),
        Reg::Thread(slot) => Reg::Thread(slot + index as u32),
    })
}

/// The value of an expression.
pub fn eval(expr: &Expr, registers: &impl Registers) -> Result<i64, Fault> {
    Ok(match expr {
        Expr::Const(value) => *value,
        Expr::Reg(reg) => registers.get(*reg),
        Expr::At { base, len, index } => registers.get(element(*base, *len, eval(index, registers)?)?),
        Expr::Unary(op, arith, arg) => unary(*op, *arith, eval(arg, registers)?)?,
        Expr::Binary(BinaryOp::And, _, left, right) => {
            i64::from(eval(left, registers)? != 0 && eval(right, registers)? != 0)
        }
        Expr::Binary(BinaryOp::Or, _, left, right) => {
            i64::from(eval(left, registers)? != 0 || eval(right, registers)? != 0)
        }
        Expr::Binary(op, arith, left, right) => {
            binary(*op, *arith, eval(left, registers)?, eval(right, registers)?)?
        }
        Expr::Select(cond, then, otherwise) => {
            let chosen = if eval(cond, registers)? != 0 { then } else { otherwise };
            eval(chosen, registers)?
        }
        Expr::Check { from: Scalar::Integer | Scalar::Range { .. }, to: Scalar::Range { lo, hi }, arg } => {
            let value = eval(arg, registers)?;
            if value < *lo || value > *hi {
                return Err(Fault::OutOfRange {
                    value: value.into(),
                    ty: Scalar::Range { lo: *lo, hi: *hi },
                });
            }
            value
        }
        Expr::Check { from, to, arg } => {
            if let Some((op, left, right)) = expr.as_checked_arithmetic() {
                let value = exact(op, eval(left, registers)?.into(), eval(right, registers)?.into())?;
                return to.value_of(value).ok_or(Fault::OutOfRange { value, ty: *to });
            }
            let value = from.meaning(eval(arg, registers)?);
            let fault =
                if *to == Scalar::Integer { Fault::Overflow } else { Fault::OutOfRange { value, ty: *to } };
            to.value_of(value).ok_or(fault)?
        }
        Expr::Wrap(int, arg) => int.wrap(eval(arg, registers)?.into()),
        Expr::Index(len, arg) => {
            let index = eval(arg, registers)?;
            element(Reg::Local(0), *len, index)?;
            index
        }
    })
}

fn unary(op: UnaryOp, arith: Arith, arg: i64) -> Result<i64, Fault> {
    match op {
        UnaryOp::Neg => fit(arith, -i128::from(arg)),
        UnaryOp::BitNot => fit(arith, !i128::from(arg)),
        UnaryOp::Not => Ok(i64::from(arg == 0)),
    }
}

fn fit(arith: Arith, value: i128) -> Result<i64, Fault> {
    match arith {
        Arith::Exact => i64::try_from(value).map_err(|_| Fault::Overflow),
        Arith::Wrap(int) => Ok(int.wrap(value)),
    }
}

/// The result of an operation on integers of 64 bits, which may need more.
fn exact(op: BinaryOp, l: i128, r: i128) -> Result<i128, Fault> {
    Ok(match op {
        BinaryOp::Add => l + r,
        BinaryOp::Sub => l - r,
        BinaryOp::Mul => l.wrapping_mul(r),
        BinaryOp::Div | BinaryOp::Rem if r == 0 => return Err(Fault::DivisionByZero),
        BinaryOp::Div => l / r,
        BinaryOp::Rem => l % r,
        _ => unreachable!("an operator of bits or a comparison"),
    })
}

/// The result of a strict operator.
pub fn binary(op: BinaryOp, arith: Arith, left: i64, right: i64) -> Result<i64, Fault> {
    // What models do most, without the detour over 128 bits.
    if arith == Arith::Exact {
        match op {
            BinaryOp::Add => return left.checked_add(right).ok_or(Fault::Overflow),
            BinaryOp::Sub => return left.checked_sub(right).ok_or(Fault::Overflow),
            BinaryOp::Eq => return Ok(i64::from(left == right)),
            BinaryOp::Ne => return Ok(i64::from(left != right)),
            BinaryOp::Lt => return Ok(i64::from(left < right)),
            BinaryOp::Le => return Ok(i64::from(left <= right)),
            BinaryOp::Gt => return Ok(i64::from(left > right)),
            BinaryOp::Ge => return Ok(i64::from(left >= right)),
            _ => {}
        }
    }
    let (l, r) = match arith {
        Arith::Exact => (i128::from(left), i128::from(right)),
        Arith::Wrap(int) => (int.meaning(left), int.meaning(right)),
    };
    let shift = || {
        let width = if let Arith::Wrap(int) = arith { i128::from(int.bits) } else { 64 };
        if (0..width).contains(&r) { Ok(r as u32) } else { Err(Fault::ShiftOutOfRange { by: right }) }
    };
    let value = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => exact(op, l, r)?,
        BinaryOp::BitAnd => l & r,
        BinaryOp::BitOr => l | r,
        BinaryOp::BitXor => l ^ r,
        BinaryOp::Shl => l << shift()?,
        BinaryOp::Shr => l >> shift()?,
        BinaryOp::Eq => return Ok(i64::from(l == r)),
        BinaryOp::Ne => return Ok(i64::from(l != r)),
        BinaryOp::Lt => return Ok(i64::from(l < r)),
        BinaryOp::Le => return Ok(i64::from(l <= r)),
        BinaryOp::Gt => return Ok(i64::from(l > r)),
        BinaryOp::Ge => return Ok(i64::from(l >= r)),
        BinaryOp::And => return Ok(i64::from(l != 0 && r != 0)),
        BinaryOp::Or => return Ok(i64::from(l != 0 || r != 0)),
    };
    fit(arith, value)
}

/// What a read-modify-write writes, for a cell of type `ty` that holds `old`; `None` when a
/// compare-exchange finds another value and writes nothing.
pub fn rmw(op: &RmwOp, ty: Scalar, old: i64, registers: &impl Registers) -> Result<Option<i64>, Fault> {
    let (operator, operand) = match op {
        RmwOp::Exchange(value) => return Ok(Some(eval(value, registers)?)),
        RmwOp::CompareExchange { expected, new } => {
            let (expected, new) = (eval(expected, registers)?, eval(new, registers)?);
            return Ok((old == expected).then_some(new));
        }
        RmwOp::Add(value) => (BinaryOp::Add, value),
        RmwOp::Sub(value) => (BinaryOp::Sub, value),
        RmwOp::And(value) => (BinaryOp::BitAnd, value),
        RmwOp::Or(value) => (BinaryOp::BitOr, value),
        RmwOp::Xor(value) => (BinaryOp::BitXor, value),
    };
    let operand = eval(operand, registers)?;
    let arith = Arith::of(ty);
    let new = binary(operator, arith, old, operand)?;
    match ty {
        Scalar::Int(_) | Scalar::Pointer { .. } => Ok(Some(new)),
        _ => ty.value_of(new.into()).map(Some).ok_or(Fault::OutOfRange { value: new.into(), ty }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::IntType;

    struct NoRegisters;
    impl Registers for NoRegisters {
        fn get(&self, _: Reg) -> i64 {
            unreachable!("the tests use constants only")
        }
    }

    fn constant(v: i64) -> Box<Expr> {
        Box::new(Expr::Const(v))
    }

    #[test]
    fn exact_arithmetic_reports_leaving_64_bits() {
        assert_eq!(binary(BinaryOp::Add, Arith::Exact, i64::MAX, 1), Err(Fault::Overflow));
        assert_eq!(binary(BinaryOp::Mul, Arith::Exact, i64::MIN, -1), Err(Fault::Overflow));
        assert_eq!(binary(BinaryOp::Div, Arith::Exact, i64::MIN, -1), Err(Fault::Overflow));
        assert_eq!(binary(BinaryOp::Sub, Arith::Exact, 3, 5), Ok(-2));
    }

    #[test]
    fn fixed_width_arithmetic_wraps() {
        let i8_type = Arith::Wrap(IntType { bits: 8, signed: true });
        assert_eq!(binary(BinaryOp::Add, i8_type, 127, 1), Ok(-128));
        assert_eq!(binary(BinaryOp::Div, i8_type, -128, -1), Ok(-128));
        assert_eq!(binary(BinaryOp::Shr, i8_type, -2, 1), Ok(-1));
        assert_eq!(binary(BinaryOp::Shl, i8_type, 1, 8), Err(Fault::ShiftOutOfRange { by: 8 }));
        let u64_type = Arith::Wrap(IntType { bits: 64, signed: false });
        assert_eq!(binary(BinaryOp::Lt, u64_type, 1, -1), Ok(1));
        assert_eq!(binary(BinaryOp::Mul, u64_type, -1, -1), Ok(1));
        assert_eq!(binary(BinaryOp::Shr, u64_type, -1, 63), Ok(1));
    }

    #[test]
    fn logic_does_not_look_at_its_right_side_in_vain() {
        let fails = || Box::new(Expr::Binary(BinaryOp::Div, Arith::Exact, constant(1), constant(0)));
        let and = Expr::Binary(BinaryOp::And, Arith::Exact, constant(0), fails());
        let or = Expr::Binary(BinaryOp::Or, Arith::Exact, constant(2), fails());
        let select = Expr::Select(constant(0), fails(), constant(7));
        assert_eq!(eval(&and, &NoRegisters), Ok(0));
        assert_eq!(eval(&or, &NoRegisters), Ok(1));
        assert_eq!(eval(&select, &NoRegisters), Ok(7));
        assert_eq!(eval(&fails(), &NoRegisters), Err(Fault::DivisionByZero));
    }

    #[test]
    fn checks_and_indices_report_what_left_what() {
        let range = Scalar::Range { lo: 0, hi: 3 };
        let check = Expr::Check { from: Scalar::Integer, to: range, arg: constant(4) };
        assert_eq!(eval(&check, &NoRegisters), Err(Fault::OutOfRange { value: 4, ty: range }));
        assert_eq!(
            eval(&Expr::Index(2, constant(-1)), &NoRegisters),
            Err(Fault::OutOfBounds { index: -1, len: 2 })
        );
    }

    #[test]
    fn read_modify_writes() {
        let u8_type = Scalar::Int(IntType { bits: 8, signed: false });
        let range = Scalar::Range { lo: 0, hi: 1 };
        assert_eq!(rmw(&RmwOp::Add(Expr::Const(3)), u8_type, 254, &NoRegisters), Ok(Some(1)));
        assert_eq!(
            rmw(&RmwOp::Add(Expr::Const(1)), range, 1, &NoRegisters),
            Err(Fault::OutOfRange { value: 2, ty: range })
        );
        let cas = RmwOp::CompareExchange { expected: Expr::Const(0), new: Expr::Const(1) };
        assert_eq!(rmw(&cas, range, 0, &NoRegisters), Ok(Some(1)));
        assert_eq!(rmw(&cas, range, 1, &NoRegisters), Ok(None));
    }
}

//! Pure expressions over registers.

use crate::scalar::{IntType, Scalar};

/// A register slot of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Reg {
    /// A slot of the current procedure's frame.
    Local(u32),
    /// A slot that every procedure of the thread sees.
    Thread(u32),
}

/// How arithmetic treats results that do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Arith {
    /// Computed on integers; leaving 64 bits is [`crate::Fault::Overflow`].
    Exact,
    /// Computed in a fixed-width type, wrapping.
    Wrap(IntType),
}

impl Arith {
    /// How values of a type are computed with.
    pub fn of(ty: Scalar) -> Arith {
        match ty {
            Scalar::Int(int) => Arith::Wrap(int),
            Scalar::Pointer { .. } => Arith::Wrap(crate::pointer::WORD),
            Scalar::Bool | Scalar::Range { .. } | Scalar::Integer | Scalar::Thread | Scalar::Mutex => {
                Arith::Exact
            }
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`: 1 for 0, else 0
    Not,
}

/// Operators with two operands. Comparisons and logic give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, truncating
    Div,
    /// `%`, sign of the dividend
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`, arithmetic where signed
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`; the right side counts (and can fail) only if the left is nonzero
    And,
    /// `||`; the right side counts (and can fail) only if the left is zero
    Or,
}

/// A pure expression over registers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A value.
    Const(i64),
    /// A register's value.
    Reg(Reg),
    /// An element of a register array.
    At {
        /// First slot.
        base: Reg,
        /// Number of slots.
        len: u32,
        /// Which of them; out of bounds is an error of the program.
        index: Box<Expr>,
    },
    /// One operand.
    Unary(UnaryOp, Arith, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Arith, Box<Expr>, Box<Expr>),
    /// The second if the first is nonzero, else the third; the other is not evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operand, which must belong to the type; else an error of the program. Operands that
    /// are unsigned 64-bit values say so in `from`.
    Check {
        /// Type of the operand.
        from: Scalar,
        /// Type of the result.
        to: Scalar,
        /// The operand.
        arg: Box<Expr>,
    },
    /// The operand wrapped to a fixed-width type.
    Wrap(IntType, Box<Expr>),
    /// The operand, which must be an index below the number; else an error of the program.
    Index(u32, Box<Expr>),
}

impl Expr {
    /// Calls `visit` on this expression and all in it.
    pub fn visit(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Const(_) | Expr::Reg(_) => {}
            Expr::At { index: arg, .. }
            | Expr::Unary(_, _, arg)
            | Expr::Check { arg, .. }
            | Expr::Wrap(_, arg)
            | Expr::Index(_, arg) => arg.visit(visit),
            Expr::Binary(_, _, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            Expr::Select(cond, then, otherwise) => {
                cond.visit(visit);
                then.visit(visit);
                otherwise.visit(visit);
            }
        }
    }

    /// The operator and operands of arithmetic whose exact result must belong to a type of 64 bits: that it does not is an error
    /// of the program, where it would else be the end of what we compute with.
    pub fn as_checked_arithmetic(&self) -> Option<(BinaryOp, &Expr, &Expr)> {
        match self {
            Expr::Check {
                from: Scalar::Integer,
                to: Scalar::Int(IntType { bits: 64, signed: true }),
                arg,
            } => match &**arg {
                Expr::Binary(
                    op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div),
                    Arith::Exact,
                    left,
                    right,
                ) => Some((*op, left, right)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether evaluating it can be an error of the program. Leaving 64 bits is not one.
    pub fn can_fail(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| {
            found |= match e {
                Expr::Check { .. } => true,
                Expr::Index(len, arg) | Expr::At { len, index: arg, .. } => {
                    !matches!(**arg, Expr::Const(i) if (0..i64::from(*len)).contains(&i))
                }
                Expr::Binary(op, arith, _, right) => match op {
                    BinaryOp::Div | BinaryOp::Rem => !matches!(**right, Expr::Const(v) if v != 0),
                    BinaryOp::Shl | BinaryOp::Shr => {
                        let width = if let Arith::Wrap(int) = arith { i64::from(int.bits) } else { 64 };
                        !matches!(**right, Expr::Const(by) if (0..width).contains(&by))
                    }
                    _ => false,
                },
                Expr::Const(_) | Expr::Reg(_) | Expr::Unary(..) | Expr::Select(..) | Expr::Wrap(..) => false,
            }
        });
        found
    }

    /// `!self`
    pub fn negated(self) -> Expr {
        Expr::Unary(UnaryOp::Not, Arith::Exact, Box::new(self))
    }

    /// Whether index checks inside already keep it within an array of `len` cells.
    pub(super) fn stays_below(&self, len: i64) -> bool {
        fn bound(e: &Expr) -> Option<i64> {
            match e {
                Expr::Const(v) if *v >= 0 => Some(*v),
                Expr::Index(n, _) => Some(i64::from(*n) - 1),
                Expr::Binary(BinaryOp::Add, Arith::Exact, l, r) => bound(l)?.checked_add(bound(r)?),
                Expr::Binary(BinaryOp::Mul, Arith::Exact, l, r) => bound(l)?.checked_mul(bound(r)?),
                _ => None,
            }
        }
        bound(self).is_some_and(|b| b < len)
    }
}

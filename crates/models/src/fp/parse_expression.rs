//! Expressions of the modelling language, by precedence climbing.

use super::ast::*;
use super::parser::{ADDITIVE, Parser, Result, TYPES};
use fencepost_ir::tree::{BinaryOp, UnaryOp};
use fencepost_ir::{Access, Order};
use fencepost_text::Diagnostic;
use fencepost_text::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.deeper(|p| {
            let cond = p.binary(0)?;
            if !p.take_symbol("?") {
                return Ok(cond);
            }
            let then = p.expr()?;
            p.expect_symbol(":")?;
            let otherwise = p.expr()?;
            let span = cond.span.to(otherwise.span);
            Ok(Expr { kind: ExprKind::Select(Box::new(cond), Box::new(then), Box::new(otherwise)), span })
        })
    }

    /// Operators of at least the given strength, by precedence climbing.
    pub(super) fn binary(&mut self, least: u8) -> Result<Expr> {
        let mut left = self.deeper(Self::unary)?;
        let mut height = 0;
        while let Some((op, strength)) = self.operator()
            && strength >= least
        {
            height += 1;
            self.check_row(height)?;
            self.advance();
            let right = self.binary(strength + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(BinaryOp, u8)> {
        let TokenKind::Symbol(symbol) = self.peek().kind else { return None };
        let op = BinaryOp::ALL.into_iter().find(|op| op.symbol() == symbol)?;
        let strength = match op {
            BinaryOp::Or => 0,
            BinaryOp::And => 1,
            BinaryOp::BitOr => 2,
            BinaryOp::BitXor => 3,
            BinaryOp::BitAnd => 4,
            BinaryOp::Eq | BinaryOp::Ne => 5,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 6,
            BinaryOp::Shl | BinaryOp::Shr => 7,
            BinaryOp::Add | BinaryOp::Sub => ADDITIVE,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 9,
        };
        Some((op, strength))
    }

    pub(super) fn unary(&mut self) -> Result<Expr> {
        let span = self.peek().span;
        let op = if self.take_symbol("!") {
            UnaryOp::Not
        } else if self.take_symbol("-") {
            UnaryOp::Neg
        } else if self.take_symbol("~") {
            UnaryOp::BitNot
        } else {
            return self.postfix();
        };
        let arg = self.deeper(Self::unary)?;
        let span = span.to(arg.span);
        Ok(match (op, arg.kind) {
            (UnaryOp::Neg, ExprKind::Number(n)) => Expr { kind: ExprKind::Number(-n), span },
            (op, kind) => {
                let arg = Box::new(Expr { kind, span: arg.span });
                Expr { kind: ExprKind::Unary(op, arg), span }
            }
        })
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut e = self.primary()?;
        while self.take_symbol(".") {
            let member = self.name("a variable of the thread")?;
            let span = e.span.to(member.span);
            e = Expr { kind: ExprKind::Member(Box::new(e), member), span };
        }
        Ok(e)
    }

    pub(super) fn args(&mut self) -> Result<Vec<Expr>> {
        self.expect_symbol("(")?;
        if self.take_symbol(")") {
            return Ok(Vec::new());
        }
        let args = self.separated(Self::expr)?;
        self.expect_symbol(")")?;
        Ok(args)
    }

    /// What follows `@`.
    fn access(&mut self) -> Result<Access> {
        let found = match &self.peek().kind {
            TokenKind::Word(word) => Access::from_name(word),
            _ => None,
        };
        let Some(access) = found else {
            return Err(self.unexpected("`volatile` or a memory order").help(
                "memory orders are `relaxed`, `acquire`, `release`, `acq_rel` and `seq_cst`, as in `x@release = 1;`",
            ));
        };
        self.advance();
        let Some(success) = access.order().filter(|_| self.take_symbol("@")) else { return Ok(access) };
        let failure = match &self.peek().kind {
            TokenKind::Word(word) => Order::from_name(word).filter(|order| order.suits_load()),
            _ => None,
        };
        let Some(failure) = failure else {
            return Err(self.unexpected("the order of a compare-exchange that fails").help(
                "it is that of a load, `relaxed`, `acquire` or `seq_cst`, as in `cas(x@acq_rel@relaxed, 0, 1)`",
            ));
        };
        self.advance();
        Ok(Access::Compare { success, failure })
    }

    fn primary(&mut self) -> Result<Expr> {
        let token = self.peek().clone();
        let span = token.span;
        match token.kind {
            TokenKind::Number(Some(n)) => {
                self.advance();
                Ok(Expr { kind: ExprKind::Number(n), span })
            }
            TokenKind::Number(None) => Err(Diagnostic::new(span, "this number does not fit 64 bits")),
            TokenKind::Symbol("(") => {
                self.advance();
                if let TokenKind::Word(word) = self.peek().kind.clone()
                    && TYPES.contains(&word.as_str())
                {
                    let name = Name { text: word, span: self.advance().span };
                    self.expect_symbol(")")?;
                    let arg = self.deeper(Self::unary)?;
                    let span = span.to(arg.span);
                    return Ok(Expr { kind: ExprKind::Cast(name, Box::new(arg)), span });
                }
                let e = self.expr()?;
                self.expect_symbol(")")?;
                Ok(e)
            }
            TokenKind::Word(word) => match word.as_str() {
                "true" | "false" | "none" => {
                    self.advance();
                    Ok(Expr {
                        kind: ExprKind::Variable(Name { text: word, span }, Vec::new(), Access::Plain),
                        span,
                    })
                }
                "any" => {
                    self.advance();
                    let mut choices = Vec::new();
                    if self.take_symbol("(") {
                        choices = self.separated(|p| {
                            let lo = p.expr()?;
                            let hi = if p.take_symbol("..") { p.expr()? } else { lo.clone() };
                            Ok((lo, hi))
                        })?;
                        self.expect_symbol(")")?;
                    }
                    Ok(Expr { kind: ExprKind::Any(choices), span })
                }
                "spawn" => {
                    self.advance();
                    let drain = self.drain();
                    let name = self.name("a process to spawn")?;
                    let args = if self.is_symbol("(") { self.args()? } else { Vec::new() };
                    Ok(Expr { kind: ExprKind::Spawn(name, args, drain), span })
                }
                _ => {
                    let name = self.name("an expression")?;
                    if self.is_symbol("(") {
                        let args = self.args()?;
                        return Ok(Expr { kind: ExprKind::Call(name, args), span });
                    }
                    let mut indices = Vec::new();
                    let mut end = span;
                    while self.take_symbol("[") {
                        indices.push(self.expr()?);
                        end = self.expect_symbol("]")?;
                    }
                    let mut access = Access::Plain;
                    if self.take_symbol("@") {
                        end = self.here();
                        access = self.access()?;
                    }
                    Ok(Expr { kind: ExprKind::Variable(name, indices, access), span: span.to(end) })
                }
            },
            TokenKind::Symbol(_) | TokenKind::End => Err(self.unexpected("an expression")),
        }
    }
}

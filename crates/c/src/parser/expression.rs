//! Expressions.

use super::row::Aside;
use super::{Keyword, Parser, Result, TokenKind, refused};
use crate::ast::*;
use fencepost_ir::Span;
use fencepost_text::Diagnostic;

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

/// How strongly operators bind: commas least, multiplication most.
const COMMA: u8 = 0;
const ASSIGNMENT: u8 = 1;
const CONDITIONAL: u8 = 2;

/// An operator after an operand.
#[derive(Clone, Copy)]
enum Infix {
    Comma,
    /// `op=`, or plain `=`.
    Assign(Option<BinaryOp>),
    Conditional,
    Binary(BinaryOp),
}

/// An operator and how strongly it binds.
fn infix(symbol: &str) -> Option<(Infix, u8)> {
    let assign = |operator| (Infix::Assign(operator), ASSIGNMENT);
    let binary = |operator, above: u8| (Infix::Binary(operator), CONDITIONAL + above);
    Some(match symbol {
        "," => (Infix::Comma, COMMA),
        "=" => assign(None),
        "*=" => assign(Some(BinaryOp::Mul)),
        "/=" => assign(Some(BinaryOp::Div)),
        "%=" => assign(Some(BinaryOp::Rem)),
        "+=" => assign(Some(BinaryOp::Add)),
        "-=" => assign(Some(BinaryOp::Sub)),
        "<<=" => assign(Some(BinaryOp::Shl)),
        ">>=" => assign(Some(BinaryOp::Shr)),
        "&=" => assign(Some(BinaryOp::BitAnd)),
        "^=" => assign(Some(BinaryOp::BitXor)),
        "|=" => assign(Some(BinaryOp::BitOr)),
        "?" => (Infix::Conditional, CONDITIONAL),
        "||" => binary(BinaryOp::Or, 1),
        "&&" => binary(BinaryOp::And, 2),
        "|" => binary(BinaryOp::BitOr, 3),
        "^" => binary(BinaryOp::BitXor, 4),
        "&" => binary(BinaryOp::BitAnd, 5),
        "==" => binary(BinaryOp::Eq, 6),
        "!=" => binary(BinaryOp::Ne, 6),
        "<" => binary(BinaryOp::Lt, 7),
        ">" => binary(BinaryOp::Gt, 7),
        "<=" => binary(BinaryOp::Le, 7),
        ">=" => binary(BinaryOp::Ge, 7),
        "<<" => binary(BinaryOp::Shl, 8),
        ">>" => binary(BinaryOp::Shr, 8),
        "+" => binary(BinaryOp::Add, 9),
        "-" => binary(BinaryOp::Sub, 9),
        "*" => binary(BinaryOp::Mul, 10),
        "/" => binary(BinaryOp::Div, 10),
        "%" => binary(BinaryOp::Rem, 10),
        _ => return None,
    })
}

fn unary_operator(symbol: &str) -> Option<UnaryOp> {
    Some(match symbol {
        "+" => UnaryOp::Plus,
        "-" => UnaryOp::Minus,
        "~" => UnaryOp::BitNot,
        "!" => UnaryOp::Not,
        "&" => UnaryOp::AddressOf,
        "*" => UnaryOp::Deref,
        _ => return None,
    })
}

impl Parser<'_, '_> {
    /// With commas.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.climb(COMMA)
    }

    /// Without commas.
    pub(super) fn assignment(&mut self) -> Result<Expr> {
        self.climb(ASSIGNMENT)
    }

    /// Without commas and assignments: what C calls a constant expression.
    pub(super) fn conditional(&mut self) -> Result<Expr> {
        self.climb(CONDITIONAL)
    }

    /// Without choices, too: what may come before the next `?` of a chain.
    pub(super) fn operand_of_choice(&mut self) -> Result<Expr> {
        self.climb(CONDITIONAL + 1)
    }

    /// Operators of at least the given strength, by precedence climbing. Assignments take any operand on
    /// their left, as in GCC: whether it can be assigned to is for types to say.
    fn climb(&mut self, least: u8) -> Result<Expr> {
        self.row(|p| {
            let mut left = p.deeper(Self::cast)?;
            let mut aside = Aside::new();
            while let TokenKind::Symbol(symbol) = p.kind()
                && let Some((operator, strength)) = infix(symbol)
                && strength >= least
            {
                p.advance();
                let start = left.span;
                if p.is_high() {
                    match (operator, &left.kind) {
                        (Infix::Comma, _) => {
                            p.put_statement_aside(left, &mut aside);
                            left = p.beside(|p| p.climb(ASSIGNMENT))?;
                            continue;
                        }
                        (Infix::Binary(_) | Infix::Conditional, ExprKind::Binary(..)) => {
                            left = p.put_aside(left, &mut aside);
                        }
                        _ => {}
                    }
                }
                let kind = p.beside(|p| p.infix(left, operator, strength))?;
                left = expr(kind, p.since(start));
            }
            Ok(p.together(left, aside))
        })
    }

    /// What follows an operator and its left operand.
    fn infix(&mut self, left: Expr, operator: Infix, strength: u8) -> Result<ExprKind> {
        if let Infix::Conditional = operator {
            return self.choice(left);
        }
        let left = Box::new(left);
        Ok(match operator {
            Infix::Comma => ExprKind::Comma(left, Box::new(self.climb(ASSIGNMENT)?)),
            Infix::Assign(operator) => ExprKind::Assign(operator, left, Box::new(self.climb(ASSIGNMENT)?)),
            Infix::Conditional => panic!("a choice has its own rule"),
            Infix::Binary(operator) => ExprKind::Binary(operator, left, Box::new(self.climb(strength + 1)?)),
        })
    }

    fn cast(&mut self) -> Result<Expr> {
        if !self.is("(") || !self.is_type_at(1) {
            return self.unary();
        }
        let start = self.here();
        let ty = self.parenthesized_type()?;
        if self.is("{") {
            return self.compound_literal(ty, start);
        }
        let operand = self.deeper(Self::cast)?;
        Ok(expr(ExprKind::Cast(ty, Box::new(operand)), self.since(start)))
    }

    /// `(T)`
    pub(super) fn parenthesized_type(&mut self) -> Result<Box<TypeName>> {
        self.expect("(")?;
        let ty = self.deeper(Self::type_name)?;
        self.expect(")")?;
        Ok(ty)
    }

    /// The braces after `(T)`, and what follows them.
    fn compound_literal(&mut self, ty: Box<TypeName>, start: Span) -> Result<Expr> {
        self.row(|p| {
            let list = p.initializer_list()?;
            let literal = expr(ExprKind::CompoundLiteral(ty, list), p.since(start));
            p.postfix(literal)
        })
    }

    fn unary(&mut self) -> Result<Expr> {
        let start = self.here();
        match self.kind() {
            TokenKind::Symbol("++") => self.step(StepOp::PreIncrement),
            TokenKind::Symbol("--") => self.step(StepOp::PreDecrement),
            TokenKind::Symbol("&&") => {
                self.advance();
                let label = self.name("a label")?;
                Ok(expr(ExprKind::LabelAddress(label), self.since(start)))
            }
            TokenKind::Symbol(symbol) => match unary_operator(symbol) {
                Some(operator) => self.operator(operator),
                None => self.primary_and_postfix(),
            },
            TokenKind::Keyword(Keyword::Real) => self.operator(UnaryOp::Real),
            TokenKind::Keyword(Keyword::Imag) => self.operator(UnaryOp::Imag),
            TokenKind::Keyword(Keyword::Extension) => {
                self.advance();
                self.deeper(Self::cast)
            }
            TokenKind::Keyword(Keyword::Sizeof) => {
                let operand = self.sizeof_operand()?;
                Ok(expr(ExprKind::Sizeof(operand), self.since(start)))
            }
            TokenKind::Keyword(Keyword::Alignof) => {
                let operand = self.sizeof_operand()?;
                Ok(expr(ExprKind::Alignof(operand), self.since(start)))
            }
            _ => self.primary_and_postfix(),
        }
    }

    fn operator(&mut self, operator: UnaryOp) -> Result<Expr> {
        let start = self.advance().span;
        let operand = self.deeper(Self::cast)?;
        Ok(expr(ExprKind::Unary(operator, Box::new(operand)), self.since(start)))
    }

    fn step(&mut self, step: StepOp) -> Result<Expr> {
        let start = self.advance().span;
        let operand = self.deeper(Self::unary)?;
        Ok(expr(ExprKind::Step(step, Box::new(operand)), self.since(start)))
    }

    /// The operand of `sizeof`: `(T)` is a type unless braces make it a compound literal.
    fn sizeof_operand(&mut self) -> Result<TypeOrExpr> {
        self.advance();
        if !self.is("(") || !self.is_type_at(1) {
            return Ok(TypeOrExpr::Expr(Box::new(self.deeper(Self::unary)?)));
        }
        let start = self.here();
        let ty = self.parenthesized_type()?;
        if self.is("{") {
            return Ok(TypeOrExpr::Expr(Box::new(self.compound_literal(ty, start)?)));
        }
        Ok(TypeOrExpr::Type(ty))
    }

    fn primary_and_postfix(&mut self) -> Result<Expr> {
        self.row(|p| {
            let primary = p.primary()?;
            p.postfix(primary)
        })
    }

    /// The rest of a row that begins with an expression.
    fn postfix(&mut self, mut inner: Expr) -> Result<Expr> {
        loop {
            let start = inner.span;
            let TokenKind::Symbol(symbol) = self.kind() else { return Ok(inner) };
            if !matches!(symbol, "[" | "(" | "." | "->" | "++" | "--") {
                return Ok(inner);
            }
            self.advance();
            let base = Box::new(inner);
            let kind = self.beside(|p| {
                Ok(match symbol {
                    "[" => {
                        let index = p.expression()?;
                        p.expect("]")?;
                        ExprKind::Index(base, Box::new(index))
                    }
                    "(" => ExprKind::Call(base, p.arguments()?),
                    "." => ExprKind::Member(base, Access::Dot, p.name("a member's name")?),
                    "->" => ExprKind::Member(base, Access::Arrow, p.name("a member's name")?),
                    "++" => ExprKind::Step(StepOp::PostIncrement, base),
                    _ => ExprKind::Step(StepOp::PostDecrement, base),
                })
            })?;
            inner = expr(kind, self.since(start));
        }
    }

    /// What follows a call's `(`.
    fn arguments(&mut self) -> Result<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment()?);
            if self.take(")") {
                return Ok(arguments);
            }
            if !self.take(",") {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        let token = self.peek();
        let start = token.span;
        let kind = match token.kind {
            TokenKind::Identifier => {
                if self.is_type(token.text) {
                    let message = format!("expected an expression, found the type `{}`", token.text);
                    return refused(Diagnostic::new(start, message).label("a type"));
                }
                self.advance();
                ExprKind::Identifier(token.text.to_string())
            }
            TokenKind::Integer(literal) => {
                self.advance();
                ExprKind::Integer(literal)
            }
            TokenKind::Float => {
                self.advance();
                ExprKind::Float(token.text.to_string())
            }
            TokenKind::Character(literal) => {
                self.advance();
                ExprKind::Character(literal)
            }
            TokenKind::String => ExprKind::String(self.string()?),
            TokenKind::Symbol("(") => return self.parenthesized(),
            TokenKind::Keyword(keyword) => self.keyword_expression(keyword)?,
            TokenKind::Symbol(_) | TokenKind::End => return Err(self.unexpected("an expression")),
        };
        Ok(expr(kind, self.since(start)))
    }

    /// `(a)`, `({ ... })`
    fn parenthesized(&mut self) -> Result<Expr> {
        let start = self.expect("(")?;
        let is_operand =
            |kind| matches!(kind, TokenKind::Identifier | TokenKind::Integer(_) | TokenKind::String);
        if self.kind() == TokenKind::Identifier && self.is_at(1, ")") && is_operand(self.peek_at(2).kind) {
            // It looks like a cast.
            return Err(self.unknown_type());
        }
        let kind = if self.is("{") {
            ExprKind::Statements(Box::new(self.deeper(Self::block)?))
        } else {
            self.expression()?.kind
        };
        self.expect(")")?;
        Ok(expr(kind, self.since(start)))
    }

    /// Expressions that begin with a keyword. Not inlined, since these would take stack from each level
    /// of parentheses.
    #[inline(never)]
    fn keyword_expression(&mut self, keyword: Keyword) -> Result<ExprKind> {
        match keyword {
            Keyword::FunctionName => {
                self.advance();
                Ok(ExprKind::FunctionName)
            }
            Keyword::Generic => self.generic(),
            Keyword::BuiltinOffsetof => self.offsetof(),
            Keyword::BuiltinVaArg => {
                self.advance();
                self.expect("(")?;
                let list = self.assignment()?;
                self.expect(",")?;
                let ty = self.deeper(Self::type_name)?;
                self.expect(")")?;
                Ok(ExprKind::VaArg(Box::new(list), ty))
            }
            Keyword::BuiltinTypesCompatible => {
                self.advance();
                self.expect("(")?;
                let left = self.deeper(Self::type_name)?;
                self.expect(",")?;
                let right = self.deeper(Self::type_name)?;
                self.expect(")")?;
                Ok(ExprKind::TypesCompatible(left, right))
            }
            Keyword::BuiltinChooseExpr => {
                self.advance();
                self.expect("(")?;
                let condition = self.assignment()?;
                self.expect(",")?;
                let then = self.assignment()?;
                self.expect(",")?;
                let otherwise = self.assignment()?;
                self.expect(")")?;
                Ok(ExprKind::Choose(Box::new([condition, then, otherwise])))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn generic(&mut self) -> Result<ExprKind> {
        self.advance();
        self.expect("(")?;
        let control = if self.is_type_at(0) {
            TypeOrExpr::Type(self.deeper(Self::type_name)?)
        } else {
            TypeOrExpr::Expr(Box::new(self.assignment()?))
        };
        let mut associations: Vec<(Option<TypeName>, Expr)> = Vec::new();
        while self.take(",") {
            let place = self.here();
            let ty = if self.take_word(Keyword::Default) {
                if associations.iter().any(|(ty, _)| ty.is_none()) {
                    return refused(Diagnostic::new(place, "this `_Generic` has a default already"));
                }
                None
            } else {
                Some(*self.deeper(Self::type_name)?)
            };
            self.expect(":")?;
            associations.push((ty, self.assignment()?));
        }
        if associations.is_empty() {
            return Err(self.unexpected("`,`"));
        }
        self.expect(")")?;
        Ok(ExprKind::Generic(Box::new(Generic { control, associations })))
    }

    fn offsetof(&mut self) -> Result<ExprKind> {
        self.advance();
        self.expect("(")?;
        let ty = self.deeper(Self::type_name)?;
        self.expect(",")?;
        let mut steps = vec![OffsetofStep::Field(self.name("a member's name")?)];
        loop {
            if self.take(".") {
                steps.push(OffsetofStep::Field(self.name("a member's name")?));
            } else if self.take("[") {
                steps.push(OffsetofStep::Index(self.expression()?));
                self.expect("]")?;
            } else {
                self.expect(")")?;
                return Ok(ExprKind::Offsetof(ty, steps));
            }
        }
    }
}

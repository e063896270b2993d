//! Expressions: which rule checks which.

use super::link::VariableDecl;
use super::place::Operand;
use super::scope::Symbol;
use super::{Checker, Reported, Result};
use crate::ast::{self, ExprKind as Ast, UnaryOp};
use crate::hir::{Base, Block, Conversion, Expr, ExprKind, Global, Length, Lives, Origin, Place, TypeId};
use fencepost_ir::Span;

impl<'a> Checker<'a> {
    /// An expression for its value.
    pub fn value(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        let operand = self.operand(e)?;
        let value = self.read(operand)?;
        Ok(value)
    }

    /// An expression for what it does; what could not be checked is an error that has been reported.
    pub fn effect(&mut self, e: &'a ast::Expr) -> Expr {
        self.value(e).unwrap_or_else(|_| self.error(e.span))
    }

    /// The type of an expression that is not evaluated: that of an array is the array's.
    pub fn type_of(&mut self, e: &'a ast::Expr) -> Result<TypeId> {
        let operand = self.unevaluated(|this| this.operand(e))?;
        Ok(match operand {
            Operand::Place(place) => place.ty,
            Operand::Value(value) => value.ty,
            Operand::Function(pointer) => {
                self.types.element(pointer.ty).expect("functions become pointers to them")
            }
        })
    }

    /// What an expression is.
    pub fn operand(&mut self, e: &'a ast::Expr) -> Result<Operand> {
        let span = e.span;
        let value = match &e.kind {
            Ast::Identifier(name) => return self.identifier(name, span),
            Ast::Integer(literal) => self.integer_literal(literal, span),
            Ast::Float(text) => self.number(text, span)?,
            Ast::Character(literal) => {
                let ty = self.character_constant_type(literal.encoding);
                self.constant(literal.value.into(), ty, span)
            }
            Ast::String(literal) => return Ok(Operand::Place(self.string(literal, span))),
            Ast::FunctionName => return Ok(Operand::Place(self.function_name(span))),
            Ast::Unary(UnaryOp::Deref, pointer) => return self.deref(pointer, span),
            Ast::Unary(UnaryOp::AddressOf, arg) => self.address(arg, span)?,
            Ast::Unary(UnaryOp::Real | UnaryOp::Imag, _) => {
                return self.fail(span, "complex numbers are not supported");
            }
            Ast::Unary(op, arg) => self.unary_operator(*op, arg, span)?,
            Ast::Step(op, arg) => self.step(*op, arg, span)?,
            Ast::Binary(op, left, right) => self.binary_operator(*op, left, right, span)?,
            Ast::Assign(None, target, value) => self.assign(target, value, span)?,
            Ast::Assign(Some(op), target, value) => self.update(*op, target, value, span)?,
            Ast::Conditional(condition, Some(then), otherwise) => {
                self.conditional(condition, then, otherwise, span)?
            }
            Ast::Conditional(first, None, otherwise) => self.elvis(first, otherwise, span)?,
            Ast::Comma(first, last) => {
                let first = self.value(first);
                let last = self.value(last)?;
                let ty = last.ty;
                Expr { kind: ExprKind::Comma(Box::new(first?), Box::new(last)), ty, span }
            }
            Ast::Cast(ty, arg) => self.cast(ty, arg, span)?,
            Ast::CompoundLiteral(ty, list) => return self.compound_literal(ty, list, span),
            Ast::Call(function, args) => self.call(function, args, span)?,
            Ast::Index(array, index) => return self.index(array, index, span),
            Ast::Member(record, access, name) => return self.member_access(record, *access, name, span),
            Ast::Sizeof(of) => self.sizeof(of, span)?,
            Ast::Alignof(of) => self.alignof(of, span)?,
            Ast::Generic(generic) => {
                let chosen = self.generic(generic, span)?;
                return self.operand(chosen);
            }
            Ast::Statements(block) => self.statement_expression(block, span)?,
            Ast::LabelAddress(name) => self.label_address(name, span)?,
            Ast::Offsetof(ty, steps) => self.offset_of(ty, steps, span)?,
            Ast::VaArg(list, ty) => self.va_arg(list, ty, span)?,
            Ast::TypesCompatible(left, right) => self.types_compatible(left, right, span)?,
            Ast::Choose(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.integer_constant(condition)? != 0 { then } else { otherwise };
                return self.operand(chosen);
            }
        };
        Ok(Operand::Value(value))
    }

    fn identifier(&mut self, name: &'a str, span: Span) -> Result<Operand> {
        match self.scopes.lookup(name) {
            Some(Symbol::Local(id)) => Ok(Operand::Place(self.local_place(id, span))),
            // Only its type counts, so it need not be defined.
            Some(Symbol::Variable(decl)) if self.mode.unevaluated > 0 => {
                Ok(Operand::Place(self.declared_place(decl, span)))
            }
            Some(Symbol::Variable(decl)) if self.is_standard_file(decl) => {
                let ty = self.link.variables[decl].ty;
                self.standard_file(ty, span).map(Operand::Value)
            }
            Some(Symbol::Variable(decl)) => self.variable_place(decl, span).map(Operand::Place),
            Some(Symbol::Constant(value, ty)) => Ok(Operand::Value(self.constant(value, ty, span))),
            Some(Symbol::Function(decl)) => {
                let ty = self.types.pointer_to(self.link.functions[decl].ty);
                // Only its type counts.
                let kind = match self.mode.unevaluated {
                    0 => ExprKind::Function(self.named_function(decl, span)?),
                    _ => ExprKind::Error,
                };
                Ok(Operand::Function(Expr { kind, ty, span }))
            }
            Some(Symbol::Broken) => Err(Reported(())),
            Some(Symbol::Type(_)) | None => Err(self.not_declared(name, span)),
        }
    }

    /// Whether a variable is one of the standard streams, which have no definition.
    fn is_standard_file(&self, decl: VariableDecl) -> bool {
        let variable = &self.link.variables[decl];
        variable.lives.is_none() && matches!(variable.name, "stdin" | "stdout" | "stderr")
    }

    /// The place of a variable of which only the type counts.
    fn declared_place(&self, decl: VariableDecl, span: Span) -> Place {
        let pointer = self.error(span);
        self.whole(Base::Pointed(Box::new(pointer)), self.link.variables[decl].ty, span)
    }

    /// `&a`
    fn address(&mut self, arg: &'a ast::Expr, span: Span) -> Result<Expr> {
        match &arg.kind {
            Ast::Comma(..) => {
                let place = self.place(arg)?;
                self.address_of(place, span)
            }
            _ => match self.operand(arg)? {
                Operand::Function(pointer) => Ok(Expr { span, ..pointer }),
                Operand::Place(place) => self.address_of(place, span),
                Operand::Value(_) => self.fail(arg.span, "this is a value, which has no address"),
            },
        }
    }

    fn cast(&mut self, ty: &'a ast::TypeName, arg: &'a ast::Expr, span: Span) -> Result<Expr> {
        let ty = self.type_name(ty);
        let value = self.value(arg);
        let (ty, value) = (ty?, value?);
        let value = self.convert(value, ty, Conversion::Cast)?;
        Ok(self.after_lengths(Expr { span, ..value }))
    }

    /// `(type){...}`: a variable of its own, of the block, or outside of functions of the program.
    fn compound_literal(
        &mut self,
        ty: &'a ast::TypeName,
        list: &'a ast::InitializerList,
        span: Span,
    ) -> Result<Operand> {
        let mut ty = self.type_name(ty)?;
        if let Some((of, Length::Unknown)) = self.array(ty) {
            let n = self.list_length(ty, list);
            ty = self.types.array_of(of, Length::Known(n));
        }
        if self.types.size(ty).is_none() {
            return Err(self.incomplete(ty, span));
        }
        let init = self.list_initializer(ty, list)?;
        let base = if self.body.is_none() || self.mode.is_static {
            let (name, lives, origin) = ("%literal".to_string(), Lives::Program, Origin::Library);
            let function = self.body.as_ref().map(|body| body.id);
            let global = Global { name, ty, lives, function, init, origin, span };
            Base::Global(self.output.globals.push(global))
        } else {
            Base::Literal(self.new_local("", ty, span), Box::new(init))
        };
        Ok(Operand::Place(self.whole(base, ty, span)))
    }

    /// `({ ...; value; })`
    fn statement_expression(&mut self, block: &'a ast::Block, span: Span) -> Result<Expr> {
        if self.body.is_none() {
            return self.fail(span, "statements stand in functions only");
        }
        let (items, value) = self.block_with_value(block);
        let value = match value {
            Some(value) => Some(Box::new(value?)),
            None => None,
        };
        let ty = value.as_ref().map_or(self.types.void(), |value| value.ty);
        Ok(Expr { kind: ExprKind::Statements(Box::new(Block { items }), value), ty, span })
    }
}

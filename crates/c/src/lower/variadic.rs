//! Arguments behind `...`, and functions that look at them.
//!
//! If anything in the program does, each function with `...` has one parameter more: a pointer to an object of its
//! caller, in which every further argument has eight bytes, as an integer or as a pointer. A `va_list` is such a pointer,
//! and `va_arg` follows it and moves it on. One that reads behind the last argument leaves the object, which is
//! found as any such access is.

use super::*;
use crate::ast::ExprKind as Ast;
use crate::types::Rank;
use fencepost_ir::{Field, IntType, Record, RecordId, RecordKind};

/// Bytes of an argument.
const WORD: u64 = 8;

/// What `va_list` is.
pub(super) fn list_type() -> CType {
    CType::integer(Rank::LongLong, false).pointer_to()
}

/// Whether anything in a unit looks at arguments behind `...`.
pub(super) fn looks_at_arguments(unit: &ast::Unit) -> bool {
    let mut looks = false;
    crate::visit::expressions(unit, &mut |e, is_callee| {
        looks |= match &e.kind {
            Ast::VaArg(..) => true,
            Ast::Identifier(name) => is_callee && matches!(name.as_str(), "vsnprintf" | "vsprintf"),
            _ => false,
        };
    });
    looks
}

impl<'a> Lowerer<'a> {
    /// The parameter that points to further arguments.
    pub(super) fn hidden_parameter(&self, span: Span) -> Variable {
        let pointer = Scalar::Pointer { bits: self.program.pointer_bits };
        Variable::new("%further".into(), pointer.into(), vec![Choices::one(0)], span)
    }

    /// Evaluates a further argument, and adds its words to those before it.
    pub(super) fn further_argument(&mut self, value: Value, words: &mut Vec<Expr>, span: Span) -> Result<()> {
        match value {
            Value::Scalar(value) if value.ty.is_pointer() => words.push(self.keep(value.expr)),
            // Whoever takes it as a number gets one. It is not followed to there, where other arguments go as well.
            Value::Scalar(value) if value.ty.is_floating() => {
                let ty = value.expr.ty;
                self.discard(value.expr);
                words.push(Expr::constant(0, ty, Span::NONE));
            }
            Value::Scalar(value) => {
                let ty = value.ty.promoted();
                let value = self.convert(value, &ty, span)?;
                words.push(self.keep(value.expr));
            }
            Value::Record(place, ty) if self.uses_varargs => {
                for (_, place, scalar) in self.scalars_of(&place, &ty, span)? {
                    words.push(self.keep(Expr { kind: ExprKind::Read(place), ty: scalar, span }));
                }
            }
            Value::Record(..) => {}
            Value::Void => return Err(Diagnostic::new(span, "this has no value")),
        }
        Ok(())
    }

    /// A pointer to an object with these words.
    pub(super) fn further_arguments(&mut self, words: Vec<Expr>, span: Span) -> Expr {
        let pointer = Scalar::Pointer { bits: self.program.pointer_bits };
        if words.is_empty() {
            return Expr::constant(0, pointer, span);
        }
        let kept_as = |e: &Expr| match e.ty {
            Scalar::Pointer { .. } => pointer,
            _ => Scalar::Int(IntType { bits: 64, signed: false }),
        };
        let field = |(i, e): (usize, &Expr)| Field {
            name: String::new(),
            ty: kept_as(e).into(),
            offset: i as u64 * WORD,
        };
        let fields: Vec<Field> = words.iter().enumerate().map(field).collect();
        let size = words.len() as u64 * WORD;
        let name = "arguments".to_string();
        let id = RecordId(self.program.records.0.len() as u32);
        self.program.records.0.push(Record { name, kind: RecordKind::Struct, fields, size });
        self.members.push(Vec::new());
        self.alignments.push(WORD);
        self.complete.push(true);
        self.definitions.push(None);
        let variable = self.local("%arguments", Type::Record(id), span);
        let object = Place::variable(VarRef::Local(variable), span);
        self.emit(StmtKind::Declare(variable, None), span);
        for (i, word) in words.into_iter().enumerate() {
            let mut place = object.clone();
            place.path.push(Projection::Field(i));
            let scalar = kept_as(&word);
            self.emit(StmtKind::Assign(place, convert::wrapping(word, scalar, span)), span);
        }
        Expr { kind: ExprKind::AddressOf(object), ty: pointer, span }
    }

    /// `va_start`
    pub(super) fn first_argument(&mut self, list: &'a ast::Expr, span: Span) -> Result<Value> {
        let list = self.lvalue(list)?;
        let pointer = Scalar::Pointer { bits: self.program.pointer_bits };
        let first = match self.body.varargs {
            Some(id) => read_local(id, pointer, span),
            None => Expr::constant(0, pointer, span),
        };
        self.store(&list, first, span);
        Ok(Value::Void)
    }

    /// `va_copy`
    pub(super) fn copy_arguments(
        &mut self,
        to: &'a ast::Expr,
        from: &'a ast::Expr,
        span: Span,
    ) -> Result<Value> {
        let to = self.lvalue(to)?;
        let from = self.scalar(from)?;
        let from = self.keep(from.expr);
        self.store(&to, from, span);
        Ok(Value::Void)
    }

    /// `va_arg`
    pub(super) fn next_argument(
        &mut self,
        list: &'a ast::Expr,
        ty: &'a ast::TypeName,
        span: Span,
    ) -> Result<Value> {
        let ty = self.type_name(ty)?.unqualified().clone();
        let mut list = self.lvalue(list)?;
        self.stabilise(&mut list.place);
        if let CType::Record(_) = ty {
            let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
            let id = self.local("%record", storage, span);
            let target = Place::variable(VarRef::Local(id), span);
            for (_, place, scalar) in self.scalars_of(&target, &ty, span)? {
                let word = self.next_word(&list, matches!(scalar, Scalar::Pointer { .. }), span)?;
                self.emit(StmtKind::Assign(place, convert::wrapping(word, scalar, span)), span);
            }
            return Ok(Value::Record(target, ty));
        }
        if ty.is_floating() {
            self.next_word(&list, false, span)?;
            return Ok(Value::Scalar(self.some_number(&ty, span)));
        }
        if !ty.is_scalar() {
            return Err(self.no_values(&ty, span));
        }
        let word = self.next_word(&list, ty.is_pointer(), span)?;
        let scalar = self.types().scalar(&ty).expect("it is a scalar");
        Ok(Value::Scalar(Typed { expr: convert::wrapping(word, scalar, span), ty }))
    }

    /// Follows a list, and moves it on.
    fn next_word(&mut self, list: &Lvalue, is_pointer: bool, span: Span) -> Result<Expr> {
        let Value::Scalar(at) = self.load(list.clone(), span)? else {
            return Err(Diagnostic::new(span, "this is not a `va_list`"));
        };
        if *at.ty.unqualified() != list_type() {
            return Err(Diagnostic::new(span, "this is not a `va_list`"));
        }
        let at = Typed { expr: self.keep(at.expr), ..at };
        let scalar = match is_pointer {
            true => Scalar::Pointer { bits: self.program.pointer_bits },
            false => Scalar::Int(IntType { bits: 64, signed: false }),
        };
        let base = Base::Pointed(Box::new(at.expr.clone()), scalar.into());
        let word = Expr {
            kind: ExprKind::Read(Place { base, path: Vec::new(), span, access: Access::Plain }),
            ty: scalar,
            span,
        };
        let word = self.keep(word);
        let one = self.int_constant(1, &CType::INT, span);
        let next = self.offset(at, one, 1, span)?;
        self.store(list, next.expr, span);
        Ok(word)
    }
}

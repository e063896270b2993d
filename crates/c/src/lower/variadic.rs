//! Arguments after `...`, and functions that look at them.
//!
//! If anything in the program does, each function with `...` has one parameter more: a pointer to an object of its
//! caller, in which every further argument has eight bytes, as an integer or as a pointer. A `va_list` is such a pointer,
//! and `va_arg` follows it and moves it on. One that reads beyond the last argument leaves the object, which is
//! found as any such access is.

use super::build::{number, pointed, read, read_local, wrapping};
use super::place::Target;
use super::types::WORD;
use super::{Lowerer, Result, Value};
use crate::hir::{self, Builtin, TypeId};
use fencepost_ir::tree::{
    Choices, Expr, ExprKind, Place, Projection, RecordKind, StmtKind, Type, VarRef, Variable,
};
use fencepost_ir::{Field, Record, Scalar, Span};

/// Bytes of an argument.
const BYTES: u64 = 8;

/// How an argument is looked at.
#[derive(Clone, Copy)]
enum As {
    Number,
    Pointer,
}

impl<'h> Lowerer<'h> {
    /// The parameter that points to further arguments.
    pub fn further_parameter(&self, span: Span) -> Variable {
        Variable::new("%further".into(), self.pointer().into(), vec![Choices::one(0)], span)
    }

    /// Evaluates a further argument, and adds its words to those before it.
    pub fn further_argument(
        &mut self,
        value: Value,
        ty: TypeId,
        words: &mut Vec<Expr>,
        span: Span,
    ) -> Result<()> {
        match value {
            // Whoever takes it as a number gets one. It is not followed to there, where other arguments go as well.
            Value::Scalar(value) if self.hir.types.is_floating(ty) => {
                let ty = value.ty;
                self.discard(value);
                words.push(Expr::constant(0, ty, Span::NONE));
            }
            Value::Scalar(value) => words.push(self.keep(value)),
            Value::Record(place) if self.facts.looks_at_arguments => {
                let storage = self.stored(ty, span)?;
                let parts = self.scalars_of(&place, &storage, span)?;
                words.extend(self.kept_scalars(parts, span));
            }
            Value::Record(_) | Value::Void => {}
        }
        Ok(())
    }

    /// A pointer to an object with these words.
    pub fn further_arguments(&mut self, words: Vec<Expr>, span: Span) -> Expr {
        let pointer = self.pointer();
        if words.is_empty() {
            return number(0, pointer, span);
        }
        let kept_as = |e: &Expr| match e.ty {
            Scalar::Pointer { .. } => pointer,
            _ => WORD,
        };
        let field = |(i, e): (usize, &Expr)| Field {
            name: String::new(),
            ty: kept_as(e).into(),
            offset: i as u64 * BYTES,
        };
        let fields: Vec<Field> = words.iter().enumerate().map(field).collect();
        let size = words.len() as u64 * BYTES;
        let record = Record { name: "arguments".to_string(), kind: RecordKind::Struct, fields, size };
        let record = Type::Record(self.new_record(record));
        let variable = self.local("%arguments", record, span);
        let object = Place::variable(VarRef::Local(variable), span);
        self.emit(StmtKind::Declare(variable, None), span);
        for (i, word) in words.into_iter().enumerate() {
            let mut place = object.clone();
            place.path.push(Projection::Field(i));
            let scalar = kept_as(&word);
            self.assign_place(place, wrapping(word, scalar, span), span);
        }
        Expr { kind: ExprKind::AddressOf(object), ty: pointer, span }
    }

    /// `va_start` and its like: the first operand is the address of the list.
    pub fn argument_list(&mut self, builtin: Builtin, args: &'h [hir::Expr], span: Span) -> Result<Value> {
        let list = self.scalar(&args[0])?;
        let list = self.follow(list, self.pointer().into(), span);
        match builtin {
            Builtin::VaStart => {
                let first = match self.body.further {
                    Some(id) => read_local(id, self.pointer(), span),
                    None => number(0, self.pointer(), span),
                };
                self.assign_place(list, first, span);
            }
            Builtin::VaCopy => {
                let from = self.scalar(&args[1])?;
                let from = self.keep(from);
                self.assign_place(list, from, span);
            }
            Builtin::VaEnd | Builtin::Overflow(..) => {}
        }
        Ok(Value::Void)
    }

    /// `va_arg`
    pub fn next_argument(&mut self, list: &'h hir::Place, ty: TypeId, span: Span) -> Result<Value> {
        let mut list = self.place(list)?;
        self.stabilise(&mut list.place);
        if self.is_compound(ty) {
            let storage = self.stored(ty, span)?;
            let target = self.temporary_record(storage.clone(), span);
            for (_, place, scalar) in self.scalars_of(&target, &storage, span)? {
                let looked_at =
                    if matches!(scalar, Scalar::Pointer { .. }) { As::Pointer } else { As::Number };
                let word = self.next_word(&list, looked_at, span);
                self.assign_place(place, wrapping(word, scalar, span), span);
            }
            return Ok(Value::Record(target));
        }
        if self.hir.types.is_floating(ty) {
            self.next_word(&list, As::Number, span);
            return self.some_number(ty, span).map(Value::Scalar);
        }
        let scalar = self.scalar_type(ty).ok_or_else(|| self.no_values(ty, span))?;
        let looked_at = if matches!(scalar, Scalar::Pointer { .. }) { As::Pointer } else { As::Number };
        let word = self.next_word(&list, looked_at, span);
        Ok(Value::Scalar(wrapping(word, scalar, span)))
    }

    /// Follows a list, and moves it on.
    fn next_word(&mut self, list: &Target, looked_at: As, span: Span) -> Expr {
        let at = self.keep(read(list.place.clone(), self.pointer(), span));
        let scalar = match looked_at {
            As::Pointer => self.pointer(),
            As::Number => WORD,
        };
        let word = self.keep(read(pointed(at.clone(), scalar, span), scalar, span));
        let bytes = number(BYTES as i64, self.distance_scalar(), span);
        let next = self.moved_by(at, bytes, span);
        self.assign_place(list.place.clone(), next, span);
        word
    }
}

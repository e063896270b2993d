//! Types of expressions that are not evaluated: operands of `sizeof`, `_Alignof` and `typeof`, and what `_Generic` chooses
//! by.
//!
//! Such an operand is never lowered where its type follows from the types of its parts: a function in it needs no body,
//! a variable no definition, and a string no memory. What is left, above all statement expressions and functions that are
//! built in, is lowered as if it were evaluated, and thrown away; calls in it are only given their types.

use super::*;
use crate::ast::{ExprKind as Ast, UnaryOp};

impl<'a> Lowerer<'a> {
    /// The type of an expression that is not evaluated. Arrays and functions have not become pointers.
    pub(super) fn type_of(&mut self, e: &'a ast::Expr) -> Result<CType> {
        match self.composed_type(e)? {
            Some(ty) => Ok(ty),
            None => self.lowered_type(e),
        }
    }

    /// The type of the value of an expression.
    fn value_type(&mut self, e: &'a ast::Expr) -> Result<CType> {
        let ty = self.type_of(e)?;
        let narrow = ty.bits().is_some_and(|bits| bits.width < 32 || bits.width == 32 && bits.unit.signed);
        match narrow && ty.is_integer() {
            true => Ok(CType::INT),
            false => Ok(declare::adjusted(ty.unqualified().clone())),
        }
    }

    /// The type that follows from those of the parts, if it does.
    fn composed_type(&mut self, e: &'a ast::Expr) -> Result<Option<CType>> {
        // Rows of variable length have types of their own.
        if matches!(e.kind, Ast::Index(..) | Ast::Unary(UnaryOp::Deref, _)) && self.is_in_rows(e) {
            return Ok(None);
        }
        Ok(Some(match &e.kind {
            Ast::Identifier(name) => self.named_type(name, e.span)?,
            Ast::Integer(literal) => self.literal_type(literal),
            Ast::String(literal) => {
                let n = literal.units.len() as u64 + 1;
                CType::Array(Rc::new(character_type(literal.encoding)), Some(n))
            }
            Ast::Unary(op, arg) => return self.unary_type(*op, arg),
            Ast::Step(_, arg) => self.type_of(arg)?.unqualified().clone(),
            Ast::Binary(op, left, right) => return self.binary_type(*op, left, right),
            Ast::Assign(_, target, _) => self.type_of(target)?.unqualified().clone(),
            Ast::Conditional(cond, then, otherwise) => {
                return self.conditional_type(then.as_deref().unwrap_or(cond), otherwise);
            }
            Ast::Comma(_, second) => self.value_type(second)?,
            Ast::Cast(ty, _) | Ast::VaArg(_, ty) => self.type_name(ty)?,
            Ast::CompoundLiteral(ty, _) => match self.type_name(ty)? {
                CType::Array(_, None) => return Ok(None),
                ty => ty,
            },
            Ast::Call(function, _) => return self.call_type(function),
            Ast::Index(base, index) => {
                let (base, index) = (self.value_type(base)?, self.value_type(index)?);
                let element = base.element().or(index.element()).cloned();
                element.ok_or_else(|| Diagnostic::new(e.span, "this is not an array or a pointer"))?
            }
            Ast::Member(record, access, name) => return self.member_type(record, *access, name),
            Ast::Sizeof(_) | Ast::Alignof(_) | Ast::Offsetof(..) => CType::UNSIGNED_LONG,
            Ast::TypesCompatible(..) => CType::INT,
            Ast::Generic(generic) => {
                let chosen = self.generic(generic, e.span)?;
                self.type_of(chosen)?
            }
            Ast::Choose(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.constant(condition)? != 0 { then } else { otherwise };
                self.type_of(chosen)?
            }
            Ast::LabelAddress(_) => CType::Void.pointer_to(),
            Ast::Float(text) => {
                let text = text.to_ascii_lowercase();
                if text.ends_with(['l', 'w', 'q', 'i', 'j']) {
                    return Ok(None);
                }
                let single = text.ends_with('f') && !text.starts_with("0x");
                CType::Floating(if single { 4 } else { 8 })
            }
            Ast::Character(_) | Ast::FunctionName | Ast::Statements(_) => return Ok(None),
        }))
    }

    fn named_type(&self, name: &str, span: Span) -> Result<CType> {
        Ok(match self.lookup(name) {
            Some(Symbol::Local(_, ty) | Symbol::Pointed(_, ty) | Symbol::Constant(_, ty)) => ty.clone(),
            Some(Symbol::Global(index)) => self.globals[*index].ty.clone(),
            Some(Symbol::Function(index)) => CType::Function(self.functions[*index].ty.clone()),
            Some(Symbol::Alias(value)) => value.ty.clone(),
            Some(Symbol::Type(_)) | None => {
                return Err(Diagnostic::new(span, format!("`{name}` is not declared")));
            }
        })
    }

    fn unary_type(&mut self, op: UnaryOp, arg: &'a ast::Expr) -> Result<Option<CType>> {
        Ok(Some(match op {
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => match self.value_type(arg)? {
                ty if ty.is_integer() || ty.is_floating() => ty.promoted(),
                _ => return Ok(None),
            },
            UnaryOp::Not => CType::INT,
            UnaryOp::AddressOf => self.type_of(arg)?.pointer_to(),
            UnaryOp::Deref => {
                let element = self.value_type(arg)?.element().cloned();
                element.ok_or_else(|| Diagnostic::new(arg.span, "this is not a pointer"))?
            }
            UnaryOp::Real | UnaryOp::Imag => return Ok(None),
        }))
    }

    fn binary_type(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
    ) -> Result<Option<CType>> {
        if convert::is_comparison(op) || matches!(op, BinaryOp::And | BinaryOp::Or) {
            return Ok(Some(CType::INT));
        }
        let (l, r) = (self.value_type(left)?, self.value_type(right)?);
        let is_number = |ty: &CType| ty.is_integer() || ty.is_floating();
        Ok(match (l.is_pointer(), r.is_pointer()) {
            (true, true) if op == BinaryOp::Sub => Some(CType::LONG),
            (true, false) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => Some(l),
            (false, true) if op == BinaryOp::Add => Some(r),
            (false, false) if matches!(op, BinaryOp::Shl | BinaryOp::Shr) && l.is_integer() => {
                Some(l.promoted())
            }
            (false, false) if is_number(&l) && is_number(&r) => Some(self.types().common(&l, &r)),
            _ => None,
        })
    }

    fn conditional_type(&mut self, then: &'a ast::Expr, otherwise: &'a ast::Expr) -> Result<Option<CType>> {
        let (t, o) = (self.value_type(then)?, self.value_type(otherwise)?);
        let is_void =
            |ty: &CType| ty.is_pointer() && matches!(ty.element().map(CType::unqualified), Some(CType::Void));
        let is_number = |ty: &CType| ty.is_integer() || ty.is_floating();
        Ok(match (t.is_pointer(), o.is_pointer()) {
            (true, true) if is_void(&t) && self.is_null(then) => Some(o),
            (true, true) if is_void(&o) && !self.is_null(otherwise) => Some(o),
            (true, _) => Some(t),
            (false, true) => Some(o),
            (false, false) if is_number(&t) && is_number(&o) => Some(self.types().common(&t, &o)),
            (false, false) => Some(t),
        })
    }

    /// Whether an expression is a constant null pointer: 0, or 0 as a pointer to nothing in particular.
    fn is_null(&mut self, e: &'a ast::Expr) -> bool {
        match &e.kind {
            Ast::Cast(_, arg) => self.is_null(arg),
            _ => self.constant(e).is_ok_and(|value| value == 0),
        }
    }

    /// The type of a call's result; that of a function that is built in is known where it is lowered.
    pub(super) fn call_type(&mut self, function: &'a ast::Expr) -> Result<Option<CType>> {
        if let Ast::Identifier(name) = &function.kind
            && self.lookup(name).is_none()
        {
            return Ok(None);
        }
        let callee = self.value_type(function)?;
        Ok(match callee.element().map(CType::unqualified) {
            Some(CType::Function(ty)) => Some(ty.result.unqualified().clone()),
            _ => None,
        })
    }

    fn member_type(
        &mut self,
        record: &'a ast::Expr,
        access: ast::Access,
        name: &'a ast::Name,
    ) -> Result<Option<CType>> {
        let mut ty = match access {
            ast::Access::Dot => self.type_of(record)?,
            ast::Access::Arrow => match self.value_type(record)?.element() {
                Some(element) => element.clone(),
                None => return Err(Diagnostic::new(record.span, "this is not a pointer")),
            },
        };
        let CType::Record(id) = *ty.unqualified() else { return Ok(None) };
        let Some(path) = self.member_path(id, &name.text) else { return Ok(None) };
        for field in path {
            let CType::Record(id) = *ty.unqualified() else { panic!("a path goes through records") };
            ty = self.members[id.0 as usize][field].ty.clone();
        }
        Ok(Some(ty))
    }

    /// The type of an expression by lowering it as if it were evaluated, into a body that is thrown away.
    fn lowered_type(&mut self, e: &'a ast::Expr) -> Result<CType> {
        let body = std::mem::take(&mut self.body);
        self.body.locals = body.locals.clone();
        self.body.name = body.name.clone();
        self.body.rows = body.rows.clone();
        let shown = (self.program.exposes_pointers, self.program.orders_pointers);
        self.unevaluated += 1;
        let ty = match &e.kind {
            Ast::Unary(UnaryOp::Deref, arg) => self.scalar(arg).and_then(|pointer| {
                let ty = pointer.ty.element().cloned();
                ty.ok_or_else(|| Diagnostic::new(e.span, "this is not a pointer"))
            }),
            Ast::Index(..) | Ast::Member(..) | Ast::CompoundLiteral(..) => {
                self.lvalue(e).map(|lvalue| lvalue.ty)
            }
            _ => self.value(e).map(|value| match value {
                Value::Scalar(typed) => typed.ty,
                Value::Record(_, ty) => ty,
                Value::Void => CType::Void,
            }),
        };
        self.unevaluated -= 1;
        (self.program.exposes_pointers, self.program.orders_pointers) = shown;
        self.body = body;
        ty
    }

    /// A value of a type, where only the type counts.
    pub(super) fn typed_only(&mut self, ty: &CType, span: Span) -> Result<Value> {
        if let CType::Void = ty.unqualified() {
            return Ok(Value::Void);
        }
        let ty = ty.unqualified().clone();
        match self.types().scalar(&ty) {
            Some(scalar) => {
                let expr = Expr::constant(scalar.default_value(), scalar, span);
                Ok(Value::Scalar(Typed { expr, ty }))
            }
            None => {
                let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
                let id = self.local("%unevaluated", storage, span);
                Ok(Value::Record(Place::variable(VarRef::Local(id), span), ty))
            }
        }
    }
}

/// The type of the elements of a string.
pub(super) fn character_type(encoding: ast::Encoding) -> CType {
    match encoding {
        ast::Encoding::Plain | ast::Encoding::Utf8 => CType::CHAR,
        ast::Encoding::Utf16 => CType::integer(crate::types::Rank::Short, false),
        ast::Encoding::Utf32 => CType::UNSIGNED,
        ast::Encoding::Wide => CType::INT,
    }
}

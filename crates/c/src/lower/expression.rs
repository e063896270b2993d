//! Expressions for their value.

use super::*;
use crate::ast::ExprKind as Ast;

impl<'a> Lowerer<'a> {
    /// An expression that is one machine word.
    pub(super) fn scalar(&mut self, e: &'a ast::Expr) -> Result<Typed> {
        match self.value(e)? {
            Value::Scalar(typed) => Ok(typed),
            Value::Record(place, ty) if self.is_wide(&ty).is_some() => {
                let mut low = place;
                low.path.push(Projection::Field(0));
                let word = CType::integer(crate::types::Rank::LongLong, false);
                let scalar = self.types().scalar(&word).expect("integers are scalars");
                Ok(Typed { expr: Expr { kind: ExprKind::Read(low), ty: scalar, span: e.span }, ty: word })
            }
            Value::Record(_, ty) => {
                let message = format!("`{}` cannot be used as a number", self.types().show(&ty));
                Err(Diagnostic::new(e.span, message))
            }
            Value::Void => Err(Diagnostic::new(e.span, "this has no value")),
        }
    }

    /// An expression, as a truth value of the program.
    pub(super) fn condition(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        let value = match self.value(e)? {
            Value::Scalar(value) => value,
            wide => return self.wide_truth(wide, e.span),
        };
        if value.ty.is_floating() {
            return Err(floating::unknown_value(e.span));
        }
        Ok(self.truth(value, e.span))
    }

    pub(super) fn value(&mut self, e: &'a ast::Expr) -> Result<Value> {
        let span = e.span;
        let scalar = match &e.kind {
            Ast::Identifier(name) => match self.lookup(name).cloned() {
                Some(Symbol::Constant(value, ty)) => self.int_constant(value as i64, &ty, span),
                Some(Symbol::Function(index)) => self.function_address(index, span)?,
                Some(Symbol::Alias(value)) => value,
                Some(Symbol::Global(index))
                    if matches!(name.as_str(), "stdin" | "stdout" | "stderr")
                        && !self.globals[index].defined =>
                {
                    self.standard_file(index, span)?
                }
                _ => {
                    let lvalue = self.lvalue(e)?;
                    return self.load(lvalue, span);
                }
            },
            Ast::Integer(literal) => {
                let ty = self.literal_type(literal);
                self.int_constant(literal.value as i64, &ty, span)
            }
            Ast::Character(literal) => self.int_constant(literal.value, &CType::INT, span),
            Ast::Float(text) => {
                self.notes.keeps_numbers = true;
                let text = text.to_ascii_lowercase();
                if text.ends_with(['l', 'w', 'q', 'i', 'j']) {
                    return Err(floating::unknown_value(span));
                }
                let single = text.ends_with('f') && !text.starts_with("0x");
                self.some_number(&CType::Floating(if single { 4 } else { 8 }), span)
            }
            Ast::String(_)
            | Ast::FunctionName
            | Ast::Index(..)
            | Ast::Member(..)
            | Ast::CompoundLiteral(..) => {
                let lvalue = self.lvalue(e)?;
                return self.load(lvalue, span);
            }
            Ast::Unary(op, arg) => return self.unary(*op, arg, span),
            Ast::Step(op, arg) => self.step(*op, arg, span)?,
            Ast::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                let truth = self.logical(e)?;
                self.int_of(truth)
            }
            Ast::Binary(op, left, right) => {
                let l = match self.value(left)? {
                    Value::Scalar(l) => l,
                    wide => {
                        let l = self.words(wide, left.span)?;
                        let r = self.value(right)?;
                        let r = self.words(r, right.span)?;
                        return self.wide_binary(*op, l, r, span);
                    }
                };
                let mark = self.body.out.len();
                let r = self.value(right)?;
                let l = Typed { expr: self.settle(l.expr, mark), ..l };
                match r {
                    Value::Scalar(r) => self.arithmetic(*op, l, r, span)?,
                    wide => {
                        let r = self.words(wide, right.span)?;
                        // A shift has the type of its left side.
                        if let BinaryOp::Shl | BinaryOp::Shr = op {
                            self.arithmetic(*op, l, r.lower(), span)?
                        } else {
                            let l = self.words(Value::Scalar(l), left.span)?;
                            return self.wide_binary(*op, l, r, span);
                        }
                    }
                }
            }
            Ast::Assign(op, target, value) => return self.assignment(*op, target, value, span),
            Ast::Conditional(cond, then, otherwise) => {
                return self.conditional(cond, then.as_deref(), otherwise, span);
            }
            Ast::Comma(first, second) => {
                self.effect(first)?;
                return self.value(second);
            }
            Ast::Cast(ty, arg) => return self.cast(ty, arg, span),
            Ast::Call(function, args) => return self.call(function, args, span),
            Ast::Sizeof(of) => {
                if let Some(bytes) = self.variable_bytes(of, span)? {
                    return Ok(Value::Scalar(Typed { expr: bytes, ty: CType::UNSIGNED_LONG }));
                }
                let ty = self.sizeof_type(of)?;
                let size = self.types().size(&ty).ok_or_else(|| self.no_values(&ty, span))?;
                self.int_constant(size as i64, &CType::UNSIGNED_LONG, span)
            }
            Ast::Alignof(of) => {
                let ty = self.sizeof_type(of)?;
                self.int_constant(self.types().alignment(&ty) as i64, &CType::UNSIGNED_LONG, span)
            }
            Ast::Generic(generic) => {
                let chosen = self.generic(generic, span)?;
                return self.value(chosen);
            }
            Ast::Statements(block) => return self.statement_expression(block),
            Ast::Offsetof(ty, steps) => self.offset_of(ty, steps, span)?,
            Ast::TypesCompatible(left, right) => {
                let (l, r) = (self.type_name(left)?, self.type_name(right)?);
                self.int_constant(i64::from(l.unqualified() == r.unqualified()), &CType::INT, span)
            }
            Ast::Choose(parts) => {
                let [cond, then, otherwise] = &**parts;
                let chosen = if self.constant(cond)? != 0 { then } else { otherwise };
                return self.value(chosen);
            }
            Ast::LabelAddress(name) => self.label_address(name, span)?,
            Ast::VaArg(list, ty) => return self.next_argument(list, ty, span),
        };
        Ok(Value::Scalar(scalar))
    }

    fn unary(&mut self, op: ast::UnaryOp, arg: &'a ast::Expr, span: Span) -> Result<Value> {
        let value = match op {
            ast::UnaryOp::Deref => {
                let pointer = self.scalar(arg)?;
                // What a pointer to a function points to is the function, which is its address again.
                if is_function_pointer(&pointer.ty) {
                    return Ok(Value::Scalar(pointer));
                }
                let lvalue = self.pointed(pointer, span)?;
                return self.load(lvalue, span);
            }
            ast::UnaryOp::AddressOf => {
                if let Ast::Identifier(name) = &arg.kind
                    && let Some(Symbol::Function(index)) = self.lookup(name).cloned()
                {
                    return Ok(Value::Scalar(self.function_address(index, span)?));
                }
                let lvalue = self.lvalue(arg)?;
                self.address_of(lvalue, span)?
            }
            ast::UnaryOp::Plus | ast::UnaryOp::Minus | ast::UnaryOp::BitNot => {
                let value = self.value(arg)?;
                let op = match op {
                    ast::UnaryOp::Minus => Some(UnaryOp::Neg),
                    ast::UnaryOp::BitNot => Some(UnaryOp::BitNot),
                    _ => None,
                };
                match value {
                    Value::Scalar(value) => self.negate(op, value, span)?,
                    wide => {
                        let wide = self.words(wide, arg.span)?;
                        return self.wide_unary(op, wide, span);
                    }
                }
            }
            ast::UnaryOp::Not => {
                let truth = self.condition(arg)?;
                let kind = ExprKind::Unary(UnaryOp::Not, Box::new(truth));
                self.int_of(self.folded(Expr { kind, ty: Scalar::Bool, span }))
            }
            ast::UnaryOp::Real | ast::UnaryOp::Imag => {
                return Err(Diagnostic::new(span, "complex numbers are not supported"));
            }
        };
        Ok(Value::Scalar(value))
    }

    /// `&&` and `||`, as a truth value.
    fn logical(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        let span = e.span;
        let Ast::Binary(op, left, right) = &e.kind else { return self.condition(e) };
        let l = self.condition(left)?;
        let (r, effects) = self.captured(|this| this.condition(right))?;
        if effects.0.is_empty() {
            let kind = ExprKind::Binary(*op, Box::new(l), Box::new(r));
            return Ok(self.folded(Expr { kind, ty: Scalar::Bool, span }));
        }
        let id = self.temporary(Scalar::Bool, span);
        self.emit(StmtKind::Declare(id, Some(l)), span);
        let place = Place::variable(VarRef::Local(id), span);
        let mut block = effects;
        block.0.push(Stmt { kind: StmtKind::Assign(place, r), span });
        let known = read_local(id, Scalar::Bool, span);
        let (then, otherwise) = match op {
            BinaryOp::And => (block, Block::default()),
            _ => (Block::default(), block),
        };
        self.emit(StmtKind::If(known.clone(), then, otherwise), span);
        Ok(known)
    }

    fn conditional(
        &mut self,
        cond: &'a ast::Expr,
        then: Option<&'a ast::Expr>,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> Result<Value> {
        let (test, first) = match then {
            Some(_) => (self.condition(cond)?, None),
            None => {
                let value = self.scalar(cond)?;
                if value.ty.is_floating() {
                    return Err(floating::unknown_value(cond.span));
                }
                let kept = Typed { expr: self.keep(value.expr), ty: value.ty };
                (self.truth(kept.clone(), span), Some(kept))
            }
        };
        let first = self.captured(|this| match (then, first) {
            (Some(then), _) => this.value(then),
            (None, Some(first)) => Ok(Value::Scalar(first)),
            (None, None) => Ok(Value::Void),
        });
        let (t, t_effects) = match (first, self.fold(&test)) {
            (Ok(first), _) => first,
            (Err(_), Some(0)) => return self.value(otherwise),
            (Err(diagnostic), _) => return Err(diagnostic),
        };
        let other = self.captured(|this| this.value(otherwise));
        // What cannot run need not make sense.
        let (o, o_effects) = match (other, self.fold(&test)) {
            (Ok(other), _) => other,
            (Err(_), Some(1)) => {
                self.body.out.extend(t_effects.0);
                return Ok(t);
            }
            (Err(diagnostic), _) => return Err(diagnostic),
        };
        match (t, o) {
            (Value::Scalar(t), Value::Scalar(o)) => {
                self.choose_scalar(test, (t, t_effects), (o, o_effects), span).map(Value::Scalar)
            }
            (Value::Record(t, ty), Value::Record(o, _)) => {
                let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
                let id = self.local("%record", storage, span);
                let target = Place::variable(VarRef::Local(id), span);
                let mut blocks = Vec::new();
                for (from, effects) in [(t, t_effects), (o, o_effects)] {
                    let (_, copy) = self.captured(|this| this.copy(&target, &from, &ty, span))?;
                    blocks.push(Block([effects.0, copy.0].concat()));
                }
                let otherwise = blocks.pop().expect("two branches");
                let then = blocks.pop().expect("two branches");
                self.emit(StmtKind::If(test, then, otherwise), span);
                Ok(Value::Record(target, ty))
            }
            _ => {
                self.emit(StmtKind::If(test, t_effects, o_effects), span);
                Ok(Value::Void)
            }
        }
    }

    fn choose_scalar(
        &mut self,
        test: Expr,
        (t, mut t_effects): (Typed, Block),
        (o, mut o_effects): (Typed, Block),
        span: Span,
    ) -> Result<Typed> {
        let is_void_pointer =
            |ty: &CType| matches!(ty.element().map(CType::unqualified), Some(CType::Void)) && ty.is_pointer();
        let ty = match (t.ty.is_pointer(), o.ty.is_pointer()) {
            (true, true) if is_void_pointer(&t.ty) && self.fold(&t.expr) == Some(0) => o.ty.clone(),
            (true, _) => t.ty.clone(),
            (false, true) => o.ty.clone(),
            (false, false) if t.ty.is_integer() || t.ty.is_floating() => self.types().common(&t.ty, &o.ty),
            (false, false) => t.ty.clone(),
        };
        // What a conversion does, it does in its branch only.
        let (t, converted) = self.captured(|this| this.convert(t, &ty, span))?;
        t_effects.0.extend(converted.0);
        let (o, converted) = self.captured(|this| this.convert(o, &ty, span))?;
        o_effects.0.extend(converted.0);
        let scalar = t.expr.ty;
        // The branch that is not taken has a say in the type, and that is all.
        if let Some(known) = self.fold(&test) {
            let (value, effects) = if known != 0 { (t, t_effects) } else { (o, o_effects) };
            self.body.out.extend(effects.0);
            return Ok(Typed { ty, ..value });
        }
        if t_effects.0.is_empty() && o_effects.0.is_empty() {
            let kind = ExprKind::Select(Box::new(test), Box::new(t.expr), Box::new(o.expr));
            return Ok(Typed { expr: Expr { kind, ty: scalar, span }, ty });
        }
        let id = self.temporary(scalar, span);
        let place = Place::variable(VarRef::Local(id), span);
        t_effects.0.push(Stmt { kind: StmtKind::Assign(place.clone(), t.expr), span });
        o_effects.0.push(Stmt { kind: StmtKind::Assign(place, o.expr), span });
        self.emit(StmtKind::If(test, t_effects, o_effects), span);
        Ok(Typed { expr: read_local(id, scalar, span), ty })
    }

    fn cast(&mut self, ty: &'a ast::TypeName, arg: &'a ast::Expr, span: Span) -> Result<Value> {
        let ty = self.type_name(ty)?;
        match ty.unqualified() {
            CType::Void => {
                self.effect(arg)?;
                Ok(Value::Void)
            }
            CType::Record(_) if self.is_wide(&ty).is_some() => {
                let value = self.value(arg)?;
                let place = self.widened(value, &ty, span)?;
                Ok(Value::Record(place, ty.unqualified().clone()))
            }
            CType::Record(_) => self.value(arg),
            CType::Bool => {
                let truth = self.condition(arg)?;
                Ok(Value::Scalar(Typed { expr: truth, ty: CType::Bool }))
            }
            _ => {
                let value = self.scalar(arg)?;
                if let (Some(from), Some(to)) = (value.ty.element(), ty.element())
                    && (from.is_pointer() && to.is_integer() || from.is_integer() && to.is_pointer())
                {
                    // A pointer will be looked at as an integer, or an integer's place holds one.
                    let integer = if to.is_pointer() { from } else { to };
                    let bits = self.types().size(integer).unwrap_or(0) * 8;
                    self.program.exposes_pointers |= bits == u64::from(self.program.pointer_bits);
                }
                Ok(Value::Scalar(self.convert(value, &ty, span)?))
            }
        }
    }

    /// The alternative of `_Generic` that fits.
    pub(super) fn generic(&mut self, generic: &'a ast::Generic, span: Span) -> Result<&'a ast::Expr> {
        let control = self.type_or_expr(&generic.control)?;
        let control = declare::adjusted(control.unqualified().clone());
        let mut default = None;
        for (ty, e) in &generic.associations {
            match ty {
                None => default = Some(e),
                Some(ty) => {
                    if *self.type_name(ty)?.unqualified() == control {
                        return Ok(e);
                    }
                }
            }
        }
        default.ok_or_else(|| {
            let message = format!("no alternative is for `{}`", self.types().show(&control));
            Diagnostic::new(span, message)
        })
    }

    /// The bytes of an array of variable length.
    fn variable_bytes(&mut self, of: &'a ast::TypeOrExpr, span: Span) -> Result<Option<Expr>> {
        let e = match of {
            ast::TypeOrExpr::Type(name) => return self.type_bytes(name, span),
            ast::TypeOrExpr::Expr(e) => e,
        };
        if let Ast::Identifier(name) = &e.kind {
            let Some(Symbol::Local(id, _)) = self.lookup(name) else { return Ok(None) };
            return Ok(self.body.variable_length.get(id).cloned());
        }
        self.row_bytes(e)
    }

    fn sizeof_type(&mut self, of: &'a ast::TypeOrExpr) -> Result<CType> {
        self.type_or_expr(of)
    }

    /// A string literal in memory, one for all that are alike.
    pub(super) fn string(&mut self, literal: &ast::StringLiteral, span: Span) -> Result<Lvalue> {
        let element = typing::character_type(literal.encoding);
        let scalar = self.types().scalar(&element).expect("characters are scalars");
        let Scalar::Int(int) = scalar else { panic!("characters are integers") };
        let n = literal.units.len() + 1;
        let key = [&literal.units[..], &[u32::from(int.bits), u32::from(int.signed)]].concat();
        let variable = match self.strings.get(&key) {
            Some(variable) => *variable,
            None => {
                let units = literal.units.iter().copied().chain([0]);
                let init = units.map(|u| Choices::one(int.wrap(u.into()))).collect();
                let name = format!("string{}", self.strings.len() + 1);
                let ty = Type::with_dims(scalar, &[n as u32]);
                self.program.shared.push(Variable::new(name, ty, init, span));
                let variable = VarRef::Shared(SharedId(self.program.shared.len() - 1));
                self.strings.insert(key, variable);
                variable
            }
        };
        let ty = CType::Array(Rc::new(element), Some(n as u64));
        Ok(Lvalue { place: Place::variable(variable, span), ty })
    }
}

pub(super) fn is_function_pointer(ty: &CType) -> bool {
    matches!(ty.element().map(CType::unqualified), Some(CType::Function(_)))
}

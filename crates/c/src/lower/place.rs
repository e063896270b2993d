//! Lvalues: what can be read, assigned and pointed to.

use super::*;
use crate::ast::{Access, ExprKind as Ast};

impl<'a> Lowerer<'a> {
    /// The place that an expression names.
    pub(super) fn lvalue(&mut self, e: &'a ast::Expr) -> Result<Lvalue> {
        let span = e.span;
        match &e.kind {
            Ast::Identifier(name) => self.variable(name, span),
            Ast::Index(..) | Ast::Unary(ast::UnaryOp::Deref, _)
                if let Some(lvalue) = self.row_element(e, span)? =>
            {
                Ok(lvalue)
            }
            Ast::Unary(ast::UnaryOp::Deref, pointer) => {
                let pointer = self.scalar(pointer)?;
                self.pointed(pointer, span)
            }
            Ast::Index(array, index) => self.element(array, index, span),
            Ast::Member(record, Access::Dot, name) => {
                let lvalue = match self.value(record)? {
                    Value::Record(place, ty) => Lvalue { place, ty },
                    Value::Scalar(_) | Value::Void => return Err(not_a_record(record.span)),
                };
                self.member(lvalue, name)
            }
            Ast::Member(record, Access::Arrow, name) => {
                let pointer = self.scalar(record)?;
                let lvalue = self.pointed(pointer, span)?;
                self.member(lvalue, name)
            }
            Ast::String(literal) => self.string(literal, span),
            Ast::CompoundLiteral(ty, list) => self.compound_literal(ty, list, span),
            Ast::FunctionName => {
                let units = self.body.name.bytes().map(u32::from).collect();
                let literal = ast::StringLiteral { units, encoding: ast::Encoding::Plain };
                self.string(&literal, span)
            }
            Ast::Comma(first, second) => {
                self.effect(first)?;
                self.lvalue(second)
            }
            Ast::Generic(generic) => {
                let chosen = self.generic(generic, span)?;
                self.lvalue(chosen)
            }
            Ast::Statements(_) | Ast::Conditional(..) | Ast::Call(..) | Ast::Assign(..) => {
                match self.value(e)? {
                    Value::Record(place, ty) => Ok(Lvalue { place, ty }),
                    Value::Scalar(_) | Value::Void => Err(not_a_variable(span)),
                }
            }
            _ => Err(not_a_variable(span)),
        }
    }

    pub(super) fn variable(&mut self, name: &str, span: Span) -> Result<Lvalue> {
        match self.lookup(name).cloned() {
            Some(Symbol::Local(id, ty)) => Ok(Lvalue { place: Place::variable(VarRef::Local(id), span), ty }),
            Some(Symbol::Pointed(id, ty)) => {
                let pointer = Scalar::Pointer { bits: self.program.pointer_bits };
                let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
                let base = Base::Pointed(Box::new(read_local(id, pointer, span)), storage);
                Ok(Lvalue {
                    place: Place { base, path: Vec::new(), span, access: fencepost_ir::Access::Plain },
                    ty,
                })
            }
            Some(Symbol::Global(index)) => {
                let variable = self.global(index, span)?;
                let ty = self.globals[index].ty.clone();
                Ok(Lvalue { place: Place::variable(variable, span), ty })
            }
            Some(Symbol::Function(_) | Symbol::Constant(..) | Symbol::Type(_) | Symbol::Alias(_)) => {
                Err(not_a_variable(span))
            }
            None => Err(Diagnostic::new(span, format!("`{name}` is not declared"))),
        }
    }

    /// The variable of the program that a global is.
    pub(super) fn global(&mut self, index: usize, span: Span) -> Result<VarRef> {
        if let Some(variable) = self.globals[index].variable {
            return Ok(variable);
        }
        let Global { name, ty, per_thread, span: declared, defined, .. } = &self.globals[index];
        if !defined {
            // What the library's headers declare, the library has.
            if let Some(Symbol::Global(own)) = self.library.get(name).cloned()
                && own != index
            {
                let variable = self.global(own, span)?;
                self.globals[index].variable = Some(variable);
                return Ok(variable);
            }
            return Err(Diagnostic::new(span, format!("the variable `{name}` is defined nowhere"))
                .help("give the file that defines it, too, with --link, or define it"));
        }
        let (name, ty, per_thread, declared) = (name.clone(), ty.clone(), *per_thread, *declared);
        let ty = match ty {
            // A tentative definition of an array without length has one element.
            CType::Array(of, None) => CType::Array(of, Some(1)),
            ty => ty,
        };
        let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
        let layout = self.program.records.layout(&storage);
        if layout.is_empty() {
            return Err(Diagnostic::new(declared, format!("`{name}` has no room for anything")));
        }
        let init = layout.iter().map(|cell| Choices::one(cell.ty.default_value())).collect();
        let (table, names) = match per_thread {
            true => (&mut self.program.thread_locals, &mut self.thread_local_names),
            false => (&mut self.program.shared, &mut self.shared_names),
        };
        let unique = names.free(table, &name);
        table.push(Variable::new(unique, storage, init, declared));
        let id = table.len() - 1;
        let variable =
            if per_thread { VarRef::ThreadLocal(ThreadLocalId(id)) } else { VarRef::Shared(SharedId(id)) };
        // Known before its initialiser, which may point to it.
        self.globals[index].variable = Some(variable);
        self.globals[index].ty = ty.clone();
        if let Some(initializer) = self.globals[index].initializer {
            self.note_numbers(variable, &ty, 0);
            let unit = self.globals[index].unit;
            let init = match self.globals[index].at_file_scope {
                true => self.at_file_scope(unit, |this| this.static_initializer(&ty, initializer)),
                false => self.static_initializer(&ty, initializer),
            }?;
            match variable {
                VarRef::ThreadLocal(id) => self.program.thread_locals[id.0].init = init,
                _ => self.program.shared[id].init = init,
            }
        }
        Ok(variable)
    }

    /// What a pointer points to.
    pub(super) fn pointed(&mut self, pointer: Typed, span: Span) -> Result<Lvalue> {
        let Some(ty) = pointer.ty.element().cloned() else {
            let message = format!("`{}` is not a pointer", self.types().show(&pointer.ty));
            return Err(Diagnostic::new(span, message));
        };
        if let CType::Function(_) = ty.unqualified() {
            return Err(not_a_variable(span));
        }
        let Some(storage) = self.types().storage(&ty) else { return Err(self.no_values(&ty, span)) };
        // What an address points to is the place itself.
        if let ExprKind::AddressOf(place) = &pointer.expr.kind
            && self.place_type(place).as_ref() == Some(&storage)
        {
            return Ok(Lvalue { place: place.clone(), ty });
        }
        let base = Base::Pointed(Box::new(pointer.expr), storage);
        Ok(Lvalue { place: Place { base, path: Vec::new(), span, access: fencepost_ir::Access::Plain }, ty })
    }

    /// The type of a place in the procedure that is being made.
    pub(super) fn place_type(&self, place: &Place) -> Option<Type> {
        let mut ty = match &place.base {
            Base::Variable(VarRef::Local(id)) => &self.body.locals.get(id.0)?.ty,
            Base::Variable(variable) => &self.program.variable(None, *variable)?.ty,
            Base::Pointed(_, ty) => ty,
        };
        for step in &place.path {
            ty = match (step, ty) {
                (Projection::Index(_), Type::Array(element, _)) => element,
                (Projection::Field(i), Type::Record(id)) => &self.program.records.get(*id).fields[*i].ty,
                _ => return None,
            };
        }
        Some(ty.clone())
    }

    fn element(&mut self, array: &'a ast::Expr, index: &'a ast::Expr, span: Span) -> Result<Lvalue> {
        // `a[i]` of an array is an element; of a pointer it is `*(a + i)`, and so is `i[a]`.
        let array = if self.is_object(array) {
            let Lvalue { mut place, ty } = self.lvalue(array)?;
            if let CType::Array(of, _) = ty.unqualified().clone() {
                let mark = self.body.out.len();
                let index = self.scalar(index)?;
                self.settle_place(&mut place, mark);
                let index = self.convert(index, &CType::LONG, span)?;
                place.path.push(Projection::Index(index.expr));
                place.span = span;
                return Ok(Lvalue { place, ty: (*of).clone() });
            }
            match self.load(Lvalue { place, ty }, array.span)? {
                Value::Scalar(pointer) => pointer,
                Value::Record(..) | Value::Void => return Err(not_a_variable(span)),
            }
        } else {
            self.scalar(array)?
        };
        let mark = self.body.out.len();
        let index = self.scalar(index)?;
        let array = Typed { expr: self.settle(array.expr, mark), ..array };
        let (pointer, index) = if array.ty.is_pointer() { (array, index) } else { (index, array) };
        if !pointer.ty.is_pointer() {
            let message = format!("`{}` has no elements", self.types().show(&pointer.ty));
            return Err(Diagnostic::new(span, message));
        }
        let pointer = self.offset(pointer, index, 1, span)?;
        self.pointed(pointer, span)
    }

    /// Whether an expression names an object, which may be an array.
    fn is_object(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            Ast::Identifier(name) => {
                let symbol = self.lookup(name);
                matches!(symbol, Some(Symbol::Local(..) | Symbol::Pointed(..) | Symbol::Global(_)))
            }
            Ast::Index(..)
            | Ast::Member(..)
            | Ast::Unary(ast::UnaryOp::Deref, _)
            | Ast::String(_)
            | Ast::CompoundLiteral(..)
            | Ast::FunctionName => true,
            _ => false,
        }
    }

    /// The value of a place.
    pub(super) fn load(&mut self, lvalue: Lvalue, span: Span) -> Result<Value> {
        let Lvalue { mut place, ty } = lvalue;
        place.span = span;
        if let Some(bits) = ty.bits() {
            return self.load_bits(place, &bits.clone(), span).map(Value::Scalar);
        }
        if let (CType::Record(_), true) = (ty.unqualified(), ty.is_atomic()) {
            return self.atomic_copy(Lvalue { place, ty }, span);
        }
        if ty.is_atomic() {
            place.access = fencepost_ir::Access::SEQ_CST;
        }
        self.notes.keeps_numbers |= ty.is_floating();
        let ty = ty.unqualified().clone();
        match &ty {
            CType::Array(of, _) => {
                place.path.push(Projection::Index(self.int_constant(0, &CType::LONG, span).expr));
                let pointer = CType::Pointer(of.clone());
                let scalar = self.types().scalar(&pointer).expect("pointers are scalars");
                let expr = Expr { kind: ExprKind::AddressOf(place), ty: scalar, span };
                Ok(Value::Scalar(Typed { expr, ty: pointer }))
            }
            CType::Record(_) => Ok(Value::Record(place, ty)),
            CType::Mutex => Err(Diagnostic::new(span, "a mutex can only be locked and unlocked")),
            _ => match self.types().scalar(&ty) {
                Some(scalar) => {
                    let expr = Expr { kind: ExprKind::Read(place), ty: scalar, span };
                    Ok(Value::Scalar(Typed { expr, ty }))
                }
                None => Err(self.no_values(&ty, span)),
            },
        }
    }

    /// A pointer to a place.
    pub(super) fn address_of(&mut self, lvalue: Lvalue, span: Span) -> Result<Typed> {
        if lvalue.ty.bits().is_some() {
            return Err(Diagnostic::new(span, "a bit-field has no address"));
        }
        let ty = lvalue.ty.pointer_to();
        let scalar = self.types().scalar(&ty).expect("pointers are scalars");
        // The address of what a pointer points to is the pointer.
        if let (Base::Pointed(pointer, _), []) = (&lvalue.place.base, &lvalue.place.path[..]) {
            return Ok(Typed { expr: (**pointer).clone(), ty });
        }
        Ok(Typed { expr: Expr { kind: ExprKind::AddressOf(lvalue.place), ty: scalar, span }, ty })
    }

    /// The value, evaluated before what was emitted since `mark`.
    pub(super) fn settle(&mut self, value: Expr, mark: usize) -> Expr {
        if self.body.out.len() == mark || matches!(value.kind, ExprKind::Const(_)) {
            return value;
        }
        let later = self.body.out.split_off(mark);
        let kept = self.keep(value);
        self.body.out.extend(later);
        kept
    }

    /// What a place is computed from, evaluated before what was emitted since `mark`.
    pub(super) fn settle_place(&mut self, place: &mut Place, mark: usize) {
        if self.body.out.len() == mark {
            return;
        }
        let later = self.body.out.split_off(mark);
        self.stabilise(place);
        self.body.out.extend(later);
    }

    /// Evaluates what a place is computed from, so that it can be used twice.
    pub(super) fn stabilise(&mut self, place: &mut Place) {
        if let Base::Pointed(pointer, _) = &mut place.base {
            **pointer = self.keep((**pointer).clone());
        }
        for step in &mut place.path {
            if let Projection::Index(index) = step {
                *index = self.keep(index.clone());
            }
        }
    }
}

fn not_a_variable(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is not a variable")
}

fn not_a_record(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is not a structure or union")
}

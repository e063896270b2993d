//! Calls of the program's functions, directly and through pointers.
//!
//! A structure is passed as its scalars, and returned in variables of the thread. A call through a
//! pointer compares the pointer with every function that fits and whose address is taken.

use super::*;
use crate::ast::ExprKind as Ast;
use fencepost_ir::pointer::{self, Target};

/// More functions that a pointer may point to are tried side by side, not each inside of the one before.
const MOST_NESTED: usize = 128;

impl<'a> Lowerer<'a> {
    /// A pointer to a function.
    pub(super) fn function_address(&mut self, index: usize, span: Span) -> Result<Typed> {
        let procedure = self.procedure(index, span)?;
        let ty = CType::Function(self.functions[index].ty.clone()).pointer_to();
        let scalar = self.types().scalar(&ty).expect("pointers are scalars");
        let word = pointer::to_procedure(procedure.0 as u32);
        Ok(Typed { expr: Expr::constant(word, scalar, span), ty })
    }

    pub(super) fn call(
        &mut self,
        function: &'a ast::Expr,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Value> {
        let unused = self.value_unused;
        if let Ast::Generic(generic) = &function.kind {
            let chosen = self.generic(generic, function.span)?;
            return self.call(chosen, args, span);
        }
        self.value_unused = false;
        if self.unevaluated > 0
            && let Some(ty) = self.call_type(function)?
        {
            return self.typed_only(&ty, span);
        }
        if let Ast::Identifier(name) = &function.kind {
            let symbol = self.lookup(name).cloned();
            // What verifiers' harnesses define, and mean by its name.
            let by_name = matches!(name.as_str(), "reach_error" | "__VERIFIER_error" | "assume_abort_if_not");
            if by_name && let Some(value) = self.library_call(name, args, span)? {
                return Ok(value);
            }
            if let Some(Symbol::Function(index)) = symbol
                && self.functions[index].is_librarys
                && let Some(value) = self.known_call(name, args, unused, span)?
            {
                return self.as_declared(index, value, span);
            }
            match symbol {
                Some(Symbol::Function(index)) if self.functions[index].unit == self.library_unit => {
                    return self.inline_call(index, args, span);
                }
                Some(Symbol::Function(index)) if self.functions[index].body.is_some() => {
                    return self.call_function(index, args, unused, span);
                }
                Some(Symbol::Function(_)) | None => {
                    if let Some(value) = self.known_call(name, args, unused, span)? {
                        return match symbol {
                            Some(Symbol::Function(index)) => self.as_declared(index, value, span),
                            _ => Ok(value),
                        };
                    }
                    return match symbol {
                        Some(Symbol::Function(index)) if self.havoc_externs => {
                            self.havoc_call(index, args, span)
                        }
                        Some(Symbol::Function(index)) => self.procedure(index, span).map(|_| Value::Void),
                        _ => Err(Diagnostic::new(function.span, format!("`{name}` is not declared"))),
                    };
                }
                Some(
                    Symbol::Local(..)
                    | Symbol::Pointed(..)
                    | Symbol::Global(_)
                    | Symbol::Constant(..)
                    | Symbol::Type(_)
                    | Symbol::Alias(_),
                ) => {}
            }
        }
        let pointer = self.scalar(function)?;
        self.call_pointer(pointer, args, unused, span)
    }

    /// CBMC's way to start a thread: a call behind a label with a name of its own.
    pub(super) fn started(&mut self, stmt: &'a ast::Stmt) -> Result<()> {
        let refused = || {
            Diagnostic::new(stmt.span, "only a call of a function that has a body can be started as a thread")
        };
        let ast::StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Call(function, args), span, .. }) =
            &stmt.kind
        else {
            return Err(refused());
        };
        let ast::ExprKind::Identifier(name) = &function.kind else { return Err(refused()) };
        let Some(Symbol::Function(index)) = self.lookup(name).cloned() else { return Err(refused()) };
        if self.functions[index].body.is_none() {
            return Err(refused());
        }
        let ty = self.functions[index].ty.clone();
        let args = self.arguments(&ty, name, args, *span)?;
        let procedure = self.procedure(index, *span)?;
        let kind = ExprKind::Spawn(procedure, args, Drain::Yes);
        self.emit(StmtKind::Eval(Expr { kind, ty: Scalar::Thread, span: *span }), *span);
        Ok(())
    }

    /// What a function of the library gives, as an integer of the type that it is declared with.
    fn as_declared(&mut self, index: usize, value: Value, span: Span) -> Result<Value> {
        let declared = self.functions[index].ty.result.unqualified().clone();
        match value {
            Value::Scalar(value)
                if declared.is_integer() && value.ty.is_integer() && declared != value.ty =>
            {
                self.convert(value, &declared, span).map(Value::Scalar)
            }
            value => Ok(value),
        }
    }

    /// A call of a function of the library, if it is one.
    fn known_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        unused: bool,
        span: Span,
    ) -> Result<Option<Value>> {
        if unused && output::only_prints(name) {
            self.printed(name, args, span)?;
            return Ok(Some(self.zero(span)));
        }
        match self.cancels && self.inlined == 0 {
            true => self.cancellable_call(name, args, span),
            false => self.uncancelled_call(name, args, span),
        }
    }

    /// The same where nobody is cancelled.
    pub(super) fn uncancelled_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let known = self.library.get(name).or_else(|| self.library.get(plain));
        if let Some(Symbol::Function(index)) = known {
            return self.inline_call(*index, args, span).map(Some);
        }
        self.library_call(name, args, span)
    }

    /// A call of a function that nobody has: its arguments are evaluated, and the result is any value.
    fn havoc_call(&mut self, index: usize, args: &'a [ast::Expr], span: Span) -> Result<Value> {
        let ty = self.functions[index].ty.clone();
        self.evaluate(args)?;
        if *ty.result.unqualified() == CType::Void {
            return Ok(Value::Void);
        }
        if ty.result.is_floating() {
            return Ok(Value::Scalar(self.some_number(&ty.result, span)));
        }
        let scalar = self.types().scalar(&ty.result).ok_or_else(|| self.no_values(&ty.result, span))?;
        let any = statement::anything(scalar).ok_or_else(|| self.no_values(&ty.result, span))?;
        let expr = Expr { kind: ExprKind::Any(any), ty: scalar, span };
        Ok(Value::Scalar(Typed { expr, ty: ty.result.unqualified().clone() }))
    }

    /// The arguments as scalars of the parameters' types.
    pub(super) fn arguments(
        &mut self,
        ty: &FunctionType,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Vec<Expr>> {
        let params = ty.params.clone().unwrap_or_default();
        let fits = if ty.variadic { args.len() >= params.len() } else { args.len() == params.len() };
        if !fits {
            let message = format!("`{name}` takes {} arguments, not {}", params.len(), args.len());
            return Err(Diagnostic::new(span, message));
        }
        let mut scalars: Vec<Expr> = Vec::new();
        let mut further = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let mark = self.body.out.len();
            let value = self.value(arg)?;
            // Arguments before this one are evaluated before it.
            if self.body.out.len() > mark {
                let later = self.body.out.split_off(mark);
                for earlier in &mut scalars {
                    *earlier = self.keep(earlier.clone());
                }
                self.body.out.extend(later);
            }
            match (value, params.get(i)) {
                (value, Some(ty)) if self.is_wide(ty).is_some() => {
                    let place = self.widened(value, ty, arg.span)?;
                    for (_, place, scalar) in self.scalars_of(&place, ty, arg.span)? {
                        scalars.push(Expr { kind: ExprKind::Read(place), ty: scalar, span: arg.span });
                    }
                }
                (Value::Scalar(value), Some(ty)) => scalars.push(self.convert(value, ty, arg.span)?.expr),
                (wide @ Value::Record(..), Some(ty)) if ty.is_integer() => {
                    let low = self.words(wide, arg.span)?.lower();
                    scalars.push(self.convert(low, ty, arg.span)?.expr);
                }
                (Value::Record(place, ty), Some(_)) => {
                    for (_, place, scalar) in self.scalars_of(&place, &ty, arg.span)? {
                        scalars.push(Expr { kind: ExprKind::Read(place), ty: scalar, span: arg.span });
                    }
                }
                // What `...` takes is evaluated, and gone if nobody can look at it.
                (value, None) => self.further_argument(value, &mut further, arg.span)?,
                (Value::Void, _) => return Err(Diagnostic::new(arg.span, "this has no value")),
            }
        }
        if ty.variadic && self.uses_varargs {
            scalars.push(self.further_arguments(further, span));
        }
        Ok(scalars)
    }

    /// A call of a function whose body is known; `unused` says that nobody looks at its value.
    fn call_function(
        &mut self,
        index: usize,
        args: &'a [ast::Expr],
        unused: bool,
        span: Span,
    ) -> Result<Value> {
        if self.main == Some(index) {
            return Err(Diagnostic::new(span, "calling `main` is not supported"));
        }
        let ty = self.functions[index].ty.clone();
        let name = self.functions[index].name.clone();
        let procedure = match self.allocation_type(index, args) {
            Some(ty) => self.specialised(index, ty, span)?,
            None => self.procedure(index, span)?,
        };
        let args = self.arguments(&ty, &name, args, span)?;
        if !unused && self.falls_off(index) {
            return self.call_that_may_fall_off(procedure, &ty.result, args, span);
        }
        if name.starts_with("__VERIFIER_atomic_") {
            return self.call_atomically(procedure, &ty.result, args, span);
        }
        self.finish_call(procedure, &ty.result, args, span)
    }

    /// What an allocating function is told of the type by its caller.
    fn allocation_type(&mut self, index: usize, args: &'a [ast::Expr]) -> Option<Type> {
        if !self.is_allocator(index) {
            return None;
        }
        let hint = args.iter().find_map(|arg| self.size_hint(arg)).and_then(|ty| self.types().storage(&ty));
        hint.or_else(|| self.body.allocated.clone())
    }

    /// Whether a function with a scalar result may come to its end without one.
    pub(super) fn falls_off(&self, index: usize) -> bool {
        let function = &self.functions[index];
        self.types().scalar(&function.ty.result).is_some()
            && function.body.is_some_and(|f| crate::visit::may_complete(&f.body))
    }

    /// The flag by which a function tells that it has come to its end without a result.
    pub(super) fn fell_off(&mut self, span: Span) -> Place {
        let name = "%fell.off";
        let known = self.program.thread_locals.iter().position(|v| v.name == name);
        let id = known.unwrap_or_else(|| {
            let init = vec![Choices::one(0)];
            self.program.thread_locals.push(Variable::new(name.into(), Scalar::Bool.into(), init, span));
            self.program.thread_locals.len() - 1
        });
        Place::variable(VarRef::ThreadLocal(ThreadLocalId(id)), span)
    }

    /// A call whose value is used, though the function may give none: then it is any value.
    fn call_that_may_fall_off(
        &mut self,
        procedure: ProcedureId,
        result: &CType,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Value> {
        let flag = self.fell_off(span);
        let args: Vec<Expr> = args.into_iter().map(|a| self.keep(a)).collect();
        let set = |value| {
            let value = Expr::constant(value, Scalar::Bool, span);
            Stmt { kind: StmtKind::Assign(flag.clone(), value), span }
        };
        self.body.out.push(set(0));
        let Value::Scalar(value) = self.finish_call(procedure, result, args, span)? else {
            panic!("only functions with scalar results fall off their end")
        };
        let scalar = value.expr.ty;
        let kept = self.keep(value.expr);
        if let (ExprKind::Read(place), Some(any)) = (&kept.kind, statement::anything(scalar)) {
            let any = Expr { kind: ExprKind::Any(any), ty: scalar, span };
            let choose = Stmt { kind: StmtKind::Assign(place.clone(), any), span };
            let fell = Expr { kind: ExprKind::Read(flag.clone()), ty: Scalar::Bool, span };
            let then = Block(vec![choose, set(0)]);
            self.emit(StmtKind::If(fell, then, Block::default()), span);
        }
        Ok(Value::Scalar(Typed { expr: kept, ty: value.ty }))
    }

    /// A function whose name says that it runs without interruption.
    fn call_atomically(
        &mut self,
        procedure: ProcedureId,
        result: &CType,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Value> {
        let args: Vec<Expr> = args.into_iter().map(|a| self.keep(a)).collect();
        let (value, block) = self.captured(|this| {
            Ok(match this.finish_call(procedure, result, args, span)? {
                Value::Scalar(value) => Value::Scalar(Typed { expr: this.keep(value.expr), ty: value.ty }),
                other => other,
            })
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(value)
    }

    pub(super) fn finish_call(
        &mut self,
        procedure: ProcedureId,
        result: &CType,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Value> {
        let call = ExprKind::Call(procedure, args);
        match result.unqualified() {
            CType::Void => {
                let e = Expr { kind: call, ty: Scalar::Integer, span };
                self.emit(StmtKind::Eval(e), span);
                Ok(Value::Void)
            }
            ty @ CType::Record(_) => {
                let e = Expr { kind: call, ty: Scalar::Integer, span };
                self.emit(StmtKind::Eval(e), span);
                let returned = self.returned(procedure, ty, span)?;
                let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
                let id = self.local("%record", storage, span);
                let target = Place::variable(VarRef::Local(id), span);
                let scalars = self.scalars_of(&target, ty, span)?;
                for ((_, target, scalar), from) in scalars.into_iter().zip(returned) {
                    let value = Expr { kind: ExprKind::Read(from), ty: scalar, span };
                    self.emit(StmtKind::Assign(target, value), span);
                }
                Ok(Value::Record(target, ty.clone()))
            }
            ty => {
                let scalar = self.types().scalar(ty).ok_or_else(|| self.no_values(ty, span))?;
                let e = Expr { kind: call, ty: scalar, span };
                Ok(Value::Scalar(Typed { expr: e, ty: ty.clone() }))
            }
        }
    }

    /// Where a function returns a structure: in a variable of the thread, which has no bytes to share, so that of a
    /// union it holds the scalars that a copy needs.
    pub(super) fn returned(&mut self, procedure: ProcedureId, ty: &CType, span: Span) -> Result<Vec<Place>> {
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
        self.few_scalars(&storage, span)?;
        let scalars: Vec<Scalar> = self.covering(&storage).into_iter().map(|(_, scalar)| scalar).collect();
        let name = format!("%result.{}", self.program.procedure(procedure).name);
        let known = self.program.thread_locals.iter().position(|v| v.name == name);
        let id = known.unwrap_or_else(|| {
            let field = |(i, scalar): (usize, &Scalar)| fencepost_ir::Field {
                name: i.to_string(),
                ty: (*scalar).into(),
                offset: scalars[..i].iter().map(|s| s.size().next_multiple_of(8)).sum(),
            };
            let fields: Vec<_> = scalars.iter().enumerate().map(field).collect();
            let size = scalars.iter().map(|s| s.size().next_multiple_of(8)).sum();
            let record = self.new_record(RecordKind::Struct, "result");
            let made = &mut self.program.records.0[record.0 as usize];
            (made.fields, made.size) = (fields, size);
            self.complete[record.0 as usize] = true;
            let init = scalars.iter().map(|scalar| Choices::one(scalar.default_value())).collect();
            self.program.thread_locals.push(Variable::new(name, Type::Record(record), init, span));
            self.program.thread_locals.len() - 1
        });
        let place = |i| Place {
            base: Base::Variable(VarRef::ThreadLocal(ThreadLocalId(id))),
            path: vec![Projection::Field(i)],
            span,
            access: Access::Plain,
        };
        Ok((0..scalars.len()).map(place).collect())
    }

    /// The functions that a pointer of the type may point to.
    pub(super) fn candidates(&self, ty: &FunctionType) -> Vec<usize> {
        let fits = |f: &Function<'_>| {
            f.body.is_some()
                && self.taken.contains(&f.name)
                && match (&f.ty.params, &ty.params) {
                    (Some(a), Some(b)) => a.len() == b.len(),
                    _ => true,
                }
                && (f.ty.result == CType::Void) == (ty.result == CType::Void)
        };
        (0..self.functions.len()).filter(|i| fits(&self.functions[*i])).collect()
    }

    fn call_pointer(
        &mut self,
        pointer: Typed,
        args: &'a [ast::Expr],
        unused: bool,
        span: Span,
    ) -> Result<Value> {
        let ty = match pointer.ty.element().map(CType::unqualified) {
            Some(CType::Function(ty)) => ty.clone(),
            _ => {
                let message = format!("`{}` is not a function", self.types().show(&pointer.ty));
                return Err(Diagnostic::new(span, message));
            }
        };
        if let Some(word) = self.fold(&pointer.expr)
            && let Target::Procedure(p) = pointer::target(word)
            && let Some(index) =
                self.functions.iter().position(|f| f.procedure == Some(ProcedureId(p as usize)))
        {
            return self.call_function(index, args, unused, span);
        }
        let pointer = self.keep(pointer.expr);
        let typed = FunctionType {
            params: ty.params.clone().or_else(|| Some(vec![CType::INT; args.len()])),
            ..(*ty).clone()
        };
        let args = self.arguments(&typed, "this function", args, span)?;
        let args: Vec<Expr> = args.into_iter().map(|a| self.keep(a)).collect();
        let record = match ty.result.unqualified() {
            ty @ CType::Record(_) => {
                let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
                let id = self.local("%record", storage, span);
                Some((Place::variable(VarRef::Local(id), span), ty.clone()))
            }
            _ => None,
        };
        let result = match ty.result.unqualified() {
            CType::Void | CType::Record(_) => None,
            ty => {
                let scalar = self.types().scalar(ty).ok_or_else(|| self.no_values(ty, span))?;
                Some((self.temporary(scalar, span), scalar, ty.clone()))
            }
        };
        let mut targets = Vec::new();
        for candidate in self.candidates(&ty).into_iter().rev() {
            let procedure = self.procedure(candidate, span)?;
            let target = self.functions[candidate].ty.clone();
            // Structures are passed as several scalars.
            if self.program.procedure(procedure).params != args.len() {
                continue;
            }
            let address = self.function_address(candidate, span)?;
            let (_, block) = self.captured(|this| {
                let params = this.program.procedure(procedure).locals.iter();
                let types: Vec<_> =
                    args.iter().zip(params).map(|(a, p)| p.ty.as_scalar().unwrap_or(a.ty)).collect();
                let converted = args.iter().zip(types);
                let converted = converted.map(|(arg, ty)| this.recast(arg.clone(), ty, span)).collect();
                let value = match !unused && this.falls_off(candidate) {
                    true => this.call_that_may_fall_off(procedure, &target.result, converted, span)?,
                    false => this.finish_call(procedure, &target.result, converted, span)?,
                };
                match (value, &result) {
                    (Value::Record(from, given), _) => match &record {
                        Some((into, ty)) if given == *ty => this.copy(into, &from, ty, span)?,
                        // It is called as something that it is not.
                        _ => this.body.out.extend(this.wild_call(span).0),
                    },
                    (Value::Scalar(value), Some((id, scalar, _))) => {
                        let place = Place::variable(VarRef::Local(*id), span);
                        let value = this.recast(value.expr, *scalar, span);
                        this.emit(StmtKind::Assign(place, value), span);
                    }
                    (Value::Scalar(value), None) => this.emit(StmtKind::Eval(value.expr), span),
                    _ => {}
                }
                Ok(())
            })?;
            let test = ExprKind::Binary(BinaryOp::Eq, Box::new(pointer.clone()), Box::new(address.expr));
            let test = Expr { kind: test, ty: Scalar::Bool, span };
            targets.push((test, block));
        }
        self.first_of(targets, span);
        Ok(match (result, record) {
            (Some((id, scalar, ty)), _) => Value::Scalar(Typed { expr: read_local(id, scalar, span), ty }),
            (None, Some((place, ty))) => Value::Record(place, ty),
            (None, None) => Value::Void,
        })
    }

    /// Calls the function that a pointer points to: the tests and calls of all that it may be, the last one first.
    fn first_of(&mut self, targets: Vec<(Expr, Block)>, span: Span) {
        let wild = self.wild_call(span);
        if targets.len() <= MOST_NESTED {
            let nested =
                |rest, (test, call)| Block(vec![Stmt { kind: StmtKind::If(test, call, rest), span }]);
            self.body.out.extend(targets.into_iter().fold(wild, nested).0);
            return;
        }
        let end = self.fresh_label("called");
        for (test, mut call) in targets.into_iter().rev() {
            call.0.push(Stmt { kind: StmtKind::Goto(end.clone()), span });
            self.emit(StmtKind::If(test, call, Block::default()), span);
        }
        self.body.out.extend(wild.0);
        self.emit(StmtKind::Label(end), span);
    }

    /// What happens when a pointer points to no function that fits.
    pub(super) fn wild_call(&self, span: Span) -> Block {
        let never = Expr::constant(0, Scalar::Bool, span);
        Block(vec![Stmt { kind: StmtKind::Assert(never), span }])
    }
}

/// Collects the functions whose names stand elsewhere than before a call's parentheses.
pub(super) fn functions_taken(unit: &ast::Unit, taken: &mut HashSet<String>) {
    crate::visit::expressions(unit, &mut |e, is_callee| {
        if let Ast::Identifier(name) = &e.kind
            && !is_callee
        {
            taken.insert(name.clone());
        }
    });
}

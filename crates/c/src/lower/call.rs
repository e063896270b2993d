//! Calls of the program's functions.
//!
//! A structure is passed as its scalars, and returned in variables of the thread.

use super::build::{any, anything, binary, read, truth_value};
use super::procedure::Version;
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, Callee, FunctionId, Origin, TypeId};
use fencepost_ir::tree::{
    Block, Drain, Expr, ExprKind, Place, ProcedureId, Projection, RecordKind, Stmt, StmtKind, Type, VarRef,
};
use fencepost_ir::{Field, Record, Scalar, Span};

impl<'h> Lowerer<'h> {
    /// A call; `wanted` says whether anybody looks at its value.
    pub fn call(
        &mut self,
        callee: &'h Callee,
        args: &'h [hir::Expr],
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        match callee {
            Callee::Intrinsic(intrinsic) => self.intrinsic(*intrinsic, args, ty, wanted, span),
            Callee::Pointer(pointer) => self.call_pointer(pointer, args, ty, wanted, span),
            Callee::Function(id) => {
                let function = &self.hir.functions[*id];
                match (&function.body, function.origin) {
                    (Some(_), Origin::Library) => self.library_call(*id, args, span),
                    (Some(_), Origin::User) => self.call_function(*id, args, wanted, span),
                    (None, _) => {
                        self.evaluate(args)?;
                        if self.asks.reach.contains(&function.name) {
                            self.must_not_be(span);
                        }
                        self.any_result(ty, span)
                    }
                }
            }
        }
    }

    /// What a function gives of which nothing is known.
    pub fn any_result(&mut self, ty: TypeId, span: Span) -> Result<Value> {
        if self.hir.types.is_void(ty) {
            return Ok(Value::Void);
        }
        if self.hir.types.is_floating(ty) {
            return self.some_number(ty, span).map(Value::Scalar);
        }
        let scalar = self.scalar_type(ty).ok_or_else(|| self.no_values(ty, span))?;
        let choices = anything(scalar).ok_or_else(|| self.no_values(ty, span))?;
        Ok(Value::Scalar(any(choices, scalar, span)))
    }

    /// The type of what a function gives.
    pub fn result_type(&self, function: FunctionId) -> TypeId {
        let ty = self.hir.functions[function].ty;
        self.hir.types.function(ty).expect("functions have function types").result
    }

    /// The arguments of a function as scalars of the parameters' types.
    pub fn arguments(
        &mut self,
        function: FunctionId,
        args: &'h [hir::Expr],
        span: Span,
    ) -> Result<Vec<Expr>> {
        let hir = self.hir;
        let ty = hir.types.function(hir.functions[function].ty).expect("functions have function types");
        self.typed_arguments(ty, args, span)
    }

    /// The arguments of a function of a type.
    pub fn typed_arguments(
        &mut self,
        ty: &hir::FunctionType,
        args: &'h [hir::Expr],
        span: Span,
    ) -> Result<Vec<Expr>> {
        let params = ty.params.as_ref().map_or(0, Vec::len);
        let mut scalars: Vec<Expr> = Vec::new();
        let mut further = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let arg_span = self.at(arg.span);
            let mark = self.mark();
            let value = self.value(arg)?;
            self.settle_all(&mut scalars, mark);
            match value {
                Value::Scalar(value) if i < params => scalars.push(value),
                Value::Record(place) if i < params => {
                    let storage = self.stored(arg.ty, arg_span)?;
                    for (_, place, scalar) in self.scalars_of(&place, &storage, arg_span)? {
                        scalars.push(read(place, scalar, arg_span));
                    }
                }
                // Arguments for `...` are evaluated, and dropped if they cannot be accessed.
                value => self.further_argument(value, arg.ty, &mut further, arg_span)?,
            }
        }
        if ty.variadic && self.facts.looks_at_arguments {
            scalars.push(self.further_arguments(further, span));
        }
        Ok(scalars)
    }

    /// Values that are evaluated before what was emitted since `mark`.
    fn settle_all(&mut self, values: &mut [Expr], mark: usize) {
        if self.body.out.len() == mark {
            return;
        }
        let later = self.body.out.split_off(mark);
        for value in values {
            *value = self.keep(value.clone());
        }
        self.body.out.extend(later);
    }

    /// A call of a function whose body is known.
    fn call_function(
        &mut self,
        function: FunctionId,
        args: &'h [hir::Expr],
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        let allocates = self.allocation_type(function, args);
        let procedure = self.version(Version { function, allocates })?;
        let args = self.arguments(function, args, span)?;
        let result = self.result_type(function);
        if wanted != Wanted::Nothing && self.falls_off(function) {
            return self.call_that_may_fall_off(procedure, function, args, span).map(Value::Scalar);
        }
        if self.hir.functions[function].name.starts_with("__VERIFIER_atomic_") {
            return self.call_atomically(procedure, function, args, span);
        }
        self.finish_call(procedure, (function, result), args, span)
    }

    /// A call of a function with arguments that have been evaluated.
    pub fn call_procedure(&mut self, function: FunctionId, args: Vec<Expr>, span: Span) -> Result<Value> {
        let procedure = self.procedure(function)?;
        let result = self.result_type(function);
        self.finish_call(procedure, (function, result), args, span)
    }

    /// A call whose value is used, though the function may give none: then it is any value.
    pub fn call_that_may_fall_off(
        &mut self,
        procedure: ProcedureId,
        function: FunctionId,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let flag = self.fell_off(span);
        let args: Vec<Expr> = args.into_iter().map(|a| self.keep(a)).collect();
        self.assign_place(flag.clone(), truth_value(false, span), span);
        let result = self.result_type(function);
        let Value::Scalar(value) = self.finish_call(procedure, (function, result), args, span)? else {
            panic!("only functions with scalar results fall off their end")
        };
        let scalar = value.ty;
        let kept = self.keep(value);
        if let (ExprKind::Read(place), Some(choices)) = (&kept.kind, anything(scalar)) {
            let choose = StmtKind::Assign(place.clone(), any(choices, scalar, span));
            let reset = StmtKind::Assign(flag.clone(), truth_value(false, span));
            let then = Block([choose, reset].map(|kind| Stmt { kind, span }).to_vec());
            self.emit(StmtKind::If(read(flag, Scalar::Bool, span), then, Block::default()), span);
        }
        Ok(kept)
    }

    /// A function whose name says that it runs without interruption.
    fn call_atomically(
        &mut self,
        procedure: ProcedureId,
        function: FunctionId,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Value> {
        let args: Vec<Expr> = args.into_iter().map(|a| self.keep(a)).collect();
        let result = self.result_type(function);
        let (value, block) = self.captured(|this| {
            Ok(match this.finish_call(procedure, (function, result), args, span)? {
                Value::Scalar(value) => Value::Scalar(this.keep(value)),
                other => other,
            })
        })?;
        self.emit(StmtKind::Atomic(Drain::Yes, block), span);
        Ok(value)
    }

    /// The call itself, and its value.
    pub fn finish_call(
        &mut self,
        procedure: ProcedureId,
        (function, result): (FunctionId, TypeId),
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Value> {
        let kind = ExprKind::Call(procedure, args);
        if let Some(ty) = self.scalar_type(result) {
            return Ok(Value::Scalar(Expr { kind, ty, span }));
        }
        self.emit(StmtKind::Eval(Expr { kind, ty: Scalar::Integer, span }), span);
        if self.hir.types.is_void(result) {
            return Ok(Value::Void);
        }
        let storage = self.stored(result, span)?;
        let returned = self.returned(function, &storage, span)?;
        let target = self.temporary_record(storage.clone(), span);
        for ((_, target, scalar), from) in self.scalars_of(&target, &storage, span)?.into_iter().zip(returned)
        {
            self.assign_place(target, read(from, scalar, span), span);
        }
        Ok(Value::Record(target))
    }

    /// Puts a structure where a function returns it.
    pub fn return_record(
        &mut self,
        function: FunctionId,
        ty: TypeId,
        place: &Place,
        span: Span,
    ) -> Result<()> {
        let storage = self.stored(ty, span)?;
        let targets = self.returned(function, &storage, span)?;
        for ((_, from, scalar), target) in self.scalars_of(place, &storage, span)?.into_iter().zip(targets) {
            self.assign_place(target, read(from, scalar, span), span);
        }
        Ok(())
    }

    /// Where a function returns a structure: in a variable of the thread, which has no bytes to share, so that of a
    /// union it holds the scalars that a copy needs.
    fn returned(&mut self, function: FunctionId, storage: &Type, span: Span) -> Result<Vec<Place>> {
        self.few_scalars(storage, span)?;
        let scalars: Vec<Scalar> = self.covering(storage).into_iter().map(|(_, scalar)| scalar).collect();
        let name = format!("%result.{}.{}", function.index(), self.hir.functions[function].name);
        let known = self.program.thread_locals.iter().position(|v| v.name == name);
        let variable = match known {
            Some(id) => VarRef::ThreadLocal(fencepost_ir::tree::ThreadLocalId(id)),
            None => {
                let mut offset = 0;
                let fields = scalars.iter().enumerate().map(|(i, scalar)| {
                    let field = Field { name: i.to_string(), ty: (*scalar).into(), offset };
                    offset += scalar.size().next_multiple_of(8);
                    field
                });
                let fields: Vec<Field> = fields.collect();
                let record =
                    Record { name: "result".to_string(), kind: RecordKind::Struct, fields, size: offset };
                let record = self.new_record(record);
                self.thread_variable(&name, Type::Record(record), span)
            }
        };
        let place = |i| Place { path: vec![Projection::Field(i)], ..Place::variable(variable, span) };
        Ok((0..scalars.len()).map(place).collect())
    }

    /// Whether two words are the same.
    pub fn same(&self, l: &Expr, r: Expr, span: Span) -> Expr {
        binary(fencepost_ir::tree::BinaryOp::Eq, l.clone(), r, span)
    }
}

//! Calls through pointers: the pointer is compared with every function that fits and whose address is taken.

use super::build::read_local;
use super::jump::wild_call;
use super::procedure::Version;
use super::{Lowerer, Result, Value, Wanted};
use crate::hir::{self, FunctionId, TypeId};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::tree::{Block, Expr, LocalId, Place, ProcedureId, Stmt, StmtKind, Type};
use fencepost_ir::{Scalar, Span};

/// More functions that a pointer may point to are tried side by side, not each inside of the one before.
const MOST_NESTED: usize = 128;

/// Where the value of a call goes.
enum Goes {
    Nowhere,
    Scalar(LocalId, Scalar),
    Record(Place, Type),
}

impl<'h> Lowerer<'h> {
    /// The functions that a pointer to a function of these many parameters may point to.
    pub fn candidates(
        &self,
        params: Option<usize>,
        gives_nothing: bool,
        span: Span,
    ) -> Result<Vec<FunctionId>> {
        let fits = |id: &FunctionId| {
            let function = &self.hir.functions[*id];
            let ty = self.hir.types.function(function.ty).expect("functions have function types");
            let takes = ty.params.as_ref().map(Vec::len);
            self.facts.taken.contains(id)
                && takes.zip(params).is_none_or(|(takes, given)| takes == given)
                && self.hir.types.is_void(ty.result) == gives_nothing
        };
        let candidates: Vec<_> = self.hir.functions.indices().filter(fits).collect();
        candidates.iter().try_for_each(|candidate| self.has_body(*candidate, span))?;
        Ok(candidates)
    }

    pub fn call_pointer(
        &mut self,
        pointer: &'h hir::Expr,
        args: &'h [hir::Expr],
        result: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        let hir = self.hir;
        let to = hir.types.element(pointer.ty).expect("pointers lead to something");
        let ty = hir.types.function(to).expect("functions are called").clone();
        let pointer = self.scalar(pointer)?;
        let pointer = self.keep(pointer);
        // Where nothing is said of the parameters, the arguments tell.
        let params = ty.params.clone().unwrap_or_else(|| args.iter().map(|arg| arg.ty).collect());
        let typed = hir::FunctionType { params: Some(params), ..ty.clone() };
        let args = self.typed_arguments(&typed, args, span)?;
        let args: Vec<Expr> = args.into_iter().map(|a| self.keep(a)).collect();
        let place = match (self.scalar_type(result), hir.types.is_void(result)) {
            (Some(scalar), _) => Goes::Scalar(self.temporary(scalar, span), scalar),
            (None, true) => Goes::Nowhere,
            (None, false) => {
                let storage = self.stored(result, span)?;
                Goes::Record(self.temporary_record(storage.clone(), span), storage)
            }
        };
        let known = ty.params.as_ref().map(Vec::len);
        let candidates = self.candidates(known, hir.types.is_void(result), span)?;
        self.call_one_of(candidates, &pointer, &args, &place, wanted, span)?;
        Ok(match place {
            Goes::Scalar(id, scalar) => Value::Scalar(read_local(id, scalar, span)),
            Goes::Record(place, _) => Value::Record(place),
            Goes::Nowhere => Value::Void,
        })
    }

    /// The value of a function that gives a scalar, by its address; the arguments are evaluated already.
    pub fn call_address(
        &mut self,
        pointer: &Expr,
        args: Vec<Expr>,
        scalar: Scalar,
        span: Span,
    ) -> Result<Expr> {
        if let Some(Target::Procedure(procedure)) = self.fold(pointer).map(pointer::target)
            && let procedure = ProcedureId(procedure as usize)
            && let Some(Version { function, .. }) = self.procedures.version(procedure).cloned()
            && self.program.procedure(procedure).params == args.len()
            && let Value::Scalar(value) = self.call_fitting(procedure, function, &args, Wanted::New, span)?
        {
            return Ok(self.recast(value, scalar, span));
        }
        let args: Vec<Expr> = args.into_iter().map(|arg| self.keep(arg)).collect();
        let id = self.temporary(scalar, span);
        let candidates = self.candidates(Some(args.len()), false, span)?;
        self.call_one_of(candidates, pointer, &args, &Goes::Scalar(id, scalar), Wanted::New, span)?;
        Ok(read_local(id, scalar, span))
    }

    /// Calls the function among these that a pointer points to.
    fn call_one_of(
        &mut self,
        candidates: Vec<FunctionId>,
        pointer: &Expr,
        args: &[Expr],
        place: &Goes,
        wanted: Wanted,
        span: Span,
    ) -> Result<()> {
        let mut targets = Vec::new();
        for candidate in candidates.into_iter().rev() {
            if let Some(call) = self.call_candidate(candidate, args, place, wanted, span)? {
                let address = self.function_address(candidate, span)?;
                targets.push((self.same(pointer, address, span), call));
            }
        }
        self.first_of(targets, span);
        Ok(())
    }

    /// A call with arguments that have to be made to fit the parameters.
    fn call_fitting(
        &mut self,
        procedure: ProcedureId,
        function: FunctionId,
        args: &[Expr],
        wanted: Wanted,
        span: Span,
    ) -> Result<Value> {
        let params = self.program.procedure(procedure).locals.iter();
        let types: Vec<_> = args.iter().zip(params).map(|(a, p)| p.ty.as_scalar().unwrap_or(a.ty)).collect();
        let args = args.iter().zip(types).map(|(arg, ty)| self.recast(arg.clone(), ty, span)).collect();
        match wanted != Wanted::Nothing && self.falls_off(function) {
            true => self.call_that_may_fall_off(procedure, function, args, span).map(Value::Scalar),
            false => self.finish_call(procedure, (function, self.result_type(function)), args, span),
        }
    }

    /// The call of one function that a pointer may point to, if the arguments fit it.
    fn call_candidate(
        &mut self,
        function: FunctionId,
        args: &[Expr],
        place: &Goes,
        wanted: Wanted,
        span: Span,
    ) -> Result<Option<Block>> {
        let procedure = self.procedure(function)?;
        // Structures are passed as several scalars.
        if self.program.procedure(procedure).params != args.len() {
            return Ok(None);
        }
        let result = self.result_type(function);
        let block = self.block_of(|this| {
            match (this.call_fitting(procedure, function, args, wanted, span)?, place) {
                (Value::Scalar(value), Goes::Scalar(id, scalar)) => {
                    let value = this.recast(value, *scalar, span);
                    this.set_local(*id, value, span);
                }
                (Value::Scalar(value), _) => this.emit(StmtKind::Eval(value), span),
                (Value::Record(from), Goes::Record(into, storage))
                    if this.storage(result).as_ref() == Some(storage) =>
                {
                    this.copy(into, &from, storage, span)?;
                }
                // It is called as something that it is not.
                (Value::Record(_), _) => this.append(wild_call(span)),
                (Value::Void, _) => {}
            }
            Ok(())
        })?;
        Ok(Some(block))
    }

    /// Calls the function that a pointer points to: the tests and calls of all that it may be, the last one first.
    pub fn first_of(&mut self, targets: Vec<(Expr, Block)>, span: Span) {
        let wild = wild_call(span);
        if targets.len() <= MOST_NESTED {
            let nested =
                |rest, (test, call)| Block(vec![Stmt { kind: StmtKind::If(test, call, rest), span }]);
            let chain = targets.into_iter().fold(wild, nested);
            self.append(chain);
            return;
        }
        let end = self.fresh_label("called");
        for (test, mut call) in targets.into_iter().rev() {
            call.0.push(Stmt { kind: StmtKind::Goto(end.clone()), span });
            self.emit(StmtKind::If(test, call, Block::default()), span);
        }
        self.append(wild);
        self.emit(StmtKind::Label(end), span);
    }
}

//! Functions as procedures: which there are, and how they take their parameters.
//!
//! A structure is passed as its scalars. A function that allocates for its callers ([`super::allocate`]) is a procedure for each
//! type that it is asked for.

use super::body::{Body, Frame, Slot};
use super::build::{number, read_local};
use super::types::default_cells;
use super::{Lowerer, Result};
use crate::hir::{self, FunctionId, TypeId};
use fencepost_ir::tree::{
    Block, Choices, ExprKind, LocalId, Place, Procedure, ProcedureId, ProcedureKind, StmtKind, Type, VarRef,
    Variable,
};
use fencepost_ir::{Cell, Scalar, Span, pointer};
use fencepost_text::Diagnostic;
use std::collections::{HashMap, HashSet, VecDeque};

/// A function, and the type of the memory that it allocates for its callers, if they say.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    pub function: FunctionId,
    pub allocates: Option<Type>,
}

/// The procedures that functions have become.
#[derive(Default)]
pub struct Procedures {
    known: HashMap<Version, ProcedureId>,
    versions: HashMap<ProcedureId, Version>,
    /// Those that are used and not lowered yet.
    waiting: VecDeque<ProcedureId>,
    /// Those that are lowered only if somebody calls them as they are.
    put_off: Vec<ProcedureId>,
    /// How many versions of each function there are for types that callers say.
    typed: HashMap<FunctionId, usize>,
}

impl Procedures {
    /// The name of the next version of a function.
    fn next_name(&mut self, function: FunctionId, name: &str) -> String {
        let count = self.typed.entry(function).or_default();
        *count += 1;
        if *count == 1 { name.to_string() } else { format!("{name}.{count}") }
    }

    /// What a procedure comes of.
    pub fn version(&self, id: ProcedureId) -> Option<&Version> {
        self.versions.get(&id)
    }
}

impl<'h> Lowerer<'h> {
    /// The procedure of a function, to be lowered if it is not yet.
    pub fn procedure(&mut self, function: FunctionId) -> Result<ProcedureId> {
        self.version(Version { function, allocates: None })
    }

    /// The procedure of a version of a function.
    pub fn version(&mut self, version: Version) -> Result<ProcedureId> {
        if let Some(id) = self.procedures.known.get(&version) {
            return Ok(*id);
        }
        let id = ProcedureId(self.program.procedures.len());
        let hir::Function { name, ty, span, .. } = &self.hir.functions[version.function];
        let result = self.hir.types.function(*ty).expect("functions have function types").result;
        let locals = self.signature(version.function)?;
        let name = match version.allocates {
            Some(_) => self.procedures.next_name(version.function, name),
            None => name.clone(),
        };
        let spelled = self.spelled(result);
        self.program.procedures.push(Procedure {
            name,
            kind: ProcedureKind::Function,
            params: locals.len(),
            result: self.scalar_type(result),
            locals,
            body: Block::default(),
            span: *span,
            spelled,
        });
        // One that allocates is seldom called without being told what.
        let put_off = version.allocates.is_none() && self.facts.allocators.contains(&version.function);
        self.procedures.known.insert(version.clone(), id);
        self.procedures.versions.insert(id, version);
        match put_off {
            true => self.procedures.put_off.push(id),
            false => self.procedures.waiting.push_back(id),
        }
        Ok(id)
    }

    /// A procedure of our own.
    pub fn new_procedure(&mut self, procedure: Procedure) -> ProcedureId {
        self.program.procedures.push(procedure);
        ProcedureId(self.program.procedures.len() - 1)
    }

    /// A pointer to a function.
    pub fn function_address(&mut self, id: FunctionId, span: Span) -> Result<fencepost_ir::tree::Expr> {
        let procedure = self.procedure(id)?;
        let word = pointer::to_procedure(procedure.0 as u32);
        Ok(fencepost_ir::tree::Expr::constant(word, self.pointer(), span))
    }

    /// Lowers the functions that are used, and those that these use.
    pub fn lower_waiting(&mut self) {
        loop {
            while let Some(id) = self.procedures.waiting.pop_front() {
                let result = self.lower_function(id);
                self.recover(result);
            }
            if !self.needs_put_off() {
                return;
            }
        }
    }

    /// Whether a function that allocates for its callers is called without being told what; such are lowered.
    fn needs_put_off(&mut self) -> bool {
        if self.procedures.put_off.is_empty() {
            return false;
        }
        let mut called = HashSet::new();
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Call(p, _) | ExprKind::Spawn(p, ..) = e.kind {
                            called.insert(p);
                        }
                    });
                }
            });
        }
        let put_off = std::mem::take(&mut self.procedures.put_off);
        for id in put_off {
            let function = self.procedures.versions[&id].function;
            match called.contains(&id) || self.facts.taken.contains(&function) {
                true => self.procedures.waiting.push_back(id),
                false => self.procedures.put_off.push(id),
            }
        }
        !self.procedures.waiting.is_empty()
    }

    /// The parameters as private scalars; structures as one for each of their scalars.
    fn signature(&mut self, function: FunctionId) -> Result<Vec<Variable>> {
        let hir = self.hir;
        let hir::Function { ty, body, span, .. } = &hir.functions[function];
        let ty = hir.types.function(*ty).expect("functions have function types");
        let mut variables = Vec::new();
        for (i, ty) in ty.params.iter().flatten().enumerate() {
            let local = body.as_ref().map(|body| &body.locals[hir::LocalId::from_usize(i)]);
            let (name, span) = match local {
                Some(local) if !local.name.is_empty() => (local.name.clone(), local.span),
                Some(local) => (format!("%p{i}"), local.span),
                None => (format!("%p{i}"), *span),
            };
            self.add_parameter(&name, *ty, span, &mut variables)?;
        }
        if ty.variadic && self.facts.looks_at_arguments {
            variables.push(self.further_parameter(*span));
        }
        Ok(variables)
    }

    fn add_parameter(
        &mut self,
        name: &str,
        ty: TypeId,
        span: Span,
        variables: &mut Vec<Variable>,
    ) -> Result<()> {
        let storage = self.stored(ty, span)?;
        self.few_scalars(&storage, span)?;
        let is_scalar = storage.as_scalar().is_some();
        for (path, scalar) in self.covering(&storage) {
            let records = &self.program.records;
            let (offset, cell) = records.offset(&storage, &path);
            let name = format!("{name}{}", records.path(&storage, Cell { offset, ty: cell }));
            let init = vec![Choices::one(scalar.default_value())];
            let spelled = if is_scalar { self.spelled(ty) } else { None };
            variables.push(Variable { spelled, ..Variable::new(name, scalar.into(), init, span) });
        }
        Ok(())
    }

    fn lower_function(&mut self, id: ProcedureId) -> Result<()> {
        let Version { function, allocates } = self.procedures.versions[&id].clone();
        let hir = self.hir;
        let hir::Function { name, body, ty, .. } = &hir.functions[function];
        let Some(body) = body else { return self.body_of_nothing(id, function) };
        self.body = Body {
            locals: self.program.procedure(id).locals.clone(),
            frames: vec![Frame::new(function, body, None)],
            is_main: hir.main() == Some(function) && !self.facts.has_handlers && !self.facts.calls_main,
            allocated: allocates,
            ..Body::default()
        };
        let variadic = hir.types.function(*ty).is_some_and(|ty| ty.variadic);
        self.scoped(|this| {
            let mut slot = 0;
            for i in 0..body.params {
                slot += this.bind_parameter(hir::LocalId::from_usize(i), slot)?;
            }
            this.body.further = (variadic && this.facts.looks_at_arguments).then_some(LocalId(slot));
            this.statements(&body.block)
        })?;
        if self.body.is_main {
            self.end_of_program(body.end)?;
        } else if name == "main" {
            let zero = self.program.procedure(id).result.map(|ty| number(0, ty, body.end));
            self.emit(StmtKind::Return(zero), body.end);
        } else if self.falls_off(function) {
            let flag = self.fell_off(body.end);
            self.assign_place(flag, super::build::truth_value(true, body.end), body.end);
        }
        self.close(id);
        Ok(())
    }

    /// What has been lowered is the body of a procedure.
    pub fn close(&mut self, id: ProcedureId) {
        let body = std::mem::take(&mut self.body);
        self.notes.printed.extend(body.printed.into_iter().map(|local| (id, local)));
        let target = &mut self.program.procedures[id.0];
        target.locals = body.locals;
        target.body = Block(body.out);
    }

    /// Refuses to run a function without a body, unless the user lets such functions give any value.
    pub fn has_body(&self, function: FunctionId, span: Span) -> Result<()> {
        let hir::Function { name, body, .. } = &self.hir.functions[function];
        match body.is_some() || self.asks.havoc_externs {
            true => Ok(()),
            false => Err(Diagnostic::new(span, format!("the function `{name}` has no body"))
                .label("may be called here")
                .help("give the file that defines it, too, with --link, or write a body for it")),
        }
    }

    /// A function without a body whose address is used: it gives any value, if the user asks for that; else nothing calls it.
    fn body_of_nothing(&mut self, id: ProcedureId, function: FunctionId) -> Result<()> {
        let hir::Function { span, .. } = &self.hir.functions[function];
        if !self.asks.havoc_externs {
            self.program.procedures[id.0].body = super::jump::wild_call(*span);
            return Ok(());
        }
        let any = self.program.procedure(id).result.map(|ty| match super::build::anything(ty) {
            Some(any) => super::build::any(any, ty, *span),
            None => number(ty.default_value(), ty, *span),
        });
        let returns = fencepost_ir::tree::Stmt { kind: StmtKind::Return(any), span: *span };
        self.program.procedures[id.0].body = Block(vec![returns]);
        Ok(())
    }

    /// Gives a parameter its place; how many scalars it took. What is a structure, or has its address taken, is copied to a
    /// variable of its own.
    fn bind_parameter(&mut self, id: hir::LocalId, slot: usize) -> Result<usize> {
        let hir::Local { name, ty, addressed, span, .. } = &self.hir_body().locals[id];
        let storage = self.stored(*ty, *span)?;
        if storage.as_scalar().is_some() && !addressed {
            self.set_slot(id, Slot::Local(LocalId(slot)));
            if let Some(value) = self.facts.known_parameter(self.body.frames[0].function, id) {
                self.body.known.insert(LocalId(slot), value);
            }
            return Ok(1);
        }
        let local = self.local(name, storage.clone(), *span);
        self.body.locals[local.0].spelled = self.spelled(*ty);
        let target = Place::variable(VarRef::Local(local), *span);
        let places = self.covering(&storage);
        let count = places.len();
        for (i, (_, place, scalar)) in self.located(&target, places, *span).into_iter().enumerate() {
            let value = read_local(LocalId(slot + i), scalar, *span);
            self.assign_place(place, value, *span);
        }
        self.set_slot(id, Slot::Local(local));
        Ok(count)
    }

    /// The flag by which a function tells that it has come to its end without a result.
    pub fn fell_off(&mut self, span: Span) -> Place {
        let flag = self.thread_variable("%fell.off", Scalar::Bool.into(), span);
        Place::variable(flag, span)
    }

    /// A variable of our own that each thread has for itself, by its name.
    pub fn thread_variable(&mut self, name: &str, ty: Type, span: Span) -> VarRef {
        let known = self.program.thread_locals.iter().position(|v| v.name == name);
        let id = known.unwrap_or_else(|| {
            let init = default_cells(&self.program.records, &ty);
            self.program.thread_locals.push(Variable::new(name.to_string(), ty, init, span));
            self.program.thread_locals.len() - 1
        });
        VarRef::ThreadLocal(fencepost_ir::tree::ThreadLocalId(id))
    }
}

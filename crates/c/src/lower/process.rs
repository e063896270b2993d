//! Threads that are there from the beginning, as litmus tests have them: each function is a process without parameters.
//!
//! A parameter is the address of the shared variable of its name, and nothing else, unless the function assigns it; so
//! accesses through it are accesses to the variable. Shared variables have the numbers of their globals.
//!
//! A final condition sees registers only. The last value of a local in memory is copied where the thread ends.

use super::body::{Body, Frame, Slot};
use super::build::read_local;
use super::{Lowerer, Result};
use crate::hir::{self, GlobalId, StartedThread, Visitor};
use fencepost_ir::Span;
use fencepost_ir::tree::{
    Base, Block, Count, Expr, ExprKind, LocalId, Place, Procedure, ProcedureKind, Program, Projection,
    StmtKind, Thread, VarRef,
};
use fencepost_text::Diagnostic;
use std::collections::HashSet;

/// Where returns lead if something is to be done after them.
const END: &str = "%end";

/// The program of threads, and for each thread the locals of the names that it is asked for, if it has them.
pub struct Processes {
    /// A process for each thread.
    pub program: Program,
    /// In the order in which they are asked for.
    pub observed: Vec<Vec<Option<LocalId>>>,
}

impl<'h> Lowerer<'h> {
    /// Lowers threads; `observed` are names of locals of each.
    pub fn processes(
        mut self,
        threads: &'h [StartedThread],
        observed: &[&[&str]],
    ) -> std::result::Result<Processes, Vec<Diagnostic>> {
        let globals: Vec<GlobalId> = self.hir.globals.indices().collect();
        let variables: Vec<_> = globals.iter().map(|id| self.declare_global(*id)).collect();
        for (id, variable) in globals.into_iter().zip(variables) {
            let result = variable.and_then(|variable| self.initialize_global(id, variable));
            self.recover(result);
        }
        let mut found = Vec::new();
        if self.errors.is_empty() {
            for (thread, names) in threads.iter().zip(observed) {
                match self.process(thread, names) {
                    Ok(locals) => found.push(locals),
                    Err(diagnostic) => self.errors.push(diagnostic),
                }
            }
        }
        Ok(Processes { program: self.finished()?, observed: found })
    }

    fn process(&mut self, thread: &'h StartedThread, observed: &[&str]) -> Result<Vec<Option<LocalId>>> {
        let hir::Function { name, body, span, .. } = &self.hir.functions[thread.function];
        let body = body.as_ref().expect("threads have bodies");
        let procedure = self.new_procedure(Procedure {
            name: name.clone(),
            kind: ProcedureKind::Process,
            params: 0,
            result: None,
            locals: Vec::new(),
            body: Block::default(),
            span: *span,
            spelled: None,
        });
        let frames = vec![Frame::new(thread.function, body, None)];
        self.body = Body { frames, ..Body::default() };
        let observed = self.scoped(|this| {
            this.bind_addresses(thread, body)?;
            this.statements(&body.block)?;
            this.observe(observed, body)
        })?;
        self.close(procedure);
        let (name, span) = (name.clone(), *span);
        let thread = Thread { name, procedure, args: Vec::new(), count: Count::Times(1), span };
        self.program.threads.push(thread);
        Ok(observed)
    }

    /// Lets parameters be the addresses of shared variables.
    fn bind_addresses(&mut self, thread: &StartedThread, body: &'h hir::Body) -> Result<()> {
        let written = Written::of(body);
        for (i, global) in thread.shared.iter().enumerate() {
            let id = hir::LocalId::from_usize(i);
            let hir::Local { name, span, .. } = &body.locals[id];
            let address = self.shared_address(*global, *span)?;
            let slot = match written.0.contains(&id) {
                false => Slot::Alias(address),
                true => {
                    let local = self.local(name, address.ty.into(), *span);
                    self.emit(StmtKind::Declare(local, Some(address)), *span);
                    Slot::Local(local)
                }
            };
            self.set_slot(id, slot);
        }
        Ok(())
    }

    /// A pointer to a variable; to its first element, if it is an array.
    fn shared_address(&mut self, global: GlobalId, span: Span) -> Result<Expr> {
        let mut place = Place::variable(self.global(global)?, span);
        if let hir::Type::Array(..) = self.hir.types.kind(self.hir.globals[global].ty) {
            let first = Expr::constant(0, self.distance_scalar(), span);
            place.path.push(Projection::Index(first));
        }
        Ok(Expr { kind: ExprKind::AddressOf(place), ty: self.pointer(), span })
    }

    /// The locals of some names, the first of each name that is declared. Those that are in memory are copied.
    fn observe(&mut self, names: &[&str], body: &'h hir::Body) -> Result<Vec<Option<LocalId>>> {
        let lasting: HashSet<hir::LocalId> = body.block.items.iter().filter_map(declared).collect();
        let in_memory = self.in_memory();
        let mut found = Vec::new();
        let mut copies = Vec::new();
        for name in names {
            let declared = |(id, local): (hir::LocalId, &hir::Local)| match self.slot(id) {
                Some(Slot::Local(tree)) if local.name == *name => Some((id, *tree)),
                _ => None,
            };
            let Some((id, tree)) = body.locals.iter_enumerated().find_map(declared) else {
                found.push(None);
                continue;
            };
            let local = &body.locals[id];
            let scalar = self.scalar_type(local.ty).filter(|_| in_memory.contains(&tree));
            found.push(Some(match scalar {
                Some(_) if !lasting.contains(&id) => {
                    let message = format!("the last value of `{name}` is gone with its block");
                    return Err(Diagnostic::new(local.span, message)
                        .help("declare it outside of all blocks, or do not take its address"));
                }
                Some(scalar) => {
                    let copy = self.local(&format!("%{name}"), scalar.into(), local.span);
                    copies.push((copy, read_local(tree, scalar, body.end)));
                    copy
                }
                None => tree,
            }));
        }
        if !copies.is_empty() {
            self.return_to_end(body.end);
        }
        for (copy, value) in copies {
            self.emit(StmtKind::Declare(copy, Some(value)), body.end);
        }
        Ok(found)
    }

    /// The locals that have to be in memory, since something points to them or changes them there.
    fn in_memory(&mut self) -> HashSet<LocalId> {
        let mut found = HashSet::new();
        let body = Block(std::mem::take(&mut self.body.out));
        body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) = &e.kind
                        && let Base::Variable(VarRef::Local(id)) = place.base
                    {
                        found.insert(id);
                    }
                });
            }
        });
        self.body.out = body.0;
        found
    }

    /// Lets returns lead to what comes next.
    fn return_to_end(&mut self, span: Span) {
        let mut returns = false;
        let mut body = Block(std::mem::take(&mut self.body.out));
        body.visit_mut(&mut |stmt| {
            if let StmtKind::Return(_) = stmt.kind {
                stmt.kind = StmtKind::Goto(END.to_string());
                returns = true;
            }
        });
        self.body.out = body.0;
        if returns {
            self.emit(StmtKind::Label(END.to_string()), span);
        }
    }
}

/// The local that a statement declares.
fn declared(stmt: &hir::Stmt) -> Option<hir::LocalId> {
    match stmt.kind {
        hir::StmtKind::Declare(id, _) => Some(id),
        _ => None,
    }
}

/// Locals that are more than read.
#[derive(Default)]
struct Written(HashSet<hir::LocalId>);

impl Written {
    fn of(body: &hir::Body) -> Written {
        let mut written = Written::default();
        written.block(&body.block);
        written
    }
}

impl Visitor for Written {
    fn expression(&mut self, e: &hir::Expr) {
        match &e.kind {
            hir::ExprKind::Read(place)
                if matches!(place.base, hir::Base::Local(_)) && place.path.is_empty() => {}
            _ => hir::walk_expression(self, e),
        }
    }

    fn place(&mut self, place: &hir::Place) {
        if let hir::Base::Local(id) = place.base {
            self.0.insert(id);
        }
        hir::walk_place(self, place);
    }
}

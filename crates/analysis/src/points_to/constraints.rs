//! What each statement says of the sets.

use super::contexts::Contexts;
use super::geometry::{Byte, Shape};
use super::sites::Sites;
use super::solve::{Edge, NodeId, ObjectNumber, Path, PathId, Solver};
use super::{AccessNode, Notes, Object, PointsTo, Unfollowed};
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span, pointer};
use std::collections::HashSet;

/// The sets of a program while its statements are looked at.
pub(super) struct Constraints<'p> {
    pub(super) program: &'p Program,
    pub(super) solver: Solver<'p>,
    pub(super) notes: Notes<'p>,
    pub(super) objects: Vec<Object>,
    /// The numbers of the first thread-local variable and of each procedure's first local; shared ones come first.
    first_thread_local: u32,
    pub(super) first_locals: Vec<u32>,
    /// The allocations of each procedure, and the number of its first one.
    sites: Vec<(Sites<'p>, u32)>,
    pub(super) unfollowed: ObjectNumber,
    pub(super) unknown: ObjectNumber,
    pub(super) results: Vec<NodeId>,
    threads: NodeId,
    /// The procedures that threads begin with.
    begun: HashSet<ProcedureId>,
    pub(super) procedure: ProcedureId,
    pub(super) contexts: Contexts,
    /// Which values stand for others.
    values: Stand<'p>,
}

/// Values without a pointer in them that are followed as if they had one.
#[derive(Clone, Copy)]
pub(super) enum Stand<'p> {
    /// None.
    No,
    /// These are not followed.
    Unfollowed(&'p Unfollowed<'p>),
    /// Any value may be a pointer of which nothing is known.
    Unknown,
}

/// A place: a variable's bytes, or what a pointer leads to.
pub(super) enum Where {
    Fixed(Vec<(ObjectNumber, Byte)>),
    Pointed(NodeId, PathId),
    Nowhere,
}

impl<'p> Constraints<'p> {
    pub fn new(program: &'p Program, values: Stand<'p>) -> Constraints<'p> {
        let mut solver = Solver::new();
        let mut objects = Vec::new();
        let shape = |ty: &'p Type, is_allocated| Some(Shape { records: &program.records, ty, is_allocated });
        for (i, v) in program.shared.iter().enumerate() {
            solver.object(shape(&v.ty, false));
            objects.push(Object::Variable(None, VarRef::Shared(SharedId(i))));
        }
        let first_thread_local = objects.len() as u32;
        for (i, v) in program.thread_locals.iter().enumerate() {
            solver.object(shape(&v.ty, false));
            objects.push(Object::Variable(None, VarRef::ThreadLocal(ThreadLocalId(i))));
        }
        let mut first_locals = Vec::new();
        let mut sites = Vec::new();
        for (p, procedure) in program.procedures.iter().enumerate() {
            first_locals.push(objects.len() as u32);
            for (i, v) in procedure.locals.iter().enumerate() {
                solver.object(shape(&v.ty, false));
                objects.push(Object::Variable(Some(ProcedureId(p)), VarRef::Local(LocalId(i))));
            }
            let (own, first) = (Sites::new(procedure), objects.len() as u32);
            for (n, (_, ty)) in own.iter().enumerate() {
                solver.object(shape(ty.innermost(), true));
                objects.push(Object::Site(ProcedureId(p), n));
            }
            sites.push((own, first));
        }
        let unfollowed = solver.object(None);
        objects.push(Object::Unfollowed);
        let unknown = solver.object(None);
        objects.push(Object::Unknown);
        let results = program.procedures.iter().map(|_| solver.node()).collect();
        let threads = solver.node();
        Constraints {
            program,
            solver,
            notes: Notes::default(),
            objects,
            first_thread_local,
            first_locals,
            sites,
            unfollowed,
            unknown,
            results,
            threads,
            begun: begun(program),
            procedure: ProcedureId(0),
            contexts: Contexts::new(program),
            values,
        }
    }

    /// What a value without a pointer in it stands for.
    pub(super) fn stands_for(&self, e: &Expr) -> Option<ObjectNumber> {
        match self.values {
            Stand::No => None,
            Stand::Unfollowed(values) => (values.is_one)(e).then_some(self.unfollowed),
            Stand::Unknown => matches!(e.kind, ExprKind::Any(_)).then_some(self.unknown),
        }
    }

    /// The sets of the whole program.
    pub fn solved(mut self) -> PointsTo<'p> {
        self.beginning();
        for (p, procedure) in self.program.procedures.iter().enumerate() {
            self.procedure = ProcedureId(p);
            procedure.body.visit(&mut |stmt| self.statement(stmt));
        }
        self.solver.solve();
        let results = self.results.iter().enumerate();
        let results = results.map(|(p, node)| (Object::Result(ProcedureId(p)), *node));
        PointsTo {
            results: results.chain([(Object::Threads, self.threads)]).collect(),
            solver: self.solver,
            objects: self.objects,
            notes: self.notes,
        }
    }

    /// What variables hold and threads are given at first.
    fn beginning(&mut self) {
        let program = self.program;
        let own = (0..).map(ObjectNumber);
        let shared = program.shared.iter().chain(&program.thread_locals).zip(own);
        let locals = program
            .procedures
            .iter()
            .zip(self.first_locals.clone())
            .flat_map(|(procedure, first)| procedure.locals.iter().zip((first..).map(ObjectNumber)));
        for (variable, object) in shared.chain(locals) {
            self.initial(variable, object);
        }
        for (variable, offset) in self.unfollowed_cells() {
            let object = match variable {
                VarRef::Shared(id) => id.0 as u32,
                VarRef::ThreadLocal(id) => self.first_thread_local + id.0 as u32,
                VarRef::Local(_) | VarRef::Observed(..) => continue,
            };
            let at = self.located(ObjectNumber(object), *offset as i64);
            let to = self.cell(at, 1);
            self.solver.put(to, (self.unfollowed, Byte::At(0)));
        }
        for thread in &program.threads {
            for (i, word) in thread.args.iter().enumerate() {
                if let Some(target) = self.constant(*word) {
                    let parameter = self.variable(thread.procedure, LocalId(i));
                    self.solver.put(parameter, target);
                }
            }
        }
    }

    /// What a variable holds at first.
    pub(super) fn initial(&mut self, variable: &Variable, object: ObjectNumber) {
        if variable.init.iter().all(|c| c.single() == Some(0)) {
            return;
        }
        let layout = self.program.records.layout(&variable.ty);
        for (cell, choices) in layout.iter().zip(&variable.init) {
            if !matches!(cell.ty, Scalar::Pointer { .. }) {
                continue;
            }
            for (word, _) in choices.0.iter().filter(|(lo, hi)| lo == hi) {
                if let Some(target) = self.constant(*word) {
                    let at = self.located(object, cell.offset as i64);
                    let to = self.cell(at, cell.ty.size());
                    self.solver.put(to, target);
                }
            }
        }
    }

    fn unfollowed_cells(&self) -> &'p [(VarRef, u64)] {
        match self.values {
            Stand::Unfollowed(values) => values.cells,
            Stand::No | Stand::Unknown => &[],
        }
    }

    fn located(&self, object: ObjectNumber, offset: i64) -> (ObjectNumber, Byte) {
        let ty = self.ty(object);
        let shape = Shape { records: &self.program.records, ty, is_allocated: false };
        (object, Byte::At(shape.located(offset)))
    }

    /// The type of a variable.
    fn ty(&self, object: ObjectNumber) -> &'p Type {
        let procedure = |id: ProcedureId| self.program.procedure(id);
        match self.objects[object.0 as usize] {
            Object::Variable(of, variable) => {
                let found = self.program.variable(of.map(procedure), variable);
                &found.expect("objects that are variables are there").ty
            }
            Object::Site(..) | Object::Result(_) | Object::Threads | Object::Unfollowed | Object::Unknown => {
                panic!("only variables have a place in the text")
            }
        }
    }

    /// The node of bytes of an object.
    fn cell(&mut self, at: (ObjectNumber, Byte), size: u64) -> NodeId {
        match self.solver.cell(at, size) {
            Some(node) => node,
            None => self.solver.any(at.0).0,
        }
    }

    /// The node of a scalar local variable.
    pub(super) fn variable(&mut self, procedure: ProcedureId, id: LocalId) -> NodeId {
        let object = ObjectNumber(self.first_locals[procedure.0] + id.0 as u32);
        let size = self.program.procedure(procedure).locals[id.0].ty.as_scalar().map_or(1, |ty| ty.size());
        self.cell((object, Byte::At(0)), size)
    }

    /// What an expression allocates.
    pub(super) fn allocated(&self, e: &Expr) -> ObjectNumber {
        let (sites, first) = &self.sites[self.procedure.0];
        let number = sites.number(e).expect("it allocates, and stands in the procedure");
        ObjectNumber(first + number as u32)
    }

    /// What a constant word points to.
    pub(super) fn constant(&self, word: i64) -> Option<(ObjectNumber, Byte)> {
        match pointer::target(word) {
            pointer::Target::Object(object, offset) if (object as usize) < self.program.shared.len() => {
                Some(self.located(ObjectNumber(object), offset as i64))
            }
            _ => None,
        }
    }

    /// Something is computed from a value, or depends on it.
    pub(super) fn uses(&mut self, value: Option<NodeId>, span: Span) {
        self.notes.uses.extend(value.map(|node| (node, span)));
    }

    pub(super) fn statement(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let value = self.value(value);
                let at = self.place(place, Use::Access);
                self.store(value, at, self.size(place));
            }
            StmtKind::Declare(id, Some(value)) => {
                let value = self.value(value);
                let to = self.variable(self.procedure, *id);
                self.copy(value, to);
            }
            StmtKind::Return(Some(value)) => {
                let value = self.value(value);
                self.copy(value, self.results[self.procedure.0]);
                if self.begun.contains(&self.procedure) {
                    self.copy(value, self.threads);
                }
            }
            StmtKind::Exit(Some(value)) => {
                let value = self.value(value);
                self.copy(value, self.threads);
            }
            StmtKind::Join(place, handle) => {
                self.value(handle);
                if let Some(place) = place {
                    let at = self.place(place, Use::Access);
                    self.store(Some(self.threads), at, self.size(place));
                }
            }
            StmtKind::If(test, ..)
            | StmtKind::While(test, _)
            | StmtKind::DoWhile(_, test)
            | StmtKind::Assume(test)
            | StmtKind::Assert(test, _) => {
                let value = self.value(test);
                self.uses(value, test.span);
            }
            kind => kind.expressions().into_iter().for_each(|e| {
                self.value(e);
            }),
        }
    }

    pub(super) fn copy(&mut self, from: Option<NodeId>, to: NodeId) {
        if let Some(from) = from {
            self.solver.edge(from, Edge::Copy(to));
        }
    }

    /// The size of what a place is of.
    pub(super) fn size(&self, place: &Place) -> u64 {
        let ty = self.program.place_type(Some(self.program.procedure(self.procedure)), place);
        ty.and_then(Type::as_scalar).map_or(1, |scalar| scalar.size())
    }

    pub(super) fn store(&mut self, value: Option<NodeId>, at: Where, size: u64) {
        let Some(value) = value else { return };
        match at {
            Where::Fixed(places) => places.into_iter().for_each(|at| self.solver.store(value, at, size)),
            Where::Pointed(pointer, path) => self.solver.edge(pointer, Edge::Store(value, path, size)),
            Where::Nowhere => {}
        }
    }

    pub(super) fn load(&mut self, at: Where, size: u64) -> Option<NodeId> {
        match at {
            Where::Fixed(places) => match places[..] {
                [at @ (object, _)] => {
                    let cell = self.solver.cell(at, size);
                    Some(cell.unwrap_or_else(|| self.solver.any(object).1))
                }
                _ => {
                    let to = self.solver.node();
                    places.into_iter().for_each(|at| self.solver.load(at, size, to));
                    Some(to)
                }
            },
            Where::Pointed(pointer, path) => {
                let to = self.solver.node();
                self.solver.edge(pointer, Edge::Load(to, path, size));
                Some(to)
            }
            Where::Nowhere => None,
        }
    }

    /// What a place is in.
    pub(super) fn place(&mut self, place: &'p Place, usage: Use) -> Where {
        let procedure = self.program.procedure(self.procedure);
        let base = match &place.base {
            Base::Variable(variable) => {
                let object = match variable {
                    VarRef::Shared(id) => id.0 as u32,
                    VarRef::ThreadLocal(id) => self.first_thread_local + id.0 as u32,
                    VarRef::Local(id) => self.first_locals[self.procedure.0] + id.0 as u32,
                    VarRef::Observed(..) => return Where::Nowhere,
                };
                Ok(ObjectNumber(object))
            }
            Base::Pointed(pointer, _) => {
                let pointer = self.value(pointer);
                self.uses(pointer, place.span);
                Err(pointer)
            }
        };
        let path = self.path(place);
        let id = self.solver.path(path.clone());
        match base {
            Ok(object) => Where::Fixed(self.solver.along((object, Byte::At(0)), id)),
            Err(Some(pointer)) => {
                let seen = self.program.place_type(Some(procedure), place).and_then(Type::as_scalar);
                if let (Use::Access, Some(seen)) = (usage, seen) {
                    self.notes.accesses.push(AccessNode { place, seen, pointer, path: id });
                }
                Where::Pointed(pointer, id)
            }
            Err(None) => Where::Nowhere,
        }
    }

    /// The way from the start of a place to it.
    fn path(&mut self, place: &'p Place) -> Path {
        let procedure = self.program.procedure(self.procedure);
        let mut path = Path::default();
        let mut ty = match &place.base {
            Base::Variable(variable) => self.program.variable(Some(procedure), *variable).map(|v| &v.ty),
            Base::Pointed(_, ty) => Some(ty),
        };
        for step in &place.path {
            ty = match (step, ty) {
                (Projection::Index(index), Some(Type::Array(element, _))) => {
                    let value = self.value(index);
                    self.uses(value, index.span);
                    self.tells(value);
                    let size = self.program.records.size(element);
                    match index.kind {
                        ExprKind::Const(i) => {
                            path.offset = path.offset.wrapping_add(i.wrapping_mul(size as i64));
                        }
                        _ => path.strides.push(size),
                    }
                    Some(element)
                }
                (Projection::Field(i), Some(Type::Record(id))) => {
                    let field = &self.program.records.get(*id).fields[*i];
                    path.offset = path.offset.wrapping_add(field.offset as i64);
                    Some(&field.ty)
                }
                _ => None,
            };
        }
        path
    }
}

/// What a place is named for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    Access,
    Address,
}

/// The procedures that threads begin with.
fn begun(program: &Program) -> HashSet<ProcedureId> {
    let mut begun: HashSet<_> = program.threads.iter().map(|t| t.procedure).collect();
    for procedure in &program.procedures {
        procedure.body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Spawn(id, ..) = e.kind {
                        begun.insert(id);
                    }
                });
            }
        });
    }
    begun
}

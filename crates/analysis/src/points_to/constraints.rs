//! What each statement says of the sets.

use super::geometry::{Bits, Byte, Shape, Step};
use super::solve::{Edge, NodeId, ObjectNumber, Path, PathId, Solver};
use super::{AccessNode, Object, PointsTo, Unfollowed};
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span, pointer};
use std::collections::HashMap;

/// The sets of a program while its statements are looked at.
pub(super) struct Constraints<'p> {
    program: &'p Program,
    solver: Solver<'p>,
    objects: Vec<Object>,
    /// The numbers of the first thread-local variable and of each procedure's first local; shared ones come first.
    first_thread_local: u32,
    first_locals: Vec<u32>,
    sites: HashMap<*const Expr, ObjectNumber>,
    unfollowed: ObjectNumber,
    results: Vec<NodeId>,
    threads: NodeId,
    accesses: Vec<AccessNode>,
    numbers: Vec<NodeId>,
    uses: Vec<(NodeId, Span)>,
    resized: Vec<NodeId>,
    procedure: ProcedureId,
    /// What is not followed, where that is asked for.
    unfollowed_values: Option<&'p Unfollowed<'p>>,
}

/// A place: a variable's bytes, or what a pointer leads to.
enum Where {
    Fixed(Vec<(ObjectNumber, Byte)>),
    Pointed(NodeId, PathId),
    Nowhere,
}

impl<'p> Constraints<'p> {
    pub fn new(program: &'p Program) -> Constraints<'p> {
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
        let mut sites = HashMap::new();
        for (p, procedure) in program.procedures.iter().enumerate() {
            first_locals.push(objects.len() as u32);
            for (i, v) in procedure.locals.iter().enumerate() {
                solver.object(shape(&v.ty, false));
                objects.push(Object::Variable(Some(ProcedureId(p)), VarRef::Local(LocalId(i))));
            }
            each_site(procedure, &mut |n, e, ty| {
                sites.insert(e as *const Expr, solver.object(shape(ty.innermost(), true)));
                objects.push(Object::Site(ProcedureId(p), n));
            });
        }
        let unfollowed = solver.object(None);
        objects.push(Object::Unfollowed);
        let results = program.procedures.iter().map(|_| solver.node()).collect();
        let threads = solver.node();
        Constraints {
            program,
            solver,
            objects,
            first_thread_local,
            first_locals,
            sites,
            unfollowed,
            results,
            threads,
            accesses: Vec::new(),
            numbers: Vec::new(),
            uses: Vec::new(),
            resized: Vec::new(),
            procedure: ProcedureId(0),
            unfollowed_values: None,
        }
    }

    /// The same, with values that are not followed.
    pub fn with_unfollowed(program: &'p Program, values: &'p Unfollowed<'p>) -> Constraints<'p> {
        Constraints { unfollowed_values: Some(values), ..Constraints::new(program) }
    }

    fn is_unfollowed(&self, e: &Expr) -> bool {
        self.unfollowed_values.is_some_and(|values| (values.is_one)(e))
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
            accesses: self.accesses,
            numbers: self.numbers,
            uses: self.uses,
            resized: self.resized,
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
            if variable.init.iter().all(|c| c.single() == Some(0)) {
                continue;
            }
            let layout = program.records.layout(&variable.ty);
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
        for (variable, offset) in self.unfollowed_values.map_or(&[][..], |values| values.cells) {
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
            Object::Site(..) | Object::Result(_) | Object::Threads | Object::Unfollowed => {
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
    fn variable(&mut self, procedure: ProcedureId, id: LocalId) -> NodeId {
        let object = ObjectNumber(self.first_locals[procedure.0] + id.0 as u32);
        let size = self.program.procedure(procedure).locals[id.0].ty.as_scalar().map_or(1, |ty| ty.size());
        self.cell((object, Byte::At(0)), size)
    }

    /// What a constant word points to.
    fn constant(&self, word: i64) -> Option<(ObjectNumber, Byte)> {
        match pointer::target(word) {
            pointer::Target::Object(object, offset) if (object as usize) < self.program.shared.len() => {
                Some(self.located(ObjectNumber(object), offset as i64))
            }
            _ => None,
        }
    }

    /// Something is computed from a value, or depends on it.
    fn uses(&mut self, value: Option<NodeId>, span: Span) {
        self.uses.extend(value.map(|node| (node, span)));
    }

    fn statement(&mut self, stmt: &'p Stmt) {
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
                self.copy(value, self.threads);
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
            | StmtKind::Assert(test) => {
                let value = self.value(test);
                self.uses(value, test.span);
            }
            kind => kind.expressions().into_iter().for_each(|e| {
                self.value(e);
            }),
        }
    }

    fn copy(&mut self, from: Option<NodeId>, to: NodeId) {
        if let Some(from) = from {
            self.solver.edge(from, Edge::Copy(to));
        }
    }

    /// The size of what a place is of.
    fn size(&self, place: &Place) -> u64 {
        let ty = self.program.place_type(Some(self.program.procedure(self.procedure)), place);
        ty.and_then(Type::as_scalar).map_or(1, |scalar| scalar.size())
    }

    fn store(&mut self, value: Option<NodeId>, at: Where, size: u64) {
        let Some(value) = value else { return };
        match at {
            Where::Fixed(places) => places.into_iter().for_each(|at| self.solver.store(value, at, size)),
            Where::Pointed(pointer, path) => self.solver.edge(pointer, Edge::Store(value, path, size)),
            Where::Nowhere => {}
        }
    }

    fn load(&mut self, at: Where, size: u64) -> Option<NodeId> {
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
    fn place(&mut self, place: &'p Place, usage: Use) -> Where {
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
                    self.accesses.push(AccessNode {
                        procedure: self.procedure,
                        span: place.span,
                        access: place.access,
                        seen,
                        pointer,
                        path: id,
                    });
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

    /// A node of one target.
    fn one(&mut self, target: (ObjectNumber, Byte)) -> Option<NodeId> {
        let node = self.solver.node();
        self.solver.put(node, target);
        Some(node)
    }

    fn stepped(&mut self, from: Option<NodeId>, step: Step) -> Option<NodeId> {
        let from = from?;
        let to = self.solver.node();
        self.solver.edge(from, Edge::Step(to, step));
        Some(to)
    }

    fn either(&mut self, nodes: [Option<NodeId>; 2]) -> Option<NodeId> {
        match nodes {
            [Some(one), Some(other)] => {
                let to = self.solver.node();
                self.copy(Some(one), to);
                self.copy(Some(other), to);
                Some(to)
            }
            [one, other] => one.or(other),
        }
    }

    /// What a value may point to; `None` for nothing.
    fn value(&mut self, e: &'p Expr) -> Option<NodeId> {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Any(_) if self.is_unfollowed(e) => {
                self.one((self.unfollowed, Byte::At(0)))
            }
            ExprKind::Const(word) if matches!(e.ty, Scalar::Pointer { .. }) => {
                let target = self.constant(*word)?;
                self.one(target)
            }
            ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Own => None,
            ExprKind::Read(place) => {
                let at = self.place(place, Use::Access);
                self.load(at, e.ty.size())
            }
            ExprKind::AddressOf(place) => match self.place(place, Use::Address) {
                Where::Fixed(places) => {
                    let node = self.solver.node();
                    places.into_iter().for_each(|target| self.solver.put(node, target));
                    Some(node)
                }
                Where::Pointed(pointer, path) => {
                    let to = self.solver.node();
                    self.solver.edge(pointer, Edge::Along(to, path));
                    Some(to)
                }
                Where::Nowhere => None,
            },
            ExprKind::Unary(op, inner) => {
                let inner = self.value(inner);
                self.uses(inner, e.span);
                match op {
                    UnaryOp::Not => None,
                    UnaryOp::Neg | UnaryOp::BitNot => self.stepped(inner, Step::Anyhow),
                }
            }
            ExprKind::Convert(_, inner) => self.converted(e, inner),
            ExprKind::Binary(op, l, r) => self.computed(*op, l, r, e),
            ExprKind::Select(condition, then, otherwise) => {
                let test = self.value(condition);
                self.uses(test, condition.span);
                let both = [self.value(then), self.value(otherwise)];
                self.either(both)
            }
            ExprKind::Rmw(kind, place, operands) => self.rmw(*kind, place, operands),
            ExprKind::Call(procedure, args) | ExprKind::Spawn(procedure, args, _) => {
                for (i, arg) in args.iter().enumerate() {
                    let value = self.value(arg);
                    let parameter = self.variable(*procedure, LocalId(i));
                    self.copy(value, parameter);
                }
                matches!(e.kind, ExprKind::Call(..)).then(|| self.results[procedure.0])
            }
            ExprKind::Allocate(_, bytes, ..) => {
                self.value(bytes);
                self.one((self.sites[&(e as *const Expr)], Byte::At(0)))
            }
            ExprKind::Reallocate(_, old, bytes) => {
                self.value(bytes);
                let site = self.sites[&(e as *const Expr)];
                let made = self.one((site, Byte::At(0)));
                let old = self.value(old);
                self.resized.extend(made.into_iter().chain(old));
                if let Some(old) = old {
                    self.solver.edge(old, Edge::Contents(site));
                }
                made
            }
        }
    }

    /// Whether a value is too small for a pointer; it may be part of one.
    fn is_narrow(&self, e: &Expr) -> bool {
        e.ty.size() * 8 < self.program.pointer_bits.into()
    }

    fn converted(&mut self, e: &'p Expr, inner: &'p Expr) -> Option<NodeId> {
        let value = self.value(inner);
        // The low half of a word is the byte alone.
        if matches!(inner.ty, Scalar::Pointer { .. }) && matches!(e.ty, Scalar::Int(int) if int.bits > 32) {
            self.numbers.extend(value);
        }
        match e.ty {
            Scalar::Bool => None,
            // The low half of a pointer does not lead to its object, and the high half is got by a shift.
            _ if self.is_narrow(e) && !self.is_narrow(inner) => {
                let is_part = matches!(without_conversions(inner).kind, ExprKind::Binary(BinaryOp::Shr, ..));
                if is_part { self.stepped(value, Step::Anyhow) } else { None }
            }
            _ => value,
        }
    }

    fn rmw(&mut self, kind: RmwKind, place: &'p Place, operands: &'p [Expr]) -> Option<NodeId> {
        let values: Vec<_> = operands.iter().map(|operand| self.value(operand)).collect();
        let at = self.place(place, Use::Access);
        let size = self.size(place);
        let old = match &at {
            Where::Fixed(places) => self.load(Where::Fixed(places.clone()), size),
            Where::Pointed(pointer, path) => self.load(Where::Pointed(*pointer, *path), size),
            Where::Nowhere => None,
        };
        let [.., new] = values[..] else { return old };
        let new = match kind {
            RmwKind::Exchange | RmwKind::CompareExchange | RmwKind::CompareAndSwap => new,
            RmwKind::Add | RmwKind::Sub | RmwKind::And | RmwKind::Or | RmwKind::Xor => {
                let operand = operands.last();
                let step = operand.map_or(Step::Anyhow, |operand| match kind {
                    RmwKind::Add => distance(operand, 1),
                    RmwKind::Sub => distance(operand, -1),
                    RmwKind::And => bits(Bits::And, operand),
                    RmwKind::Or => bits(Bits::Or, operand),
                    _ => bits(Bits::Xor, operand),
                });
                let moved = self.stepped(old, step);
                let operand = self.stepped(new, Step::Anyhow);
                self.either([moved, operand])
            }
        };
        self.store(new, at, size);
        if kind == RmwKind::CompareAndSwap { None } else { old }
    }

    fn computed(&mut self, op: BinaryOp, l: &'p Expr, r: &'p Expr, e: &'p Expr) -> Option<NodeId> {
        let (left, right) = (self.value(l), self.value(r));
        self.uses(left, e.span);
        self.uses(right, e.span);
        let is_pointer = |e: &Expr| matches!(e.ty, Scalar::Pointer { .. });
        let is_number = |e: &Expr| matches!(&e.kind, ExprKind::Convert(_, inner) if !is_pointer(inner));
        let (left, right) = match op {
            // How far one pointer is from another is a number.
            BinaryOp::Sub if is_pointer(l) && is_pointer(r) && !is_number(r) => return None,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
                if self.is_narrow(e) =>
            {
                (self.stepped(left, Step::Anyhow), self.stepped(right, Step::Anyhow))
            }
            BinaryOp::Add => (self.stepped(left, distance(r, 1)), self.stepped(right, distance(l, 1))),
            BinaryOp::Sub => (self.stepped(left, distance(r, -1)), self.stepped(right, Step::Anyhow)),
            // The low bits of an address are no address; but those of a narrow form are.
            BinaryOp::BitAnd if self.program.pointer_bits == 64 && (is_low(l) || is_low(r)) => return None,
            BinaryOp::BitAnd => {
                (self.stepped(left, bits(Bits::And, r)), self.stepped(right, bits(Bits::And, l)))
            }
            BinaryOp::BitOr => {
                (self.stepped(left, bits(Bits::Or, r)), self.stepped(right, bits(Bits::Or, l)))
            }
            BinaryOp::BitXor => {
                (self.stepped(left, bits(Bits::Xor, r)), self.stepped(right, bits(Bits::Xor, l)))
            }
            BinaryOp::Shl | BinaryOp::Shr => (self.stepped(left, Step::Anyhow), None),
            BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or => return None,
        };
        self.either([left, right])
    }
}

/// What a place is named for.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Access,
    Address,
}

fn without_conversions(mut e: &Expr) -> &Expr {
    while let ExprKind::Convert(_, inner) = &e.kind {
        e = inner;
    }
    e
}

/// How far a number moves a pointer that it is added to.
fn distance(by: &Expr, sign: i64) -> Step {
    match &without_conversions(by).kind {
        ExprKind::Const(bytes) => Step::By(bytes.wrapping_mul(sign)),
        ExprKind::Binary(BinaryOp::Mul, l, r) => {
            match (&without_conversions(l).kind, &without_conversions(r).kind) {
                (_, ExprKind::Const(size)) | (ExprKind::Const(size), _) => Step::Stride(size.unsigned_abs()),
                _ => Step::Stride(1),
            }
        }
        _ => Step::Stride(1),
    }
}

/// Whether it has only bits that say nothing of a pointer's object.
fn is_low(e: &Expr) -> bool {
    matches!(without_conversions(e).kind, ExprKind::Const(bits) if u32::try_from(bits).is_ok())
}

fn bits(op: Bits, with: &Expr) -> Step {
    match without_conversions(with).kind {
        ExprKind::Const(bits) => Step::Bits(op, bits),
        _ => Step::Anyhow,
    }
}

/// Calls `see` with each allocation of a procedure: its number, itself, and its type.
pub fn each_site<'p>(procedure: &'p Procedure, see: &mut impl FnMut(usize, &'p Expr, &'p Type)) {
    let mut count = 0;
    procedure.body.visit(&mut |stmt| {
        for e in stmt.kind.expressions() {
            e.visit(&mut |e| {
                if let ExprKind::Allocate(ty, ..) | ExprKind::Reallocate(ty, ..) = &e.kind {
                    see(count, e, ty);
                    count += 1;
                }
            });
        }
    });
}

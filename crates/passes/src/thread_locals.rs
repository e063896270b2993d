//! Variables of threads whose address is taken: each thread has an object for them, and a pointer to it in place of the
//! variable. The object is a local variable of a procedure around the one that the thread starts with, so it is gone when
//! the thread has ended. That of the first thread stays.

use crate::spawned::{Around, around_spawned};
use fencepost_analysis::addressed::Addressed;
use fencepost_ir::tree::*;
use fencepost_ir::{Access, InitialCells, IntType, Scalar, Step};
use std::collections::{HashMap, HashSet};

/// Moves thread-local variables that are pointed to into memory.
pub(crate) fn run(program: &mut Program) {
    // Where there are no pointers, nothing leads to them.
    if program.pointer_bits > 0 {
        Moving { program }.move_all();
    }
}

struct Moving<'p> {
    program: &'p mut Program,
}

impl Moving<'_> {
    fn move_all(&mut self) {
        let mut moved: HashMap<usize, ThreadLocalId> = HashMap::new();
        let addressed = Addressed::new(self.program);
        let is_addressed = |id: &usize| addressed.contains_thread_local(ThreadLocalId(*id));
        let mut escaping: Vec<usize> = (0..self.program.thread_locals.len()).filter(is_addressed).collect();
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Rmw(_, place, _) = &e.kind
                            && let Base::Variable(VarRef::ThreadLocal(id)) = place.base
                            && !escaping.contains(&id.0)
                        {
                            escaping.push(id.0);
                        }
                    });
                }
            });
        }
        if escaping.is_empty() {
            return;
        }
        let pointer = Scalar::Pointer { bits: self.program.pointer_bits };
        for &id in &escaping {
            let variable = &self.program.thread_locals[id];
            let (name, span) = (format!("%address.{}", variable.name), variable.span);
            let address = Variable::new(name, pointer.into(), vec![Choices::one(0)], span);
            self.program.thread_locals.push(address);
            moved.insert(id, ThreadLocalId(self.program.thread_locals.len() - 1));
        }
        self.follow_addresses(&moved, pointer);
        let begin: Vec<Stmt> =
            escaping.iter().flat_map(|id| self.make_object(*id, moved[id], pointer)).collect();
        let starts: HashSet<usize> = self.program.threads.iter().map(|t| t.procedure.0).collect();
        for start in starts {
            let body = &mut self.program.procedures[start].body.0;
            body.splice(0..0, begin.iter().cloned());
        }
        let inside: Vec<_> = escaping.iter().map(|id| (*id, moved[id], self.local_object(*id))).collect();
        let values: Vec<_> = inside.iter().map(|(id, at, _)| self.first_values(*id, *at, pointer)).collect();
        around_spawned(self.program, |program, started| {
            let mut around = Around::default();
            let params = program.procedure(started).params;
            for ((_, address, object), values) in inside.iter().zip(&values) {
                let local = LocalId(params + around.locals.len());
                around.locals.push(object.clone());
                around.before.extend(point_to_local(object, *address, local, pointer));
                around.before.extend(values.iter().cloned());
            }
            around
        });
    }

    /// The object of a thread's variable as a local variable.
    fn local_object(&self, id: usize) -> Variable {
        let Variable { name, ty, span, .. } = self.program.thread_locals[id].clone();
        let layout = self.program.records.layout(&ty);
        let init = layout.iter().map(|cell| Choices::one(cell.ty.default_value())).collect();
        Variable::new(name, ty, init, span)
    }

    /// Puts what the pointers point to in place of the variables.
    fn follow_addresses(&mut self, moved: &HashMap<usize, ThreadLocalId>, pointer: Scalar) {
        let types: HashMap<usize, Type> =
            moved.keys().map(|id| (*id, self.program.thread_locals[*id].ty.clone())).collect();
        let follow = |place: &mut Place| {
            if let Base::Variable(VarRef::ThreadLocal(id)) = place.base
                && let Some(address) = moved.get(&id.0)
            {
                let read = Place::variable(VarRef::ThreadLocal(*address), place.span);
                let read = Expr { kind: ExprKind::Read(read), ty: pointer, span: place.span };
                place.base = Base::Pointed(Box::new(read), types[&id.0].clone());
            }
        };
        for procedure in &mut self.program.procedures {
            procedure.body.visit_mut(&mut |stmt| {
                for e in stmt.kind.expressions_mut() {
                    e.visit_mut(&mut |e| match &mut e.kind {
                        ExprKind::Read(place) | ExprKind::Rmw(_, place, _) => follow(place),
                        ExprKind::AddressOf(place) => {
                            follow(place);
                            // The address of what a pointer points to is the pointer.
                            if let (Base::Pointed(to, _), []) = (&place.base, &place.path[..]) {
                                *e = (**to).clone();
                            }
                        }
                        _ => {}
                    });
                }
                stmt.kind.places_mut().into_iter().for_each(follow);
            });
        }
    }

    /// `address = new object; ...`
    fn make_object(&self, id: usize, address: ThreadLocalId, pointer: Scalar) -> Vec<Stmt> {
        let Variable { ty, span, .. } = &self.program.thread_locals[id];
        let span = *span;
        let place = Place::variable(VarRef::ThreadLocal(address), span);
        let size = self.program.records.size(ty) as i64;
        let bytes = Expr::constant(size, self.word(false), span);
        let object = ExprKind::Allocate(ty.clone(), Box::new(bytes), Fill::Zero, Storage::Stack);
        let object = Expr { kind: object, ty: pointer, span };
        let mut block = vec![Stmt { kind: StmtKind::Assign(place, object), span }];
        block.extend(self.first_values(id, address, pointer));
        block
    }

    /// An integer as wide as pointers.
    fn word(&self, signed: bool) -> Scalar {
        Scalar::Int(IntType { bits: self.program.pointer_bits, signed })
    }

    /// Assigns what an object starts with, where that is not 0.
    fn first_values(&self, id: usize, address: ThreadLocalId, pointer: Scalar) -> Vec<Stmt> {
        let Variable { ty, init, span, .. } = &self.program.thread_locals[id];
        let span = *span;
        let place = Place::variable(VarRef::ThreadLocal(address), span);
        let read = Expr { kind: ExprKind::Read(place), ty: pointer, span };
        let mut block = Vec::new();
        let records = &self.program.records;
        let mut cells = InitialCells::zero(records, ty);
        for (cell, choices) in records.layout(ty).iter().zip(init) {
            cells.choose(cell.offset, cell.ty, choices);
        }
        records.scalars(ty, &mut Vec::new(), &mut |path, scalar| {
            let (offset, _) = records.offset(ty, path);
            if let Some(value) = cells.get(offset, scalar).filter(|v| *v != scalar.default_value()) {
                let steps = path.iter().map(|step| match step {
                    Step::Index(i) => Projection::Index(Expr::constant(i64::from(*i), self.word(true), span)),
                    Step::Field(i) => Projection::Field(*i),
                });
                let base = Base::Pointed(Box::new(read.clone()), ty.clone());
                let place = Place { base, path: steps.collect(), span, access: Access::Plain };
                let value = Expr::constant(value, scalar, span);
                block.push(Stmt { kind: StmtKind::Assign(place, value), span });
            }
        });
        block
    }
}

/// `address = &local;`
fn point_to_local(object: &Variable, address: ThreadLocalId, local: LocalId, pointer: Scalar) -> [Stmt; 2] {
    let span = object.span;
    let place = ExprKind::AddressOf(Place::variable(VarRef::Local(local), span));
    let value = Expr { kind: place, ty: pointer, span };
    let place = Place::variable(VarRef::ThreadLocal(address), span);
    [StmtKind::Declare(local, None), StmtKind::Assign(place, value)].map(|kind| Stmt { kind, span })
}

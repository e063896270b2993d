//! Variables of threads whose address is taken: each thread has an object for them, which it makes when it
//! starts, and a pointer to it in place of the variable.

use super::initial_cells::InitialCells;
use super::*;

impl Lowerer<'_> {
    /// Moves thread-local variables that are pointed to into memory.
    pub(super) fn thread_locals_to_memory(&mut self) {
        let mut moved: HashMap<usize, ThreadLocalId> = HashMap::new();
        let mut escaping = Vec::new();
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) = &e.kind
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
        let mut starts: Vec<ProcedureId> = Vec::new();
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Spawn(p, ..) = e.kind {
                            starts.push(p);
                        }
                    });
                }
            });
        }
        starts.extend(self.program.threads.iter().map(|t| t.procedure));
        starts.sort_unstable();
        starts.dedup();
        let begin: Vec<Stmt> = escaping.iter().map(|id| self.make_object(*id, moved[id], pointer)).collect();
        for start in starts {
            let body = &mut self.program.procedures[start.0].body.0;
            body.splice(0..0, begin.iter().cloned());
        }
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

    /// `if (address == null) { address = new object; ... }`, since a function that threads start with may
    /// be called as well.
    fn make_object(&self, id: usize, address: ThreadLocalId, pointer: Scalar) -> Stmt {
        let Variable { ty, init, span, .. } = &self.program.thread_locals[id];
        let span = *span;
        let place = Place::variable(VarRef::ThreadLocal(address), span);
        let read = Expr { kind: ExprKind::Read(place.clone()), ty: pointer, span };
        let size = self.program.records.size(ty) as i64;
        let bytes = self.int_constant(size, &CType::UNSIGNED_LONG, span).expr;
        let object = ExprKind::Allocate(ty.clone(), Box::new(bytes), Fill::Zero, Storage::Stack);
        let object = Expr { kind: object, ty: pointer, span };
        let mut block = vec![Stmt { kind: StmtKind::Assign(place, object), span }];
        let records = &self.program.records;
        let mut cells = InitialCells::zero(records, ty);
        for (cell, choices) in records.layout(ty).iter().zip(init) {
            cells.choose(cell.offset, cell.ty, choices);
        }
        records.scalars(ty, &mut Vec::new(), &mut |path, scalar| {
            let (offset, _) = records.offset(ty, path);
            if let Some(value) = cells.get(offset, scalar).filter(|v| *v != scalar.default_value()) {
                let steps = path.iter().map(|step| match step {
                    Step::Index(i) => {
                        Projection::Index(self.int_constant(i64::from(*i), &CType::LONG, span).expr)
                    }
                    Step::Field(i) => Projection::Field(*i),
                });
                let base = Base::Pointed(Box::new(read.clone()), ty.clone());
                let place = Place { base, path: steps.collect(), span, access: Access::Plain };
                let value = Expr::constant(value, scalar, span);
                block.push(Stmt { kind: StmtKind::Assign(place, value), span });
            }
        });
        let null = Box::new(Expr::constant(0, pointer, span));
        let missing = ExprKind::Binary(BinaryOp::Eq, Box::new(read), null);
        let missing = Expr { kind: missing, ty: Scalar::Bool, span };
        Stmt { kind: StmtKind::If(missing, Block(block), Block::default()), span }
    }
}

//! Whether addresses of allocated objects become integers.
//!
//! Where they do not, objects may be numbered as one likes, and states that differ in the numbers only are one. Casts of pointers
//! to integers alone do not tell: `(long)arg` mostly gives back the number that a thread was started with. So it is followed
//! which variables may hold the address of an allocated object or of a local variable: one bit for each variable, one for all
//! memory that pointers lead to, grown over all statements in any order until nothing changes. That is coarse, but never
//! misses an address: whatever a pointer leads to is in the memory, or a variable whose address is taken somewhere.

use super::*;
use fencepost_ir::pointer::{self, Target};

/// What may hold an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Variable(Option<ProcedureId>, VarRef),
    /// What a procedure gives back, and what threads do.
    Result(ProcedureId),
    Threads,
    /// All that pointers lead to.
    Memory,
}

struct Addresses<'p> {
    program: &'p Program,
    /// Variables that pointers may lead to.
    pointed: HashSet<Holder>,
    holders: HashSet<Holder>,
    changed: bool,
    procedure: ProcedureId,
}

/// Whether one of these casts of pointers to integers may see the address of an allocated object.
pub(super) fn addresses_become_numbers(program: &Program, casts: &HashSet<Span>) -> bool {
    let mut addresses = Addresses {
        program,
        pointed: HashSet::new(),
        holders: HashSet::new(),
        changed: true,
        procedure: ProcedureId(0),
    };
    addresses.find_pointed();
    while std::mem::take(&mut addresses.changed) {
        for (p, procedure) in program.procedures.iter().enumerate() {
            addresses.procedure = ProcedureId(p);
            procedure.body.visit(&mut |stmt| addresses.statement(stmt));
        }
    }
    program.procedures.iter().enumerate().any(|(p, procedure)| {
        addresses.procedure = ProcedureId(p);
        let mut found = false;
        procedure.body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Convert(_, inner) = &e.kind
                        && casts.contains(&e.span)
                        && matches!(inner.ty, Scalar::Pointer { .. })
                    {
                        found |= addresses.value(inner);
                    }
                });
            }
        });
        found
    })
}

impl Addresses<'_> {
    fn find_pointed(&mut self) {
        let shared = self.program.shared.iter();
        for word in shared.flat_map(|v| &v.init).filter_map(Choices::single) {
            self.point(word);
        }
        for word in self.program.threads.iter().flat_map(|t| &t.args) {
            self.point(*word);
        }
        for (p, procedure) in self.program.procedures.iter().enumerate() {
            self.procedure = ProcedureId(p);
            for word in procedure.locals.iter().flat_map(|v| &v.init).filter_map(Choices::single) {
                self.point(word);
            }
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| match &e.kind {
                        ExprKind::Const(word) => self.point(*word),
                        ExprKind::AddressOf(Place { base: Base::Variable(variable), .. }) => {
                            self.pointed.insert(self.holder(*variable));
                        }
                        _ => {}
                    });
                }
            });
        }
    }

    /// A word may lead to one of the program's variables.
    fn point(&mut self, word: i64) {
        if let Target::Object(object, _) = pointer::target(word) {
            self.pointed.insert(Holder::Variable(None, VarRef::Shared(SharedId(object as usize))));
        }
    }

    fn holder(&self, variable: VarRef) -> Holder {
        let own = matches!(variable, VarRef::Local(_)).then_some(self.procedure);
        Holder::Variable(own, variable)
    }

    fn put(&mut self, holder: Holder, holds: bool) {
        let holder = if self.pointed.contains(&holder) { Holder::Memory } else { holder };
        self.changed |= holds && self.holders.insert(holder);
    }

    fn holds(&self, holder: Holder) -> bool {
        let holder = if self.pointed.contains(&holder) { Holder::Memory } else { holder };
        self.holders.contains(&holder)
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let value = self.value(value);
                let holder = self.place(place);
                self.put(holder, value);
            }
            StmtKind::Declare(id, Some(value)) => {
                let value = self.value(value);
                self.put(self.holder(VarRef::Local(*id)), value);
            }
            StmtKind::Return(Some(value)) => {
                let value = self.value(value);
                self.put(Holder::Result(self.procedure), value);
                self.put(Holder::Threads, value);
            }
            StmtKind::Exit(Some(value)) => {
                let value = self.value(value);
                self.put(Holder::Threads, value);
            }
            StmtKind::Join(Some(place), handle) => {
                self.value(handle);
                let holder = self.place(place);
                self.put(holder, self.holds(Holder::Threads));
            }
            kind => kind.expressions().into_iter().for_each(|e| {
                self.value(e);
            }),
        }
    }

    /// What a place is part of.
    fn place(&mut self, place: &Place) -> Holder {
        for step in &place.path {
            if let Projection::Index(index) = step {
                self.value(index);
            }
        }
        match &place.base {
            Base::Variable(variable) => self.holder(*variable),
            Base::Pointed(pointer, _) => {
                self.value(pointer);
                Holder::Memory
            }
        }
    }

    /// Whether a value may be the address of an allocated object.
    fn value(&mut self, e: &Expr) -> bool {
        let is_address = match &e.kind {
            ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Own => false,
            ExprKind::Read(place) => {
                let holder = self.place(place);
                self.holds(holder)
            }
            ExprKind::AddressOf(place) => match &place.base {
                Base::Variable(VarRef::Shared(_)) => {
                    self.place(place);
                    false
                }
                Base::Variable(_) => {
                    self.place(place);
                    true
                }
                Base::Pointed(pointer, _) => {
                    self.place(place);
                    self.value(pointer)
                }
            },
            ExprKind::Unary(_, inner) | ExprKind::Convert(_, inner) => self.value(inner),
            ExprKind::Binary(_, l, r) => {
                let left = self.value(l);
                self.value(r) || left
            }
            ExprKind::Select(condition, then, otherwise) => {
                self.value(condition);
                let then = self.value(then);
                self.value(otherwise) || then
            }
            ExprKind::Rmw(_, place, operands) => {
                let mut new = false;
                for operand in operands {
                    new |= self.value(operand);
                }
                let holder = self.place(place);
                self.put(holder, new);
                self.holds(holder)
            }
            ExprKind::Call(procedure, args) | ExprKind::Spawn(procedure, args, _) => {
                for (i, arg) in args.iter().enumerate() {
                    let value = self.value(arg);
                    let parameter = VarRef::Local(LocalId(i));
                    self.put(Holder::Variable(Some(*procedure), parameter), value);
                }
                matches!(e.kind, ExprKind::Call(..)) && self.holds(Holder::Result(*procedure))
            }
            ExprKind::Allocate(_, bytes, ..) => {
                self.value(bytes);
                true
            }
            ExprKind::Reallocate(_, old, bytes) => {
                self.value(old);
                self.value(bytes);
                true
            }
        };
        // That two addresses are equal shows nothing of them, and where their order is asked for that is seen elsewhere.
        is_address && e.ty != Scalar::Bool
    }
}

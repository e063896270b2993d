//! Loops that create threads without end: any number of threads.
//!
//! `while (1) pthread_create(&t, 0, f, 0);` in `main` starts as many threads as a run likes, all alike, and
//! a thread that has been created may take any time to begin. So it is a group `[*]` of threads
//! that wait until `main` has come to the loop. A loop with a free choice as its condition is the same, and
//! `main` continues after it.
//!
//! The arguments have to be constants, and the handles must not be used.

use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span};

/// A loop that can be replaced: where it is in `main`, and what it starts.
struct SpawnLoop {
    position: usize,
    starts: Vec<(ProcedureId, Vec<i64>, Span)>,
    is_endless: bool,
}

/// Makes groups of any number of threads from loops of the first procedure.
pub(crate) fn run(program: &mut Program) {
    if let Some(main) = program.first() {
        Loops { program }.replace(main);
    }
}

struct Loops<'p> {
    program: &'p mut Program,
}

impl Loops<'_> {
    fn replace(&mut self, main: ProcedureId) {
        let Some(found) = self.spawn_loop(main) else { return };
        let span = self.program.procedures[main.0].body.0[found.position].span;
        let mut before = std::mem::take(&mut self.program.procedures[main.0].body.0);
        let mut after = before.split_off(found.position);
        after.remove(0);
        let statement = |kind| Stmt { kind, span };
        let idle = |s: &Stmt| matches!(s.kind, StmtKind::Declare(_, None) | StmtKind::Fence(_));
        let begins_at_once = before.iter().all(idle);
        let started = (!begins_at_once).then(|| {
            let init = vec![Choices::one(0)];
            let variable = Variable::new("%started".into(), Scalar::Bool.into(), init, span);
            self.program.shared.push(variable);
            Place::variable(VarRef::Shared(SharedId(self.program.shared.len() - 1)), span)
        });
        if let Some(started) = &started {
            // Creating a thread waits for the buffer.
            let yes = Expr::constant(1, Scalar::Bool, span);
            before.push(statement(StmtKind::Fence(Fence::Machine(FenceKind::Full))));
            before.push(statement(StmtKind::Assign(started.clone(), yes)));
            before.push(statement(StmtKind::Fence(Fence::Machine(FenceKind::Full))));
        }
        if found.is_endless && begins_at_once {
            // `main` does nothing else.
            self.program.threads.retain(|t| t.procedure != main);
        } else if found.is_endless {
            let result = self.program.procedure(main).result;
            let value = result.map(|ty| Expr::constant(ty.default_value(), ty, span));
            before.push(statement(StmtKind::Return(value)));
        }
        before.extend(after);
        self.program.procedures[main.0].body.0 = before;
        for (procedure, args, span) in found.starts {
            let group = self.waiting_procedure(procedure, started.as_ref(), span);
            let name = self.program.procedure(procedure).name.clone();
            let thread = Thread { name, procedure: group, args, count: Count::Any, span };
            if !self.program.threads.contains(&thread) {
                self.program.threads.push(thread);
            }
        }
    }

    fn spawn_loop(&self, main: ProcedureId) -> Option<SpawnLoop> {
        let body = &self.program.procedure(main).body.0;
        let (position, cond, inside) = body.iter().enumerate().find_map(|(i, stmt)| match &stmt.kind {
            StmtKind::While(cond, inside) => Some((i, cond, inside)),
            _ => None,
        })?;
        let mut free = true;
        cond.visit(&mut |e| {
            free &= matches!(
                e.kind,
                ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Convert(..) | ExprKind::Binary(..)
            );
        });
        let is_endless = matches!(cond.kind, ExprKind::Const(n) if n != 0);
        let mut starts = Vec::new();
        let mut handles = Vec::new();
        let all = inside.0.iter().all(|stmt| match &stmt.kind {
            StmtKind::Assign(place, Expr { kind: ExprKind::Spawn(p, args, _), span, .. }) => {
                let values: Option<Vec<i64>> = args.iter().map(|a| self.program.fold(a)).collect();
                handles.push(place.clone());
                values.map(|values| starts.push((*p, values, *span))).is_some()
            }
            // Creating a thread waits for the buffer anyway.
            StmtKind::Skip | StmtKind::Declare(_, None) | StmtKind::Fence(_) => true,
            _ => false,
        });
        let has_choice = {
            let mut any = is_endless;
            cond.visit(&mut |e| any |= matches!(e.kind, ExprKind::Any(_)));
            any
        };
        let unread = handles.iter().all(|place| !self.is_read(main, place));
        (free && all && has_choice && !starts.is_empty() && unread).then_some(SpawnLoop {
            position,
            starts,
            is_endless,
        })
    }

    /// Whether a variable is looked at, or could be through a pointer.
    fn is_read(&self, main: ProcedureId, place: &Place) -> bool {
        let mut read = !matches!(place.base, Base::Variable(_));
        for (i, procedure) in self.program.procedures.iter().enumerate() {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Read(p) | ExprKind::AddressOf(p) | ExprKind::Rmw(_, p, _) = &e.kind {
                            let is_local = matches!(p.base, Base::Variable(VarRef::Local(_)));
                            read |= p.base == place.base && (!is_local || i == main.0);
                        }
                    });
                }
            });
        }
        read
    }

    /// The procedure with a wait for the beginning before it.
    fn waiting_procedure(&mut self, id: ProcedureId, started: Option<&Place>, span: Span) -> ProcedureId {
        let Some(started) = started else { return id };
        let mut waiting = self.program.procedure(id).clone();
        let read = Expr { kind: ExprKind::Read(started.clone()), ty: Scalar::Bool, span };
        waiting.body.0.insert(0, Stmt { kind: StmtKind::Assume(read), span });
        self.program.procedures.push(waiting);
        ProcedureId(self.program.procedures.len() - 1)
    }
}

//! Any values that global variables get before threads begin, and what is assumed of them right after.
//!
//! `n = __VERIFIER_nondet_int(); __VERIFIER_assume(0 < n && n < 4);` with a global `n` chooses among all integers, and
//! forgets that few of them pass, because what memory holds is not looked at. As long as there is one thread nobody sees
//! when memory is written, and a run that an assumption ends is gone with all it has written. So the value is chosen for a
//! local variable, assumptions speak of that, and memory gets it after them.

use fencepost_ir::Scalar;
use fencepost_ir::tree::*;
use std::collections::HashSet;

/// Rewrites the beginning of the program's first procedure.
pub(crate) fn run(program: &mut Program) {
    if let Some(first) = program.first() {
        Beginning { program }.choose_early(first);
    }
}

struct Beginning<'p> {
    program: &'p mut Program,
}

impl Beginning<'_> {
    fn choose_early(&mut self, first: ProcedureId) {
        let spawning = self.spawning();
        let stmts = std::mem::take(&mut self.program.procedures[first.0].body.0);
        let mut early = Early { pending: Vec::new(), out: Vec::new() };
        let mut rest = stmts.into_iter();
        for mut stmt in rest.by_ref() {
            let span = stmt.span;
            match &mut stmt.kind {
                StmtKind::Assign(place, value) if self.is_early_choice(place, value) => {
                    early.forget(place);
                    let name = "%any".to_string();
                    let init = vec![Choices::one(value.ty.default_value())];
                    let locals = &mut self.program.procedures[first.0].locals;
                    locals.push(Variable::new(name, value.ty.into(), init, span));
                    let id = LocalId(locals.len() - 1);
                    let value = value.clone();
                    early.pending.push((place.clone(), id, value.ty));
                    early.out.push(Stmt { kind: StmtKind::Declare(id, Some(value)), span });
                    continue;
                }
                StmtKind::Assume(condition) if only_reads(condition) => early.see(condition),
                StmtKind::If(condition, then, otherwise)
                    if only_reads(condition) && ends_at_most(then) && ends_at_most(otherwise) =>
                {
                    early.see(condition);
                }
                StmtKind::Declare(_, None) | StmtKind::Skip => {}
                StmtKind::Declare(_, Some(value)) if only_reads(value) || is_any(value) => early.see(value),
                _ => early.flush(),
            }
            let starts = may_start(&stmt, &spawning);
            let jumps = matches!(stmt.kind, StmtKind::Label(_) | StmtKind::Goto(_));
            early.out.push(stmt);
            // A jump back to a label would come to statements that were moved, with other threads about.
            if starts || jumps {
                break;
            }
        }
        early.flush();
        early.out.extend(rest);
        self.program.procedures[first.0].body.0 = early.out;
    }

    /// Whether a global scalar gets one of more values than can be tried.
    fn is_early_choice(&self, place: &Place, value: &Expr) -> bool {
        let constant = place.indices().all(|i| matches!(i.kind, ExprKind::Const(_)));
        let many = matches!(&value.kind, ExprKind::Any(choices) if choices.count() > 1 << 8);
        constant && many && matches!(place.base, Base::Variable(VarRef::Shared(_)))
    }

    /// The procedures that may start threads.
    fn spawning(&self) -> HashSet<ProcedureId> {
        let mut found = HashSet::new();
        loop {
            let before = found.len();
            for (i, procedure) in self.program.procedures.iter().enumerate() {
                let mut starts = false;
                procedure.body.visit(&mut |stmt| starts |= may_start(stmt, &found));
                if starts {
                    found.insert(ProcedureId(i));
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }
}

/// Values that memory does not have yet, and what is after them.
struct Early {
    pending: Vec<(Place, LocalId, Scalar)>,
    out: Vec<Stmt>,
}

fn same(a: &Place, b: &Place) -> bool {
    let step = |p: &Projection| match p {
        Projection::Field(i) => (0, *i as i64),
        Projection::Index(Expr { kind: ExprKind::Const(i), .. }) => (1, *i),
        Projection::Index(_) => (2, 0),
    };
    a.base == b.base && a.path.iter().map(step).eq(b.path.iter().map(step))
}

impl Early {
    /// Memory's value is about to be another one.
    fn forget(&mut self, place: &Place) {
        self.pending.retain(|(pending, ..)| !same(pending, place));
    }

    /// Lets an expression read the values where they are.
    fn see(&self, e: &mut Expr) {
        e.visit_mut(&mut |e| {
            if let ExprKind::Read(place) = &mut e.kind
                && let Some((_, id, _)) = self.pending.iter().find(|(pending, ..)| same(pending, place))
            {
                *place = Place::variable(VarRef::Local(*id), place.span);
            }
        });
    }

    fn flush(&mut self) {
        for (place, id, ty) in self.pending.drain(..) {
            let span = place.span;
            let value = read_local(id, ty, span);
            self.out.push(Stmt { kind: StmtKind::Assign(place, value), span });
        }
    }
}

/// Whether evaluating an expression does nothing but read variables at fixed places.
fn only_reads(e: &Expr) -> bool {
    let mut only = true;
    e.visit(&mut |e| {
        only &= match &e.kind {
            ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(..)
            | ExprKind::Convert(..) => true,
            ExprKind::Read(place) => {
                matches!(place.base, Base::Variable(_))
                    && place.indices().all(|i| matches!(i.kind, ExprKind::Const(_)))
            }
            ExprKind::Any(_)
            | ExprKind::Rmw(..)
            | ExprKind::Call(..)
            | ExprKind::Spawn(..)
            | ExprKind::Own
            | ExprKind::AddressOf(_)
            | ExprKind::Allocate(..)
            | ExprKind::Reallocate(..) => false,
        };
    });
    only
}

fn is_any(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Any(_))
}

/// Whether a block does nothing, or ends the program.
fn ends_at_most(block: &Block) -> bool {
    block.0.iter().all(|stmt| matches!(stmt.kind, StmtKind::Halt | StmtKind::Skip))
}

fn may_start(stmt: &Stmt, spawning: &HashSet<ProcedureId>) -> bool {
    let mut starts = false;
    let mut look = |stmt: &Stmt| {
        for e in stmt.kind.expressions() {
            e.visit(&mut |e| {
                starts |= match &e.kind {
                    ExprKind::Spawn(..) => true,
                    ExprKind::Call(procedure, _) => spawning.contains(procedure),
                    _ => false,
                };
            });
        }
    };
    look(stmt);
    Block(vec![stmt.clone()]).visit(&mut |inner| look(inner));
    starts
}

//! How often things in a program can run at most: procedures, and expressions in them. Each call, spawn and thread at
//! the beginning counts as often as what it is in, times the rounds of loops around it whose number is plain:
//! a variable of the procedure's own that counts from one constant to another. Other loops, recursion and jumps back
//! have no bound.

use fencepost_ir::Scalar;
use fencepost_ir::tree::{
    Base, BinaryOp, Block, Count, Expr, ExprKind, Kept, LocalId, Place, Procedure, ProcedureId, Program,
    Stmt, StmtKind, VarRef,
};

/// A number of times; `None` if there is no bound.
pub type Times = Option<u64>;

fn product(left: Times, right: Times) -> Times {
    left?.checked_mul(right?)
}

/// How often each procedure runs at most.
pub struct Runs {
    procedures: Vec<Times>,
}

impl Runs {
    /// Counts.
    pub fn new(program: &Program) -> Runs {
        // For each procedure who enters it, and how often for each time that it runs itself.
        let mut entered: Vec<Vec<(usize, Times)>> = vec![Vec::new(); program.procedures.len()];
        for (i, procedure) in program.procedures.iter().enumerate() {
            expressions(procedure, &mut |e, times| {
                if let ExprKind::Call(callee, _) | ExprKind::Spawn(callee, ..) = &e.kind {
                    entered[callee.0].push((i, times));
                }
            });
        }
        let mut started = vec![Some(0u64); program.procedures.len()];
        for thread in &program.threads {
            let times = match thread.count {
                Count::Times(n) => Some(u64::from(n)),
                Count::Any => None,
            };
            let all = &mut started[thread.procedure.0];
            *all = all.zip(times).and_then(|(a, b)| a.checked_add(b));
        }
        let mut counted = Counted { entered, started, known: vec![None; program.procedures.len()] };
        let procedures = (0..program.procedures.len()).map(|i| counted.times(i)).collect();
        Runs { procedures }
    }

    /// How often a procedure runs.
    pub fn times(&self, id: ProcedureId) -> Times {
        self.procedures[id.0]
    }
}

struct Counted {
    entered: Vec<Vec<(usize, Times)>>,
    started: Vec<Times>,
    /// `Some(None)` also while it is counted: what enters itself has no bound.
    known: Vec<Option<Times>>,
}

impl Counted {
    fn times(&mut self, i: usize) -> Times {
        if let Some(known) = self.known[i] {
            return known;
        }
        self.known[i] = Some(None);
        let mut all = self.started[i];
        for (caller, times) in self.entered[i].clone() {
            let more = product(self.times(caller), times);
            all = all.zip(more).and_then(|(a, b)| a.checked_add(b));
        }
        self.known[i] = Some(all);
        all
    }
}

/// Calls `visit` with every expression of a procedure, inner ones included, and how often it is evaluated for each time
/// that the procedure runs.
pub fn expressions(procedure: &Procedure, visit: &mut impl FnMut(&Expr, Times)) {
    let mut walk = Walk { procedure, repeated: jumps_back(&procedure.body), next: 0 };
    walk.block(&procedure.body, Some(1), visit);
}

struct Walk<'a> {
    procedure: &'a Procedure,
    /// Statements, numbered as they are, that jumps lead back over: first and last.
    repeated: Vec<(usize, usize)>,
    next: usize,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, times: Times, visit: &mut impl FnMut(&Expr, Times)) {
        for (i, stmt) in block.0.iter().enumerate() {
            let number = self.next;
            self.next += 1;
            let again = self.repeated.iter().any(|(first, last)| (*first..=*last).contains(&number));
            let times = if again { None } else { times };
            let inner = match &stmt.kind {
                StmtKind::While(condition, body) => {
                    let before = i.checked_sub(1).map(|i| &block.0[i]);
                    product(times, self.rounds(before, condition, body))
                }
                StmtKind::DoWhile(..) => None,
                _ => times,
            };
            // The condition is evaluated once more than the body.
            let own = match &stmt.kind {
                StmtKind::While(..) => inner.and_then(|n| n.checked_add(times?)),
                StmtKind::DoWhile(..) => None,
                _ => times,
            };
            stmt.kind.expressions().into_iter().for_each(|e| e.visit(&mut |e| visit(e, own)));
            match &stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    self.block(then, inner, visit);
                    self.block(otherwise, inner, visit);
                }
                StmtKind::While(_, body)
                | StmtKind::DoWhile(body, _)
                | StmtKind::Atomic(_, body)
                | StmtKind::Block(_, body) => self.block(body, inner, visit),
                StmtKind::Choose(blocks) => blocks.iter().for_each(|b| self.block(b, inner, visit)),
                _ => {}
            }
        }
    }

    /// How often the body of a loop runs, if its variable is set right before it.
    fn rounds(&self, before: Option<&Stmt>, condition: &Expr, body: &Block) -> Times {
        let (id, from) = match &before?.kind {
            StmtKind::Declare(id, Some(value)) => (*id, constant(value)?),
            StmtKind::Assign(place, value) => (local(place)?, constant(value)?),
            _ => return None,
        };
        let (op, left, right) = comparison(condition)?;
        let (mut assigned, mut jumps_over) = (0, false);
        body.visit(&mut |stmt| match &stmt.kind {
            StmtKind::Assign(place, _) | StmtKind::Join(Some(place), _) => {
                assigned += usize::from(local(place) == Some(id));
            }
            StmtKind::Declare(declared, _) => assigned += usize::from(*declared == id),
            // It goes to the test without the step.
            StmtKind::Continue => jumps_over = true,
            _ => {}
        });
        let private = self.procedure.locals.get(id.0).is_some_and(|v| v.kept == Kept::Private);
        if !private || assigned != 1 || jumps_over || counter(left)? != id {
            return None;
        }
        let StmtKind::Assign(place, value) = &body.0.last()?.kind else { return None };
        let step = step_of(value, id).filter(|_| local(place) == Some(id))?;
        let to = constant(right)?;
        let distance = match (op, step) {
            (BinaryOp::Lt, 1..) => to.checked_sub(from)?,
            (BinaryOp::Le, 1..) => to.checked_sub(from)?.checked_add(1)?,
            (BinaryOp::Gt, ..=-1) => from.checked_sub(to)?,
            (BinaryOp::Ge, ..=-1) => from.checked_sub(to)?.checked_add(1)?,
            (BinaryOp::Ne, 1) => to.checked_sub(from).filter(|n| *n >= 0)?,
            (BinaryOp::Ne, -1) => from.checked_sub(to).filter(|n| *n >= 0)?,
            _ => return None,
        };
        Some(distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs()))
    }
}

/// The test itself, without what makes an integer of it and a truth value again.
fn comparison(e: &Expr) -> Option<(BinaryOp, &Expr, &Expr)> {
    match &e.kind {
        ExprKind::Convert(_, inner) => comparison(inner),
        ExprKind::Binary(BinaryOp::Ne, inner, zero)
            if constant(zero) == Some(0) && comparison(inner).is_some() =>
        {
            comparison(inner)
        }
        ExprKind::Binary(op, left, right) => {
            use BinaryOp::*;
            matches!(op, Lt | Le | Gt | Ge | Ne).then_some((*op, &**left, &**right))
        }
        _ => None,
    }
}

/// The value, if it is plain.
pub fn constant(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Const(value) => Some(*value),
        ExprKind::Convert(_, inner) => match (constant(inner)?, e.ty) {
            (value, Scalar::Int(to)) => Some(to.wrap(i128::from(value))),
            _ => None,
        },
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

fn local(place: &Place) -> Option<LocalId> {
    match place.base {
        Base::Variable(VarRef::Local(id)) if place.path.is_empty() => Some(id),
        _ => None,
    }
}

/// The variable that is read, perhaps in a wider type.
fn counter(e: &Expr) -> Option<LocalId> {
    match &e.kind {
        ExprKind::Read(place) => local(place),
        ExprKind::Convert(_, inner) => counter(inner),
        _ => None,
    }
}

/// What is added to the variable.
fn step_of(e: &Expr, id: LocalId) -> Option<i64> {
    match &e.kind {
        ExprKind::Convert(_, inner) => step_of(inner, id),
        ExprKind::Binary(op, left, right) if counter(left) == Some(id) => {
            let step = constant(right)?;
            match op {
                BinaryOp::Add => Some(step),
                BinaryOp::Sub => step.checked_neg(),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The statements between a label and a later jump to it, numbered as [`Block::visit`] goes.
fn jumps_back(body: &Block) -> Vec<(usize, usize)> {
    let mut labels = std::collections::BTreeMap::new();
    let mut found = Vec::new();
    let mut number = 0;
    body.visit(&mut |stmt| {
        match &stmt.kind {
            StmtKind::Label(name) => {
                labels.insert(name.clone(), number);
            }
            StmtKind::Goto(name) => found.extend(labels.get(name).map(|label| (*label, number))),
            _ => {}
        }
        number += 1;
    });
    found
}

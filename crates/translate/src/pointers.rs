//! What pointers of a C program may point to, as far as a translation has to know it.
//!
//! Stores to a variable are put down for later rounds in variables of their own, so an access through a pointer must find
//! out at run time which variable it means; that works for the shared variables, which have names. Whatever else
//! pointers point to is a local variable. That is accessed directly, which is right while no other
//! thread can reach it ([`check_private`]). Variables of a
//! procedure that runs once are as good as shared ones, and are made such where that fails ([`share_locals`]).

use crate::Unsupported;
use crate::times::{Runs, constant};
use fencepost_analysis::addressed::Addressed;
use fencepost_analysis::escape::variables::Escape;
use fencepost_analysis::points_to::Object;
use fencepost_ir::Scalar;
use fencepost_ir::tree::{
    Base, Block, Choices, Expr, ExprKind, Fill, Kept, LocalId, Place, Procedure, ProcedureId, Program,
    Projection, SharedId, Stmt, StmtKind, ThreadLocalId, Type, VarRef, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// Every statement of a program, with its procedure.
fn statements(program: &Program, mut visit: impl FnMut(ProcedureId, &Stmt)) {
    for (i, procedure) in program.procedures.iter().enumerate() {
        procedure.body.visit(&mut |stmt| visit(ProcedureId(i), stmt));
    }
}

/// Every expression of a statement, inner ones included.
fn expressions(stmt: &Stmt, visit: &mut impl FnMut(&Expr)) {
    stmt.kind.expressions().into_iter().for_each(|e| e.visit(visit));
}

/// The procedures that threads run.
pub fn run_as_threads(program: &Program) -> BTreeSet<ProcedureId> {
    let mut run: BTreeSet<ProcedureId> = program.threads.iter().map(|t| t.procedure).collect();
    statements(program, |_, stmt| {
        expressions(stmt, &mut |e| {
            if let ExprKind::Spawn(id, ..) = e.kind {
                run.insert(id);
            }
        });
    });
    run
}

/// The procedures that are called.
pub fn called(program: &Program) -> BTreeSet<ProcedureId> {
    let mut called = BTreeSet::new();
    statements(program, |_, stmt| {
        expressions(stmt, &mut |e| {
            if let ExprKind::Call(id, _) = e.kind {
                called.insert(id);
            }
        });
    });
    called
}

/// For each shared variable whether its address is somewhere.
pub fn addressed(program: &Program) -> Vec<bool> {
    let found = Addressed::new(program);
    (0..program.shared.len()).map(|id| found.contains_shared(SharedId(id))).collect()
}

/// For each shared variable whether it may ever be written, given which ones pointers may mean.
pub fn written(program: &Program, addressed: &[bool]) -> Vec<bool> {
    let mut found = vec![false; program.shared.len()];
    let mut by_pointer = false;
    let mut target = |place: &Place| match &place.base {
        Base::Variable(VarRef::Shared(id)) => found[id.0] = true,
        Base::Pointed(..) => by_pointer = true,
        Base::Variable(_) => {}
    };
    statements(program, |_, stmt| {
        if let StmtKind::Assign(place, _) | StmtKind::Join(Some(place), _) = &stmt.kind {
            target(place);
        }
        expressions(stmt, &mut |e| {
            if let ExprKind::Rmw(_, place, _) = &e.kind {
                target(place);
            }
        });
    });
    if by_pointer {
        found.iter_mut().zip(addressed).for_each(|(found, addressed)| *found |= *addressed);
    }
    found
}

/// The program with the values of variables that are never written in place of the variables.
pub fn with_fixed_values(program: &Program) -> Program {
    let written = written(program, &addressed(program));
    let fixed = |e: &Expr| match &e.kind {
        ExprKind::Read(Place { base: Base::Variable(VarRef::Shared(id)), path, .. }) if path.is_empty() => {
            let v = &program.shared[id.0];
            v.init.first().filter(|_| !written[id.0] && v.ty.as_scalar().is_some())?.single()
        }
        _ => None,
    };
    let mut program = program.clone();
    for procedure in &mut program.procedures {
        procedure.body.visit_mut(&mut |stmt| {
            for e in stmt.kind.expressions_mut() {
                e.visit_mut(&mut |e| {
                    if let Some(value) = fixed(e) {
                        e.kind = ExprKind::Const(value);
                    }
                });
            }
        });
    }
    // What is passed on is known when what passes it is.
    while fix_parameters(&mut program) {}
    program
}

/// Replaces parameters that are never assigned and that have the same value in all calls; whether there were any.
fn fix_parameters(program: &mut Program) -> bool {
    let mut given: BTreeMap<(ProcedureId, LocalId), Option<i64>> = BTreeMap::new();
    statements(program, |_, stmt| {
        expressions(stmt, &mut |e| {
            let (ExprKind::Call(callee, args) | ExprKind::Spawn(callee, args, _)) = &e.kind else { return };
            for (i, arg) in args.iter().enumerate() {
                let value = constant(arg);
                let known = given.entry((*callee, LocalId(i))).or_insert(value);
                *known = known.filter(|known| Some(*known) == value);
            }
        });
    });
    let mut changed = false;
    for (i, procedure) in program.procedures.iter_mut().enumerate() {
        let mut assigned = BTreeSet::new();
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Assign(place, _) | StmtKind::Join(Some(place), _) = &stmt.kind
                && let Base::Variable(VarRef::Local(id)) = place.base
            {
                assigned.insert(id);
            }
        });
        let started = program.threads.iter().any(|t| t.procedure.0 == i);
        let private = |id: LocalId| procedure.locals[id.0].kept == Kept::Private;
        let known: BTreeMap<LocalId, i64> = (0..procedure.params)
            .map(LocalId)
            .filter(|id| !started && private(*id) && !assigned.contains(id))
            .filter_map(|id| Some((id, given.get(&(ProcedureId(i), id)).copied().flatten()?)))
            .collect();
        procedure.body.visit_mut(&mut |stmt| {
            for e in stmt.kind.expressions_mut() {
                e.visit_mut(&mut |e| {
                    if let ExprKind::Read(Place { base: Base::Variable(VarRef::Local(id)), path, .. }) =
                        &e.kind
                        && let Some(value) = known.get(id).filter(|_| path.is_empty())
                    {
                        e.kind = ExprKind::Const(*value);
                        changed = true;
                    }
                });
            }
        });
    }
    changed
}

/// Refuses a program that has a local variable in memory which other threads may reach.
pub fn check_private(program: &Program) -> Result<(), Unsupported> {
    let escape = Escape::new(program);
    let of_threads = program.thread_locals.iter().enumerate();
    let of_threads = of_threads.map(|(i, v)| (None, VarRef::ThreadLocal(ThreadLocalId(i)), v));
    let of_procedures = program.procedures.iter().enumerate().flat_map(|(p, procedure)| {
        let in_memory =
            procedure.locals.iter().enumerate().filter(|(_, v)| matches!(v.kept, Kept::InMemory(_)));
        in_memory.map(move |(i, v)| (Some(ProcedureId(p)), VarRef::Local(LocalId(i)), v))
    });
    for (procedure, variable, v) in of_procedures.chain(of_threads) {
        if escape.is_reached(Object::Variable(procedure, variable)) {
            return Err(Unsupported::new(v.span, "a local variable whose address other threads may get"));
        }
    }
    Ok(())
}

/// A local variable that has become a shared one and is to be allocated.
pub struct Moved {
    /// Whose it was.
    pub procedure: ProcedureId,
    /// What it is now.
    pub shared: SharedId,
    /// What it holds at first.
    pub fill: Fill,
    /// Whether it is gone when the procedure returns.
    pub ends: bool,
}

/// Makes the variables in memory of procedures that run once shared ones. Those that hold anything at first, and may be
/// seen so, or that may end before the program does, are returned.
pub fn share_locals(program: &mut Program) -> Vec<Moved> {
    let runs = Runs::new(&with_fixed_values(program));
    let mut moved = Vec::new();
    for i in (0..program.procedures.len()).filter(|i| runs.times(ProcedureId(*i)).is_some_and(|n| n <= 1)) {
        let id = ProcedureId(i);
        let ends = program.threads.iter().all(|t| t.procedure != id);
        let procedure = &mut program.procedures[i];
        for local in procedure.params..procedure.locals.len() {
            let v = &procedure.locals[local];
            let Kept::InMemory(fill) = v.kept else { continue };
            let shared = SharedId(program.shared.len());
            if ends || fill == Fill::Undefined && !is_set_first(procedure, LocalId(local)) {
                moved.push(Moved { procedure: id, shared, fill, ends });
            }
            let cells = program.records.layout(&v.ty);
            let init = cells.iter().map(|cell| Choices::one(cell.ty.default_value())).collect();
            program.shared.push(Variable::new(v.name.clone(), v.ty.clone(), init, v.span));
            replace(&mut procedure.body, LocalId(local), shared);
            procedure.locals[local].kept = Kept::Private;
        }
    }
    moved
}

/// Whether each cell of the variable gets a value before anything else is done with it, as initialisers do.
fn is_set_first(procedure: &Procedure, id: LocalId) -> bool {
    let v = &procedure.locals[id.0];
    // A handle is that of no thread until it is set.
    if v.ty.leaf() == Some(Scalar::Thread) {
        return true;
    }
    let mut left: BTreeSet<Vec<i64>> = match (&v.ty, &v.ty.dims()[..]) {
        (Type::Scalar(_), _) => BTreeSet::from([Vec::new()]),
        (Type::Array(element, n), [_]) if matches!(**element, Type::Scalar(_)) => {
            (0..i64::from(*n)).map(|i| vec![i]).collect()
        }
        _ => return false,
    };
    let mentions = |e: &Expr| {
        let mut found = false;
        e.visit(&mut |e| {
            if let ExprKind::Read(place) | ExprKind::AddressOf(place) = &e.kind {
                found |= place.base == Base::Variable(VarRef::Local(id));
            }
        });
        found
    };
    for stmt in &procedure.body.0 {
        if left.is_empty() {
            return true;
        }
        match &stmt.kind {
            StmtKind::Declare(declared, Some(value)) if *declared == id => return !mentions(value),
            StmtKind::Declare(_, value) if !value.as_ref().is_some_and(mentions) => {}
            StmtKind::Assign(place, value) if !mentions(value) => {
                let constant = |p: &Projection| match p {
                    Projection::Index(Expr { kind: ExprKind::Const(i), .. }) => Some(*i),
                    _ => None,
                };
                if place.base == Base::Variable(VarRef::Local(id))
                    && let Some(cell) = place.path.iter().map(constant).collect::<Option<Vec<_>>>()
                {
                    left.remove(&cell);
                }
            }
            _ => return false,
        }
    }
    left.is_empty()
}

/// The shared variable in place of the local one.
fn replace(block: &mut Block, id: LocalId, shared: SharedId) {
    let change = |place: &mut Place| {
        if place.base == Base::Variable(VarRef::Local(id)) {
            place.base = Base::Variable(VarRef::Shared(shared));
        }
    };
    let in_expr = |e: &mut Expr| {
        e.visit_mut(&mut |e| {
            if let ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) =
                &mut e.kind
            {
                change(place);
            }
        });
    };
    block.visit_mut(&mut |stmt| {
        stmt.kind.places_mut().into_iter().for_each(change);
        stmt.kind.expressions_mut().into_iter().for_each(in_expr);
        if let StmtKind::Declare(declared, value) = &mut stmt.kind
            && *declared == id
        {
            let place = Place::variable(VarRef::Shared(shared), stmt.span);
            stmt.kind = match value.take() {
                Some(value) => StmtKind::Assign(place, value),
                None => StmtKind::Skip,
            };
        }
    });
}

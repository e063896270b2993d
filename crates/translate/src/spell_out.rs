//! A translated program as verifiers of C take it. They start no threads inside atomic sections, and some know no
//! read-modify-writes or choices between values; all of these can be told by what they know. A round is an atomic section,
//! which is what makes it right.

use crate::value::is_restricted;
use crate::{Translated, build};
use fencepost_ir::tree::{
    Base, BinaryOp, Block, Choices, Conversion, Declared, Drain, Expr, ExprKind, LocalId, Place, Procedure,
    ProcedureId, ProcedureKind, Program, RmwKind, SharedId, Stmt, StmtKind, Type, VarRef, Variable,
};
use fencepost_ir::{Scalar, Span};

impl Translated {
    /// The program with threads started outside of atomic sections, read-modify-writes as loads and stores, and choices between
    /// values as assumptions.
    pub fn spelled_out(&self) -> Program {
        let mut program = self.program.clone();
        let spawning = add_spawning(&mut program, &self.prefix);
        for i in 0..program.procedures.len() {
            let mut procedure = std::mem::replace(&mut program.procedures[i], nothing());
            let mut body = std::mem::take(&mut procedure.body);
            let before = procedure.locals.len();
            let mut speller =
                Speller { program: &program, procedure, prefix: &self.prefix, spawning: spawning.as_ref() };
            body.visit_blocks_mut(&mut |block| {
                block.0 =
                    std::mem::take(&mut block.0).into_iter().flat_map(|stmt| speller.stmt(stmt)).collect();
            });
            let mut procedure = speller.procedure;
            let added =
                (before..procedure.locals.len()).map(|i| build::stmt(StmtKind::Declare(LocalId(i), None)));
            procedure.body = Block(added.chain(body.0).collect());
            program.procedures[i] = procedure;
        }
        program
    }
}

fn nothing() -> Procedure {
    Procedure {
        name: String::new(),
        kind: ProcedureKind::Function,
        params: 0,
        result: None,
        locals: Vec::new(),
        body: Block::default(),
        span: Span::NONE,
        spelled: None,
    }
}

/// What keeps others from running while a thread is started.
struct Spawning {
    starting: SharedId,
    before: ProcedureId,
    after: ProcedureId,
}

impl Spawning {
    fn is_nobody_starting(&self) -> Expr {
        build::negation(build::read(build::variable(VarRef::Shared(self.starting)), Scalar::Bool))
    }
}

/// Adds it, if threads are started.
fn add_spawning(program: &mut Program, prefix: &str) -> Option<Spawning> {
    let mut spawns = false;
    for procedure in &program.procedures {
        procedure.body.visit(&mut |stmt| {
            let is_spawn = |e: &&Expr| matches!(e.kind, ExprKind::Spawn(..));
            spawns |= stmt.kind.expressions().iter().any(is_spawn);
        });
    }
    if !spawns {
        return None;
    }
    let starting = SharedId(program.shared.len());
    let name = format!("{prefix}starting");
    program.shared.push(Variable::new(name, Scalar::Bool.into(), vec![Choices::one(0)], Span::NONE));
    let note = "Whether a thread that starts another one is to go on first.";
    program.spelling.notes.insert(Declared::Shared(starting), note.to_string());
    let set = |value| build::assign(build::variable(VarRef::Shared(starting)), build::truth(value));
    let mut add = |name: &str, note: &str, body: Vec<Stmt>| {
        let id = ProcedureId(program.procedures.len());
        let name = format!("{prefix}{name}");
        program.procedures.push(Procedure { name, body: Block(body), ..nothing() });
        program.spelling.notes.insert(Declared::Procedure(id), note.to_string());
        id
    };
    let before = add(
        "before_spawn",
        "A thread is started outside of the section, but nobody else runs meanwhile.",
        vec![set(true), build::stmt(StmtKind::AtomicEnd(Drain::Yes))],
    );
    // The section that is opened here is that of the thread that starts another one.
    let section = build::stmt(StmtKind::AtomicBegin(Drain::No));
    let after = add("after_spawn", "The round goes on.", vec![section, set(false)]);
    Some(Spawning { starting, before, after })
}

struct Speller<'a> {
    program: &'a Program,
    procedure: Procedure,
    prefix: &'a str,
    spawning: Option<&'a Spawning>,
}

impl Speller<'_> {
    fn temporary(&mut self, ty: Scalar) -> LocalId {
        let id = LocalId(self.procedure.locals.len());
        let name = format!("{}rmw_{}", self.prefix, id.0);
        let init = vec![Choices::one(ty.default_value())];
        self.procedure.locals.push(Variable::new(name, ty.into(), init, Span::NONE));
        id
    }

    fn stmt(&mut self, stmt: Stmt) -> Vec<Stmt> {
        let span = stmt.span;
        let with = |kind| Stmt { kind, span };
        match (&stmt.kind, self.spawning) {
            // All rounds wait while a thread is started.
            (StmtKind::AtomicBegin(Drain::Yes), Some(spawning)) => {
                let assume = with(StmtKind::Assume(spawning.is_nobody_starting()));
                return vec![stmt, assume];
            }
            (StmtKind::Assign(_, e) | StmtKind::Eval(e), Some(spawning))
                if matches!(e.kind, ExprKind::Spawn(..)) =>
            {
                let call = |id| with(StmtKind::Eval(build::call(id, Vec::new(), Scalar::Integer)));
                return vec![call(spawning.before), stmt, call(spawning.after)];
            }
            _ => {}
        }
        let local = |id| Place::variable(VarRef::Local(id), span);
        match stmt.kind {
            StmtKind::Assign(target, Expr { kind: ExprKind::Rmw(kind, place, operands), ty, .. }) => {
                self.read_modify_write(kind, &place, operands, Some((target, ty)), span)
            }
            StmtKind::Eval(Expr { kind: ExprKind::Rmw(kind, place, operands), .. }) => {
                self.read_modify_write(kind, &place, operands, None, span)
            }
            StmtKind::Assign(place, e) if is_choice(&e) => {
                let assume = with(StmtKind::Assume(is_chosen(&e, &place)));
                vec![with(StmtKind::Assign(place, all_of(e))), assume]
            }
            StmtKind::Declare(id, Some(e)) if is_choice(&e) => {
                let assume = with(StmtKind::Assume(is_chosen(&e, &local(id))));
                vec![with(StmtKind::Declare(id, Some(all_of(e)))), assume]
            }
            kind => vec![with(kind)],
        }
    }

    /// A load and a store.
    fn read_modify_write(
        &mut self,
        kind: RmwKind,
        place: &Place,
        operands: Vec<Expr>,
        result: Option<(Place, Scalar)>,
        span: Span,
    ) -> Vec<Stmt> {
        let ty = self.program.place_type(Some(&self.procedure), place).and_then(Type::as_scalar);
        let ty = ty.expect("the validator asks for a scalar");
        let mut out = Vec::new();
        let mut assign =
            |place: Place, value: Expr| out.push(Stmt { kind: StmtKind::Assign(place, value), span });
        let local = |id| Place::variable(VarRef::Local(id), span);
        let mut kept = Vec::new();
        for operand in operands {
            let is_target =
                |place: &Place| result.as_ref().is_some_and(|(target, _)| target.base == place.base);
            kept.push(match &operand.kind {
                ExprKind::Const(_) => operand,
                ExprKind::Read(place)
                    if matches!(place.base, Base::Variable(VarRef::Local(_))) && !is_target(place) =>
                {
                    operand
                }
                _ => {
                    let (id, ty) = (self.temporary(operand.ty), operand.ty);
                    assign(local(id), operand);
                    build::read_local(id, ty, span)
                }
            });
        }
        // What was there may go to where the result goes, if nothing else does.
        let old = match &result {
            Some((target, to)) if kind != RmwKind::CompareAndSwap && *to == ty => target.clone(),
            _ => local(self.temporary(ty)),
        };
        assign(old.clone(), build::read(place.clone(), ty));
        let before = build::read(old, ty);
        let operator = match kind {
            RmwKind::Exchange => None,
            RmwKind::Add => Some(BinaryOp::Add),
            RmwKind::Sub => Some(BinaryOp::Sub),
            RmwKind::And => Some(BinaryOp::BitAnd),
            RmwKind::Or => Some(BinaryOp::BitOr),
            RmwKind::Xor => Some(BinaryOp::BitXor),
            RmwKind::CompareExchange | RmwKind::CompareAndSwap => {
                let same = build::test(BinaryOp::Eq, before, kept[0].clone());
                let then = Stmt { kind: StmtKind::Assign(place.clone(), kept[1].clone()), span };
                let then = StmtKind::If(same.clone(), Block(vec![then]), Block::default());
                out.push(Stmt { kind: then, span });
                if let (RmwKind::CompareAndSwap, Some((target, to))) = (kind, result) {
                    let value = build::convert(Conversion::Wrapping, same, to);
                    out.push(Stmt { kind: StmtKind::Assign(target, value), span });
                }
                return out;
            }
        };
        let new = match operator {
            None => kept[0].clone(),
            Some(op) => {
                let exact =
                    if matches!(ty, Scalar::Int(_) | Scalar::Pointer { .. }) { ty } else { Scalar::Integer };
                build::fitting(build::binary(op, before, kept[0].clone(), exact), ty)
            }
        };
        assign(place.clone(), new);
        out
    }
}

fn is_choice(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Any(choices) if is_restricted(choices, e.ty))
}

/// Any value of the type.
fn all_of(e: Expr) -> Expr {
    let (lo, hi) = e.ty.limits();
    let all = match (i64::try_from(lo), i64::try_from(hi)) {
        (Ok(lo), Ok(hi)) => (lo, hi),
        _ => (i64::MIN, i64::MAX),
    };
    // It is asked for, and not just what an unset variable holds.
    Expr { kind: ExprKind::Any(Choices(vec![all])), ty: e.ty, span: Span::NONE }
}

/// Whether what is in a place is one of the values.
fn is_chosen(e: &Expr, place: &Place) -> Expr {
    let ExprKind::Any(choices) = &e.kind else { panic!("it is a choice") };
    let ty = e.ty;
    let compared =
        |op, value| build::test(op, build::read(place.clone(), ty), Expr::constant(value, ty, e.span));
    let ranges = choices.0.iter().map(|&(lo, hi)| match lo == hi {
        true => compared(BinaryOp::Eq, lo),
        false => build::test(BinaryOp::And, compared(BinaryOp::Ge, lo), compared(BinaryOp::Le, hi)),
    });
    ranges.reduce(|left, right| build::test(BinaryOp::Or, left, right)).expect("there is something to choose")
}

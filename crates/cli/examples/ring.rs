//! Checks a model that is built in Rust: a ring of threads, each of which raises its own flag and looks at its
//! neighbour's. Can all of them miss each other? Not under SC; with store buffers they can, until a fence is
//! between the store and the load.
//!
//! `cargo run --release -p fencepost --example ring`

use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::source::Span;
use fencepost_ir::tree::{
    BinaryOp, Block, Choices, Count, Expr, ExprKind, Fence, FenceKind, LocalId, Place, Procedure,
    ProcedureId, ProcedureKind, Program, Property, Quantifier, SharedId, Stmt, StmtKind, Thread, ThreadId,
    Type, UnaryOp, VarRef, Variable,
};
use fencepost_ir::{Scalar, cfg};
use fencepost_passes::pipeline;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};

/// What is built in code has no place in a text.
const HERE: Span = Span::NONE;

fn main() {
    for fenced in [false, true] {
        let ring = ring(3, fenced);
        // A program prints as text of the modelling language, which `fencepost check` takes.
        println!("{ring}");
        // Engines take graphs, which the passes make of trees.
        let program = pipeline::lower(ring);
        for model in Model::ALL {
            let verdict = verdict(&program, model);
            println!("{}: {}", model.name(), shown(&verdict));
            if let Verdict::Unsafe { trace } = verdict {
                // No run is believed before it is replayed on the reference semantics.
                let run = replay(&program, &trace).expect("engines give runs that replay");
                for step in &run.steps {
                    let cell = step.event.loc.and_then(|cell| program.cell_name(cell)).unwrap_or_default();
                    let value = step.event.value.map_or(String::new(), |v| format!("= {v}"));
                    println!("  {}: {} {cell} {value}", step.thread, step.event.kind.name());
                }
            }
        }
    }
}

fn verdict(program: &cfg::Program, model: Model) -> Verdict {
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    Explicit::default().check(&task, &mut |_| {}).verdict
}

fn shown(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe(cleared) => format!("safe, {}", cleared.scope()),
        Verdict::Unknown { reason, .. } => format!("unknown, {reason}"),
        Verdict::Unsafe { .. } => "unsafe".into(),
    }
}

/// A ring of `n` threads.
fn ring(n: usize, fenced: bool) -> Program {
    let flags = Variable::new(
        "flag".into(),
        Type::with_dims(Scalar::Bool, &[n as u32]),
        vec![Choices::one(0); n],
        HERE,
    );
    let missed_by = |thread| {
        let seen = Place::variable(VarRef::Observed(ThreadId(thread), LocalId(0)), HERE);
        unary(UnaryOp::Not, read(seen))
    };
    let all_missed = (1..n).fold(missed_by(0), |all, thread| {
        let kind = ExprKind::Binary(BinaryOp::And, Box::new(all), Box::new(missed_by(thread)));
        Expr { kind, ty: Scalar::Bool, span: HERE }
    });
    Program {
        shared: vec![flags],
        procedures: (0..n).map(|i| member(i, n, fenced)).collect(),
        threads: (0..n)
            .map(|i| Thread {
                name: format!("member{i}"),
                procedure: ProcedureId(i),
                args: Vec::new(),
                count: Count::Times(1),
                span: HERE,
            })
            .collect(),
        properties: vec![Property::Final(Quantifier::NotExists, all_missed, HERE)],
        ..Program::default()
    }
}

/// `flag[i] = true; bool seen = flag[i + 1];`, with a fence in between or without.
fn member(i: usize, n: usize, fenced: bool) -> Procedure {
    let flag = |i: usize| {
        let index = Expr::constant(i as i64, Scalar::Integer, HERE);
        Place::element(VarRef::Shared(SharedId(0)), vec![index], HERE)
    };
    let raise = StmtKind::Assign(flag(i), Expr::constant(1, Scalar::Bool, HERE));
    let look = StmtKind::Declare(LocalId(0), Some(read(flag((i + 1) % n))));
    let fence = fenced.then_some(StmtKind::Fence(Fence::Machine(FenceKind::Full)));
    let statements = [Some(raise), fence, Some(look)].into_iter().flatten();
    Procedure {
        name: format!("member{i}"),
        kind: ProcedureKind::Process,
        params: 0,
        result: None,
        locals: vec![Variable::new("seen".into(), Type::Scalar(Scalar::Bool), vec![Choices::one(0)], HERE)],
        body: Block(statements.map(|kind| Stmt { kind, span: HERE }).collect()),
        span: HERE,
        spelled: None,
    }
}

fn read(place: Place) -> Expr {
    Expr { kind: ExprKind::Read(place), ty: Scalar::Bool, span: HERE }
}

fn unary(op: UnaryOp, operand: Expr) -> Expr {
    Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty: Scalar::Bool, span: HERE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fences_keep_them_from_missing_each_other() {
        for (fenced, expected) in
            [(false, ["safe, complete", "unsafe", "unsafe"]), (true, ["safe, complete"; 3])]
        {
            let program = pipeline::lower(ring(3, fenced));
            assert_eq!(Model::ALL.map(|model| shown(&verdict(&program, model))), expected);
        }
        main();
    }
}

//! What a page shows of a test: what each model says of it, and a run for each pair of models that a test tells
//! apart.

use super::Method;
use super::batch::Told;
use super::decide::{self, Answer, NoAnswer};
use fencepost_certify::{Replay, replay_within};
use fencepost_explore::{Explicit, least_weak};
use fencepost_ir::Span;
use fencepost_ir::cfg::{Arith, BinaryOp, Expr, Program, Property, Reg};
use fencepost_ir::tree::Quantifier;
use fencepost_litmus::Test;
use fencepost_report::litmus::{Apart, ShownAnswer, ShownTest};
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};

/// What the page shows of a test: of machines, whose runs can be drawn.
pub fn shown(file: &str, test: &Test, program: &Program, answers: &[Told], budget: &Budget) -> ShownTest {
    let answer = |answer: &Result<Answer, NoAnswer>| match answer {
        Ok(answer) => ShownAnswer::Final { observation: answer.observation(), states: answer.states.clone() },
        Err(NoAnswer::Unknown(reason)) => ShownAnswer::Unknown(reason.to_string()),
        Err(NoAnswer::Fault(diagnostic)) => ShownAnswer::Unknown(diagnostic.message.clone()),
    };
    let mut decided: Vec<(Model, &Answer)> =
        answers.iter().filter_map(|told| Some((told.model.machine()?, told.answer.as_ref().ok()?))).collect();
    decided.sort_by_key(|(model, _)| *model);
    decided.dedup_by_key(|(model, _)| *model);
    let mut apart = Vec::new();
    for pair in decided.windows(2) {
        let [(without, few), (with, many)] = pair else { continue };
        let new: Vec<&String> = many.states.iter().filter(|s| few.states.binary_search(s).is_err()).collect();
        // What the condition speaks of is what people want to see.
        let Some(state) = new.iter().find(|s| many.satisfied.contains(*s)).or(new.first()) else { continue };
        apart.push(Apart {
            state: state.to_string(),
            without: *without,
            with: *with,
            run: run_to(test, program, *with, state, budget),
        });
    }
    ShownTest {
        name: test.name.clone(),
        file: file.to_string(),
        condition: test.observation.condition().to_string(),
        answers: answers
            .iter()
            .filter_map(|told| Some((told.model.machine()?, answer(&told.answer))))
            .collect(),
        apart,
    }
}

/// A run to a final state, as simple as can be.
fn run_to(
    test: &Test,
    program: &Program,
    model: Model,
    state: &str,
    budget: &Budget,
) -> Option<(Program, Replay)> {
    let observed = test.observables(program);
    let outcomes = decide::outcomes(program, model, Method::Explicit, &observed, budget.clone()).ok()?;
    let shows = |values: &&Vec<i64>| test.observation.show(&test.values(program, values)) == state;
    let values = outcomes.iter().find(shows)?;
    let is = |(i, value): (usize, &i64)| {
        let register = Expr::Reg(Reg::Local(i as u32));
        Expr::Binary(BinaryOp::Eq, Arith::Exact, Box::new(register), Box::new(Expr::Const(*value)))
    };
    let both = |a, b| Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(a), Box::new(b));
    let condition = values.iter().enumerate().map(is).reduce(both)?;
    let mut program = program.clone();
    let span = program.properties.first().map_or(Span::NONE, Property::span);
    program.properties =
        vec![Property::Final { quantifier: Quantifier::NotExists, observed, condition, span }];
    let task = Task { program: &program, model, bounds: Bounds::default(), budget: budget.clone() };
    let Verdict::Unsafe { trace } = Explicit::default().check(&task, &mut |_| {}).verdict else {
        return None;
    };
    let trace = least_weak(&task, trace.clone()).map_or(trace, |found| found.trace);
    let replay = replay_within(&program, &trace, budget).ok()?.unwrap_or_else(|rejection| {
        panic!(
            "internal error: a run of the test {} does not replay ({rejection}). \
             This is a bug in Fencepost; please report it with the file.",
            test.name
        )
    });
    Some((program, replay))
}

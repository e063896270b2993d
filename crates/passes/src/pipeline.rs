//! The passes between the front end and the engines, in order. Read it top to bottom.
//!
//! In debug builds the result of every pass is validated.

use crate::{choices, compact, instantiate, late_choice, lower, narrow, orders};
use fencepost_ir::{cfg, tree};

/// What the user chose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Instances of each template `[*]`; `None` leaves it to the engines.
    pub threads: Option<u32>,
}

/// What memory orders are in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Orders {
    /// The fences that machines have for them.
    Machine,
    /// What the program says, and nothing else.
    Language,
}

/// Names of the passes, in order.
pub const PASSES: [&str; 7] =
    ["instantiate", "orders", "lower", "choices", "narrow", "late-choice", "compact"];

/// A program between two passes.
pub enum Stage<'a> {
    /// Still a tree.
    Tree(&'a tree::Program),
    /// A control-flow graph.
    Cfg(&'a cfg::Program),
}

/// The passes on trees, for whoever translates trees.
pub fn on_tree(program: &mut tree::Program, options: Options) {
    instantiate::run(program, options.threads);
    orders::run(program);
}

/// Runs all passes; `after` sees the program after each.
pub fn run(program: tree::Program, options: Options, after: impl FnMut(&str, Stage<'_>)) -> cfg::Program {
    passes(program, options, Orders::Machine, after)
}

/// The graph for the language's own model, C11: accesses and thread fences have the orders that the program gives them
/// (`Edge::access`), and there are no fences but its own. It is also for SC, where fences do nothing; to a machine with
/// buffers every thread fence in it would look like a full one.
pub fn for_language(program: tree::Program, options: Options) -> cfg::Program {
    passes(program, options, Orders::Language, |_, _| {})
}

fn passes(
    mut program: tree::Program,
    options: Options,
    orders: Orders,
    mut after: impl FnMut(&str, Stage<'_>),
) -> cfg::Program {
    instantiate::run(&mut program, options.threads);
    check("instantiate", || tree::validate(&program));
    after("instantiate", Stage::Tree(&program));

    if orders == Orders::Machine {
        orders::run(&mut program);
    }
    check("orders", || tree::validate(&program));
    after("orders", Stage::Tree(&program));

    let mut program = lower::run(program);
    check("lower", || cfg::validate(&program));
    after("lower", Stage::Cfg(&program));

    choices::run(&mut program);
    check("choices", || cfg::validate(&program));
    after("choices", Stage::Cfg(&program));

    // Tests stand right behind choices where there are no empty steps between them.
    compact::run(&mut program);
    narrow::run(&mut program);
    check("narrow", || cfg::validate(&program));
    after("narrow", Stage::Cfg(&program));

    late_choice::run(&mut program);
    check("late-choice", || cfg::validate(&program));
    after("late-choice", Stage::Cfg(&program));

    compact::run(&mut program);
    check("compact", || cfg::validate(&program));
    after("compact", Stage::Cfg(&program));

    program
}

/// [`run`] with no options and nobody looking.
pub fn lower(program: tree::Program) -> cfg::Program {
    run(program, Options::default(), |_, _| {})
}

fn check(pass: &str, validate: impl FnOnce() -> Result<(), String>) {
    if cfg!(debug_assertions)
        && let Err(message) = validate()
    {
        panic!("pass `{pass}` broke an invariant: {message}");
    }
}

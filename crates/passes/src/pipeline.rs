//! The passes between the front end and the engines, in order. Read it top to bottom.
//!
//! In debug builds the result of every pass is validated.

use crate::{
    cells, choices, compact, early_choices, exposure, in_memory, instantiate, late_choice, lifetime, lower,
    narrow, open_ends, orders, spawn_loop, thread_ends, thread_locals,
};
use fencepost_ir::{cfg, tree};

/// What the user chose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Instances of each template `[*]`; `None` leaves it to the engines.
    pub threads: Option<u32>,
}

/// A pass from tree to tree.
type TreePass = (&'static str, fn(&mut tree::Program, Options));

/// The passes on trees, in order.
const ON_TREES: [TreePass; 11] = [
    ("lifetime", |program, _| lifetime::run(program)),
    ("spawn-loop", |program, _| spawn_loop::run(program)),
    ("early-choices", |program, _| early_choices::run(program)),
    ("thread-ends", |program, _| thread_ends::run(program)),
    ("thread-locals", |program, _| thread_locals::run(program)),
    ("open-ends", |program, _| open_ends::run(program)),
    ("cells", |program, _| cells::run(program)),
    ("exposure", |program, _| exposure::run(program)),
    ("in-memory", |program, _| in_memory::run(program)),
    ("instantiate", |program, options| instantiate::run(program, options.threads)),
    ("orders", |program, _| orders::run(program)),
];

/// The passes on graphs, in order.
const ON_GRAPHS: [&str; 5] = ["lower", "choices", "narrow", "late-choice", "compact"];

/// Names of the passes, in order.
pub fn passes() -> impl Iterator<Item = &'static str> {
    ON_TREES.iter().map(|(name, _)| *name).chain(ON_GRAPHS)
}

/// A program between two passes.
pub enum Stage<'a> {
    /// Still a tree.
    Tree(&'a tree::Program),
    /// A control-flow graph.
    Cfg(&'a cfg::Program),
}

/// The passes on trees, for whoever translates trees.
pub fn on_tree(program: &mut tree::Program, options: Options) {
    tree_passes(program, options, |_, _| {});
}

fn tree_passes(program: &mut tree::Program, options: Options, mut after: impl FnMut(&str, &tree::Program)) {
    for (name, pass) in ON_TREES {
        pass(program, options);
        check(name, || tree::validate(program));
        after(name, program);
    }
}

/// Runs all passes; `after` sees the program after each.
pub fn run(
    mut program: tree::Program,
    options: Options,
    mut after: impl FnMut(&str, Stage<'_>),
) -> cfg::Program {
    tree_passes(&mut program, options, |name, program| after(name, Stage::Tree(program)));

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
    fencepost_ir::wanted::point();
    if cfg!(debug_assertions)
        && let Err(message) = validate()
    {
        panic!("pass `{pass}` broke an invariant: {message}");
    }
}

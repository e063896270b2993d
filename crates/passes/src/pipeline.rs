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

/// What memory orders are in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Orders {
    /// The fences that machines have for them.
    Machine,
    /// What the program says, and nothing else.
    Language,
}

/// A pass from tree to tree.
type TreePass = (&'static str, fn(&mut tree::Program, Options, Orders));

/// The passes on trees, in order.
const ON_TREES: [TreePass; 11] = [
    ("lifetime", |program, _, _| lifetime::run(program)),
    ("spawn-loop", |program, _, _| spawn_loop::run(program)),
    ("early-choices", |program, _, _| early_choices::run(program)),
    ("thread-ends", |program, _, _| thread_ends::run(program)),
    ("thread-locals", |program, _, _| thread_locals::run(program)),
    ("open-ends", |program, _, _| open_ends::run(program)),
    ("cells", |program, _, _| cells::run(program)),
    ("exposure", |program, _, _| exposure::run(program)),
    ("in-memory", |program, _, _| in_memory::run(program)),
    ("instantiate", |program, options, _| instantiate::run(program, options.threads)),
    ("orders", |program, _, orders| match orders {
        Orders::Machine => orders::run(program),
        Orders::Language => {}
    }),
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
    tree_passes(program, options, Orders::Machine, |_, _| {});
}

fn tree_passes(
    program: &mut tree::Program,
    options: Options,
    orders: Orders,
    mut after: impl FnMut(&str, &tree::Program),
) {
    for (name, pass) in ON_TREES {
        pass(program, options, orders);
        check(name, || tree::validate(program));
        after(name, program);
    }
}

/// Runs all passes; `after` sees the program after each.
pub fn run(program: tree::Program, options: Options, after: impl FnMut(&str, Stage<'_>)) -> cfg::Program {
    all_passes(program, options, Orders::Machine, after)
}

/// The graph for the language's own model, C11: accesses and thread fences have the orders that the program gives them
/// (`Edge::access`), and there are no fences but its own. It is also for SC, where fences do nothing; to a machine with
/// buffers every thread fence in it would look like a full one.
pub fn for_language(program: tree::Program, options: Options) -> cfg::Program {
    all_passes(program, options, Orders::Language, |_, _| {})
}

fn all_passes(
    mut program: tree::Program,
    options: Options,
    orders: Orders,
    mut after: impl FnMut(&str, Stage<'_>),
) -> cfg::Program {
    tree_passes(&mut program, options, orders, |name, program| after(name, Stage::Tree(program)));

    let mut program = lower::run(program);
    check("lower", || cfg::validate(&program));
    after("lower", Stage::Cfg(&program));

    choices::run(&mut program);
    check("choices", || cfg::validate(&program));
    after("choices", Stage::Cfg(&program));

    // Tests are right after choices where there are no empty steps between them.
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

/// [`run`] with no options and no observer.
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

//! Every tiny program, under every model: the search with and without reductions against the
//! reference, and the laws that relate the models.
//!
//! By default all programs with up to two instructions a thread and a fixed slice of those with
//! three; `FENCEPOST_TESTS=all` runs all with three (CONTRIBUTING.md has the command).

use fencepost_explore::{Explicit, Finals, Reduction, Strategy};
use fencepost_ir::cfg::Program;
use fencepost_memory::{LoadBuffer, Machine, Memory, State, Tso, reachable, with_memory};
use fencepost_samples::effort;
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Bounds, Budget, Model, Task};
use std::collections::BTreeSet;

/// Memory and the registers of all threads.
type Outcome = (Vec<i64>, Vec<Vec<i64>>);

fn outcome(state: &State) -> Outcome {
    (state.cells.clone(), state.threads.iter().map(|t| t.registers.clone()).collect())
}

fn searched(program: &Program, model: Model, reduction: Reduction, strategy: Strategy) -> BTreeSet<Outcome> {
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let mut outcomes = BTreeSet::new();
    let finals = Explicit { strategy, reduction }.final_states(&task, &mut |s| {
        outcomes.insert(outcome(s));
    });
    assert_eq!(finals, Finals::All);
    outcomes
}

fn reference(program: &Program, model: Model) -> BTreeSet<Outcome> {
    let machine = Machine::new(program).unwrap();
    let found = with_memory!(model, memory => reachable(&machine, memory, usize::MAX)).unwrap();
    found.states.iter().filter(|s| s.is_final()).map(outcome).collect()
}

/// Control and registers of the states in which all buffers are empty.
fn control_states(program: &Program, memory: &impl Memory) -> BTreeSet<Vec<(u32, Vec<i64>)>> {
    let machine = Machine::new(program).unwrap();
    let found = reachable(&machine, memory, usize::MAX).unwrap();
    let settled = found.states.iter().filter(|s| s.threads.iter().all(|t| t.buffer.is_empty()));
    settled.map(|s| s.threads.iter().map(|t| (t.top().node.0, t.registers.clone())).collect()).collect()
}

fn check(tiny: &Tiny) {
    let program = tiny.program();
    let mut by_model = Vec::new();
    for model in Model::ALL {
        let expected = reference(&program, model);
        for reduction in [Reduction::On, Reduction::Off] {
            for strategy in [Strategy::Breadth, Strategy::Depth] {
                let found = searched(&program, model, reduction, strategy);
                assert_eq!(found, expected, "{tiny} under {model:?}, reduction {reduction:?}, {strategy:?}");
            }
        }
        by_model.push(expected);
    }
    let [sc, tso, pso] = &by_model[..] else { unreachable!("three models") };
    assert!(sc.is_subset(tso), "{tiny}: SC within TSO");
    assert!(tso.is_subset(pso), "{tiny}: TSO within PSO");
    if tiny.uses_one_variable() {
        assert_eq!(tso, pso, "{tiny}: one variable");
    }
    let fenced = tiny.with_fences().program();
    let fenced: Vec<_> =
        Model::ALL.iter().map(|m| searched(&fenced, *m, Reduction::On, Strategy::Breadth)).collect();
    assert!(fenced[0] == fenced[1] && fenced[1] == fenced[2], "{tiny}: fences make all models equal");
    let dual = control_states(&program, &LoadBuffer::new(&program, usize::MAX));
    assert_eq!(control_states(&program, &Tso), dual, "{tiny}: TSO and load buffers");
}

/// Runs `check` on both cores.
fn check_all(programs: Vec<Tiny>) {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for core in 0..cores {
            let mine = programs.iter().skip(core).step_by(cores);
            scope.spawn(move || mine.for_each(check));
        }
    });
}

#[test]
fn all_with_two_instructions() {
    check_all(Tiny::all(2).collect());
}

#[test]
fn with_three_instructions() {
    // A prime step, so that the slice is not a pattern of the enumeration.
    let step = effort::every(29);
    check_all(Tiny::all(3).step_by(step).collect());
}

#[test]
fn store_buffering_is_among_them() {
    // A law that holds for all programs could be vacuous; this is the one it must not be for.
    let weak: Vec<_> = Tiny::all(2)
        .filter(|t| reference(&t.program(), Model::Tso) != reference(&t.program(), Model::Sc))
        .map(|t| t.to_string())
        .collect();
    assert!(weak.contains(&"x=1; r=y || y=1; r=x".to_string()), "{weak:?}");
    assert!(!Tiny::all(2).any(|t| t.with_fences() == t && weak.contains(&t.to_string())));
}

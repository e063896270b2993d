//! Every access through a pointer is to an object and a byte that the analysis knows of.

use crate::names::{Names, pointed};
use crate::programs;
use fencepost_analysis::points_to::{Object, PointedAccess, PointsTo};
use fencepost_c::{Options, read};
use fencepost_ir::tree;
use fencepost_memory::{Machine, Sc};
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort::seeds;
use fencepost_task::Action;
use std::collections::HashMap;

/// Runs of each program.
const RUNS: usize = 3;

/// Runs a program at random, some times; gives the number of accesses.
fn check(text: &str, rng: &mut Rng) -> usize {
    let tree = read(&[("random.c", text)], &Options::default());
    let tree = tree.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{text}"));
    let graph = pipeline::lower(tree.clone());
    let points_to = PointsTo::new(&tree);
    let mut accesses: HashMap<u32, Vec<PointedAccess<'_>>> = HashMap::new();
    for access in points_to.accesses() {
        accesses.entry(access.place.span.line).or_default().push(access);
    }
    let mut names = Names::new(&tree, &graph);
    let machine = Machine::new(&graph).expect("there is no template");
    let mut count = 0;
    let mut state = machine.initial(&[]);
    let mut runs = 0;
    while runs < RUNS {
        let mut steps = Vec::new();
        machine.steps(&Sc, &state, &mut steps);
        if steps.is_empty() {
            (state, runs) = (machine.initial(&[]), runs + 1);
            continue;
        }
        let step = steps[rng.below(steps.len())];
        let Action::Edge(id, _) = step.action else { continue };
        let thread = &state.threads[step.thread as usize];
        let edge = machine.edge(thread, id);
        let target = pointed(&edge.instr, thread);
        // A run ends with its first error.
        if machine.apply(&Sc, &mut state, step).is_err() {
            (state, runs) = (machine.initial(&[]), runs + 1);
            continue;
        }
        if let Some((number, byte)) = target {
            let objects = names.objects(&state, number);
            let line = edge.span.line;
            let known = accesses.get(&line).map_or(&[][..], |known| known);
            let found = known.iter().any(|access| {
                objects.iter().any(|object| points_to.contains(&access.targets, *object, byte))
            });
            assert!(
                found || is_named(&tree, text, line, &objects),
                "line {line}: byte {byte} of {objects:?}, known {known:#?}\n{text}"
            );
            count += 1;
        }
        names.made(edge, &state.threads[step.thread as usize]);
    }
    count
}

/// Whether a line of the text names a variable among the objects: it may be kept behind a pointer of our own.
fn is_named(tree: &tree::Program, text: &str, line: u32, objects: &[Object]) -> bool {
    let line = text.lines().nth(line as usize - 1).unwrap_or_default();
    objects.iter().any(|object| match object {
        Object::Variable(procedure, variable) => {
            let procedure = procedure.map(|id| tree.procedure(id));
            tree.variable(procedure, *variable).is_some_and(|v| line.contains(&v.name))
        }
        _ => false,
    })
}

#[test]
fn nothing_that_happens_is_denied() {
    let programs = seeds(40);
    let mut accesses = 0;
    for seed in 0..programs {
        let mut rng = Rng::new(seed);
        let text = programs::program(&mut rng);
        accesses += check(&text, &mut rng);
    }
    assert!(accesses as u64 > programs * 20, "{accesses} accesses");
}

/// The high half of a pointer says which object it leads to. It lies at another byte than the pointer, so bytes that overlap
/// have to hold the same.
#[test]
fn halves_of_pointers_are_followed() {
    let text = "
        struct N { int a, b; } first, second; struct N *head = &second;
        int main(void) {
            struct N *q = &first;
            *(unsigned *)((char *)&q + 4) = *(unsigned *)((char *)&head + 4);
            q->b = 1;
            return 0;
        }";
    let tree = read(&[("halves.c", text)], &Options::default()).unwrap_or_else(|(_, d)| panic!("{d:?}"));
    let points_to = PointsTo::new(&tree);
    let line = text.lines().position(|line| line.contains("q->b")).expect("it is there") as u32 + 1;
    let access = points_to.accesses().find(|a| a.place.span.line == line).expect("it goes through a pointer");
    for name in ["first", "second"] {
        let id = tree.shared.iter().position(|v| v.name == name).expect("it is shared");
        let object = Object::Variable(None, tree::VarRef::Shared(tree::SharedId(id)));
        assert!(points_to.contains(&access.targets, object, 4), "{name}: {:?}", access.targets);
    }
}

//! Explicit search on programs that access one word in several sizes, against the reference semantics: what both threads
//! can have seen at their ends.

use fencepost_c::{Options, read};
use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{Machine, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::mixed_sizes::MixedSizes;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::collections::BTreeSet;

/// Programs, unless `FENCEPOST_SEEDS` says how many.
const SEEDS: u64 = 60;

fn program(text: &str) -> Program {
    let tree = read(&[("wide.i", text)], &Options::default());
    pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)))
}

/// What `out0` and `out1` can be at the end.
fn seen(program: &Program, model: Model) -> Option<BTreeSet<(u32, u32)>> {
    let machine = Machine::new(program).expect("threads are spawned");
    let cells = (0..program.cell_types().len() as u32).map(Loc::cell);
    let out = |name: &str| cells.clone().find(|loc| program.cell_name(*loc).as_deref() == Some(name));
    let (Some(first), Some(second)) = (out("out0"), out("out1")) else { panic!("both are variables") };
    let reached = with_memory!(model, memory => reachable(&machine, memory, 60_000))?;
    let finals = reached.states.iter().filter(|state| state.is_final());
    Some(finals.map(|state| (state.read(first) as u32, state.read(second) as u32)).collect())
}

#[test]
fn explicit_search_sees_what_the_reference_semantics_does() {
    let seeds = effort::seeds(SEEDS);
    let (mut compared, mut weak) = (0, 0);
    for seed in 0..seeds {
        let sample = MixedSizes::new(seed);
        let plain = program(&sample.source(u32::MAX, u32::MAX));
        let sets: Option<Vec<_>> = Model::ALL.iter().map(|model| seen(&plain, *model)).collect();
        let Some(sets) = sets else { continue };
        let all = sets.iter().max_by_key(|set| set.len()).expect("three models");
        weak += usize::from(sets[0] != *all);
        for &(first, second) in all.iter().take(6) {
            let text = sample.source(first, second);
            let program = program(&text);
            for (model, set) in Model::ALL.into_iter().zip(&sets) {
                let (bounds, budget) = (Bounds::default(), Budget::default());
                let task = Task { program: &program, model, bounds, budget };
                let found = match Explicit::default().check(&task, &mut |_| {}).verdict {
                    Verdict::Safe { .. } => false,
                    Verdict::Unsafe { trace } => replay(&program, &trace).is_ok(),
                    Verdict::Unknown { reason, .. } => panic!("{reason}\n{text}"),
                };
                assert_eq!(found, set.contains(&(first, second)), "{model:?}\n{text}");
                compared += 1;
            }
        }
    }
    assert!(compared > seeds as usize * 4 && weak >= seeds as usize / 20, "{compared} compared, {weak} weak");
}

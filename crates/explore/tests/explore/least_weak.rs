//! The least weak run of random programs against costs found another way: over the plain graph of all states,
//! one step at a time, a store being charged when something else than its flush comes next.

use fencepost_certify::replay;
use fencepost_explore::{Explicit, Least, Weakness, initial_choices, least_weak, weakness};
use fencepost_ir::cfg::{Instr, Loc, Program};
use fencepost_memory::{Machine, Memory, State, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::random::{Config, program};
use fencepost_task::{Action, Bounds, Budget, Engine, Model, Step, Task, Verdict};
use std::collections::HashMap;

/// More nodes are not looked at.
const LIMIT: usize = 8_000;

/// A state, who ran last, and the store that was issued just now.
type Node = (State, Option<u32>, Option<(u32, Loc)>);

/// The least cost of a violation; `None` if there are too many states, `Some(None)` if there is none.
fn cheapest(machine: &Machine<'_>, memory: &impl Memory) -> Option<Option<Weakness>> {
    let mut best: HashMap<Node, Weakness> = HashMap::new();
    let choices = machine.initial_choices();
    let initial = initial_choices(&choices).map(|chosen| machine.initial(&chosen));
    let mut changed: Vec<Node> = initial.map(|state| (state, None, None)).collect();
    best.extend(changed.iter().map(|node| (node.clone(), Weakness::default())));
    let mut least: Option<Weakness> = None;
    if changed.iter().any(|(state, ..)| machine.violated(state).is_some()) {
        least = Some(Weakness::default());
    }
    while let Some(node) = changed.pop() {
        let cost = best[&node];
        let (state, last, fresh) = &node;
        let mut steps = Vec::new();
        machine.steps(memory, state, &mut steps);
        for step in steps {
            let mut new = cost;
            new.steps += 1;
            let flushes =
                fresh.is_some_and(|(thread, loc)| step == Step { thread, action: Action::Flush(loc) });
            new.delayed += u32::from(fresh.is_some() && !flushes);
            let mut runs = *last;
            if let Action::Edge(..) = step.action {
                new.switches += u32::from(last.is_some_and(|l| l != step.thread));
                runs = Some(step.thread);
            }
            let mut next = state.clone();
            let stored = match step.action {
                Action::Edge(id, _) => match &machine.edge(&state.threads[step.thread as usize], id).instr {
                    Instr::Store(address, _) => {
                        machine.resolve(state, step.thread as usize, address).ok().map(|r| r.loc)
                    }
                    _ => None,
                },
                _ => None,
            };
            let failed = machine.apply(memory, &mut next, step).is_err();
            let waits = |s: &State, loc| s.threads[step.thread as usize].buffer.iter().any(|e| e.loc == loc);
            let violated = failed || machine.violation(memory, &next).is_some();
            if violated {
                least = Some(least.map_or(new, |l| l.min(new)));
                continue;
            }
            let mut fresh = None;
            if let Some(loc) = stored.filter(|loc| waits(&next, *loc)) {
                match waits(state, loc) {
                    // Its flush cannot come next: the older store's does.
                    true => new.delayed += 1,
                    false => fresh = Some((step.thread, loc)),
                }
            }
            let node = (next, runs, fresh);
            if best.get(&node).is_none_or(|known| new < *known) {
                best.insert(node.clone(), new);
                changed.push(node);
            }
            if best.len() > LIMIT {
                return None;
            }
        }
    }
    Some(least)
}

fn compare(name: &str, program: &Program, model: Model) -> bool {
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let Verdict::Unsafe { trace } = Explicit::default().check(&task, &mut |_| {}).verdict else {
        return false;
    };
    let found = least_weak(&task, trace.clone()).unwrap();
    assert!(replay(program, &found.trace).is_ok(), "{name} {model:?}: the run does not replay");
    assert_eq!(found.weakness, weakness(program, &found.trace), "{name} {model:?}");
    assert!(found.weakness <= weakness(program, &trace), "{name} {model:?}: weaker than what was known");
    let machine = Machine::new(program).unwrap();
    let Some(least) = with_memory!(model, memory => cheapest(&machine, memory)) else { return false };
    let least = least.expect("the program is unsafe");
    match found.least {
        Least::Proved => assert_eq!(found.weakness, least, "{name} {model:?}"),
        Least::ButSteps => {
            let first_two = |w: Weakness| (w.delayed, w.switches);
            assert_eq!(first_two(found.weakness), first_two(least), "{name} {model:?}");
        }
        Least::Unknown => assert!(found.weakness >= least, "{name} {model:?}"),
    }
    true
}

#[test]
fn random_programs() {
    let seeds = effort::seeds(120);
    let mut compared = 0;
    for seed in 0..seeds {
        let text = program(seed, Config::default()).to_string();
        let Ok(tree) = fencepost_models::fp::read("random.fp", &text) else { continue };
        let graph = pipeline::lower(tree);
        for model in Model::ALL {
            compared += usize::from(compare(&format!("seed {seed}\n{text}"), &graph, model));
        }
    }
    assert!(compared > 30, "only {compared} programs were unsafe and small enough");
}

fn of_example(name: &str, model: Model) -> (Weakness, Least) {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let program = pipeline::lower(fencepost_models::fp::read(name, &text).unwrap());
    let task = Task { program: &program, model, bounds: Bounds::default(), budget: Budget::default() };
    let Verdict::Unsafe { trace } = Explicit::default().check(&task, &mut |_| {}).verdict else {
        panic!("{name} is unsafe")
    };
    let found = least_weak(&task, trace).unwrap();
    (found.weakness, found.least)
}

/// One store is enough in each of these: Peterson's `turn` may arrive late, whatever the flags.
#[test]
fn as_few_delayed_stores_as_textbooks_say() {
    for (name, model, delayed, switches) in [
        ("sb.fp", Model::Tso, 1, 2),
        ("mp.fp", Model::Pso, 1, 1),
        ("peterson.fp", Model::Tso, 1, 1),
        ("peterson.fp", Model::Pso, 1, 1),
        ("dekker.fp", Model::Tso, 1, 1),
        ("spinlock_broken.fp", Model::Tso, 0, 2),
    ] {
        let (weakness, least) = of_example(name, model);
        assert_eq!(
            (weakness.delayed, weakness.switches),
            (delayed, switches),
            "{name} {model:?}: {weakness:?}"
        );
        assert_eq!(least, Least::Proved, "{name}");
    }
}

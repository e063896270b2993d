//! Runs within the bounds stay within what is said of them: steps are reached, accesses are to cells that are among their
//! targets, and loads see values that are among theirs, under every memory model.

use crate::programs;
use fencepost_analysis::bounded::{Bounded, Facts, Place, all_loops};
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Dest, Edge, Instr, Loc, ObjectId, Program, Reg};
use fencepost_ir::pointer::{self, Target};
use fencepost_memory::{Machine, State, Thread, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::effort::seeds;
use fencepost_samples::mixed_sizes::MixedSizes;
use fencepost_samples::{Rng, random};
use fencepost_task::{Action, Budget, Model, Step};
use std::collections::HashMap;

/// Runs of each program under each model.
const RUNS: usize = 4;
const UNWIND: u32 = 3;
const BLOCK: u32 = 2;

/// Where the threads of a run are in the unrolled ones, and which objects are which.
struct Follower<'a, 'p> {
    bounded: &'a Bounded<'p>,
    /// For each thread of the run its instance and place.
    places: Vec<(usize, usize)>,
    /// The number of an object among those of the analysis.
    objects: HashMap<u32, usize>,
}

/// Whether a run is still within the bounds.
#[derive(PartialEq)]
enum Within {
    Yes,
    No,
}

impl Follower<'_, '_> {
    fn facts(&self, step: Step) -> (usize, &Facts) {
        let (instance, place) = self.places[step.thread as usize];
        let instance = &self.bounded.instances[instance];
        let Action::Edge(id, _) = step.action else { panic!("only edges are looked up") };
        let number = instance.code.out(place).find(|number| instance.code.steps[*number].id == id);
        let number = number.expect("every edge of a node is among the steps of its places");
        (number, &instance.facts[number])
    }

    fn object(&self, object: ObjectId) -> Option<ObjectId> {
        let own = self.bounded.program.objects.len() as u32;
        if object.0 < own {
            return Some(object);
        }
        self.objects.get(&object.0).map(|number| ObjectId(own + *number as u32))
    }

    /// What the analysis calls a cell.
    fn loc(&self, loc: Loc) -> Option<Loc> {
        match loc.as_element() {
            Some((object, number)) => Loc::element(self.object(object)?, number),
            None => Some(loc),
        }
    }

    /// What the analysis may call a value.
    fn values(&self, ty: Scalar, value: i64) -> Vec<i64> {
        let renamed = match pointer::target(value) {
            Target::Object(object, byte) => {
                self.object(ObjectId(object)).map(|o| pointer::to_object(o.0, byte))
            }
            Target::Null | Target::Procedure(_) => None,
        };
        match ty {
            Scalar::Pointer { .. } => vec![renamed.unwrap_or(value)],
            Scalar::Thread => self.places.get(value as usize).map_or(vec![value], |(i, _)| vec![*i as i64]),
            _ => [value].into_iter().chain(renamed).collect(),
        }
    }

    /// Looks at an access before it is made.
    fn access(&self, machine: &Machine<'_>, state: &State, step: Step, edge: &Edge, text: &str) {
        let Some(address) = edge.instr.address() else { return };
        let Ok(resolved) = machine.resolve(state, step.thread as usize, address) else { return };
        let (_, facts) = self.facts(step);
        for loc in resolved.locs() {
            let known = self.loc(loc).is_some_and(|loc| facts.targets.locs().any(|known| known == loc));
            let line = edge.span.line;
            assert!(
                known || !facts.targets.limits.is_empty(),
                "line {line}: {loc:?} is not among {:?}\n{text}",
                facts.targets
            );
        }
    }

    /// Looks at what has come of a step, and continues after it.
    fn after(&mut self, state: &State, step: Step, edge: &Edge, text: &str) -> Within {
        let (number, facts) = self.facts(step);
        let line = edge.span.line;
        assert!(facts.reachable, "line {line} is reached\n{text}");
        let thread = &state.threads[step.thread as usize];
        if let (Instr::Load(..) | Instr::Rmw(..) | Instr::Join(..), Some(Dest::Reg(reg))) =
            (&edge.instr, edge.instr.dest())
            && facts.targets.limits.is_empty()
        {
            let value = thread.registers[thread.slot(*reg)];
            let ty = self.register(thread, *reg);
            let seen = facts.value.as_ref().expect("a load sees something");
            assert!(
                self.values(ty, value).iter().any(|value| seen.contains(*value)),
                "line {line}: {value} is not among {seen:?}\n{text}"
            );
        }
        let starts = facts.starts;
        let (instance, _) = self.places[step.thread as usize];
        if let Instr::Allocate { dest: Dest::Reg(reg), .. } | Instr::Reallocate { dest: Dest::Reg(reg), .. } =
            &edge.instr
            && let Target::Object(object, _) = pointer::target(thread.registers[thread.slot(*reg)])
        {
            let bytes = state.heap_object(ObjectId(object)).expect("it was just made").bytes;
            let made = facts.makes.iter().find(|(size, _)| *size == bytes).map(|(_, object)| *object);
            match (self.objects.get(&object), made) {
                (Some(old), _) => {
                    assert!(facts.reuses.contains(old), "line {line}: {old} comes back\n{text}")
                }
                (None, Some(made)) => {
                    self.objects.insert(object, made);
                }
                (None, None) => {
                    assert!(facts.leaves_out_sizes, "line {line}: {bytes} bytes\n{text}");
                    return Within::No;
                }
            }
        }
        let code = &self.bounded.instances[instance].code;
        assert!(self.facts_of(instance, number).goes_on, "line {line} is passed\n{text}");
        let to = code.steps[number].to;
        self.places[step.thread as usize].1 = to;
        if let Instr::Spawn(..) = edge.instr {
            self.places.push((starts.expect("a spawn starts a thread"), 0));
        }
        if code.places[to] == Place::Cut { Within::No } else { Within::Yes }
    }

    fn facts_of(&self, instance: usize, number: usize) -> &Facts {
        &self.bounded.instances[instance].facts[number]
    }

    fn register(&self, thread: &Thread, reg: Reg) -> Scalar {
        let program = self.bounded.program;
        match reg {
            Reg::Local(slot) => program.procedure(thread.top().procedure).registers[slot as usize].ty,
            Reg::Thread(slot) => program.thread_registers[slot as usize].ty,
        }
    }
}

/// Follows runs of a program; gives the number of steps that were looked at.
fn check(program: &Program, text: &str, rng: &mut Rng) -> usize {
    let loops = all_loops(program, &Budget::default()).expect("there is no limit");
    let Ok(bounded) = Bounded::new(program, &loops, UNWIND, BLOCK, &Budget::default()) else { return 0 };
    let machine = Machine::new(program).expect("there is no template");
    let mut count = 0;
    for model in Model::ALL {
        for _ in 0..RUNS {
            with_memory!(model, memory => {
                let chosen: Vec<_> = machine.initial_choices().into_iter().map(|(loc, choices)| {
                    let values: Vec<i64> = choices.values().take(64).collect();
                    (loc, rng.pick(&values))
                }).collect();
                let mut state = machine.initial(&chosen);
                let places = (0..state.threads.len()).map(|thread| (thread, 0)).collect();
                let mut follower = Follower { bounded: &bounded, places, objects: HashMap::new() };
                for _ in 0..2000 {
                    let mut steps = Vec::new();
                    machine.steps(memory, &state, &mut steps);
                    if steps.is_empty() {
                        break;
                    }
                    let step = rng.pick(&steps);
                    let edge = match step.action {
                        Action::Edge(id, _) => Some(machine.edge(&state.threads[step.thread as usize], id)),
                        Action::Older(..) | Action::Flush(_) | Action::Propagate(_) | Action::Delete => None,
                    };
                    if let Some(edge) = edge {
                        follower.access(&machine, &state, step, edge, text);
                        count += 1;
                    }
                    // A run ends with its first error.
                    if machine.apply(memory, &mut state, step).is_err() {
                        break;
                    }
                    if let Some(edge) = edge
                        && follower.after(&state, step, edge, text) == Within::No
                    {
                        break;
                    }
                }
            });
        }
    }
    count
}

fn c(text: &str) -> Program {
    let tree = fencepost_c::read(&[("random.c", text)], &fencepost_c::Options::default());
    pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)))
}

#[test]
fn runs_of_models_stay_within_what_is_said() {
    let mut steps = 0;
    for seed in 0..seeds(150) {
        let config = random::Config { storing_loops: seed % 2 == 0, ..random::Config::default() };
        let text = random::program(seed, config).to_string();
        let tree =
            fencepost_models::fp::read("random.fp", &text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
        steps += check(&pipeline::lower(tree), &text, &mut Rng::new(seed));
    }
    assert!(steps as u64 > seeds(150) * 50, "{steps} steps");
}

#[test]
fn runs_of_accesses_of_several_sizes_stay_within_what_is_said() {
    let mut steps = 0;
    for seed in 0..seeds(60) {
        let text = MixedSizes::new(seed).source(u32::MAX, u32::MAX);
        steps += check(&c(&text), &text, &mut Rng::new(seed));
    }
    assert!(steps as u64 > seeds(60) * 50, "{steps} steps");
}

#[test]
fn runs_of_programs_with_pointers_stay_within_what_is_said() {
    let mut steps = 0;
    for seed in 0..seeds(25) {
        let mut rng = Rng::new(seed);
        let text = programs::program(&mut rng);
        steps += check(&c(&text), &text, &mut rng);
    }
    assert!(steps as u64 > seeds(25) * 20, "{steps} steps");
}

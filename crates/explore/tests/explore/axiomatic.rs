//! The axiomatic oracle against the operational models: whole sets of final states, on all tiny programs
//! and on random loop-free ones, under every model.
//!
//! `FENCEPOST_TESTS=all` takes all tiny programs with three instructions a thread, `FENCEPOST_SEEDS=N` more
//! random programs.

use fencepost_explore::{Explicit, Finals};
use fencepost_ir::cfg::{Count, Loc, Observable, ProcId, Procedure, Program, Property, Reg, Start, StartId};
use fencepost_memory::axiom;
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_samples::mixed_sizes::MixedSizes;
use fencepost_samples::sketch::{Piece, Sketch, shrink};
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Bounds, Budget, Model, Task};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the first property observes, as the search ends.
fn searched(program: &Program, model: Model, observed: &[Observable]) -> BTreeSet<Vec<i64>> {
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let mut outcomes = BTreeSet::new();
    let finals = Explicit::default().final_states(&task, &mut |state| {
        let value = |o: &Observable| match *o {
            Observable::Cell(loc) => state.read(loc),
            Observable::Register(start, Reg::Local(slot)) => {
                let thread = state.threads.iter().find(|t| t.start == Some(start)).unwrap();
                thread.registers[(thread.frames[0].base + slot) as usize]
            }
            Observable::Register(_, Reg::Thread(_)) => unreachable!("not used here"),
        };
        outcomes.insert(observed.iter().map(value).collect());
    });
    assert_eq!(finals, Finals::All);
    outcomes
}

fn difference(program: &Program, observed: &[Observable]) -> Option<String> {
    for model in Model::ALL {
        let operational = searched(program, model, observed);
        let axiomatic = axiom::outcomes(program, model, observed, &Budget::default())
            .unwrap_or_else(|reason| panic!("refused: {reason}"));
        if operational != axiomatic {
            let only =
                |a: &BTreeSet<Vec<i64>>, b: &BTreeSet<Vec<i64>>| a.difference(b).cloned().collect::<Vec<_>>();
            return Some(format!(
                "{model:?}: only operational {:?}, only axiomatic {:?}",
                only(&operational, &axiomatic),
                only(&axiomatic, &operational)
            ));
        }
    }
    None
}

fn check_tiny(programs: Vec<Tiny>) {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for core in 0..cores {
            let mine = programs.iter().skip(core).step_by(cores);
            scope.spawn(move || {
                for tiny in mine {
                    let program = tiny.program();
                    let Property::Final { observed, .. } = &program.properties[0] else { unreachable!() };
                    assert_eq!(difference(&program, observed), None, "{tiny}");
                }
            });
        }
    });
}

#[test]
fn all_tiny_programs_with_two_instructions() {
    check_tiny(Tiny::all(2).collect());
}

#[test]
fn tiny_programs_with_three_instructions() {
    let step = effort::every(31);
    check_tiny(Tiny::all(3).step_by(step).collect());
}

/// A statement of a random loop-free thread.
fn statement(rng: &mut Rng, depth: usize) -> Piece {
    let x = rng.pick(&["x", "y", "z"]);
    let r = rng.pick(&["r", "s"]);
    let v = rng.below(3);
    match rng.below(if depth > 0 { 13 } else { 10 }) {
        0..=2 => Piece::line(format!("{x} = {v};")),
        3 => Piece::line(format!("{x} = {r};")),
        4 | 5 => Piece::line(format!("{r} = {x};")),
        6 => Piece::line(rng.pick(&["fence;", "fence store_store;", "fence store_store;"])),
        7 => Piece::line(format!("{r} = exchange({x}, {v});")),
        8 => Piece::line(format!("{r} = compare_exchange({x}, {v}, {});", rng.below(3))),
        9 => Piece::line(format!("{r} = fetch_xor({x}, 1) & 3;")),
        10 => Piece::line(format!("{r} = any(0..1);")),
        11 => Piece::Block {
            head: format!("if ({r} == {v}) {{"),
            parts: vec![vec![statement(rng, depth - 1)], vec![statement(rng, depth - 1)]],
            between: "} else {".into(),
            end: "}".into(),
        },
        _ => Piece::Block {
            head: "choose {".into(),
            parts: vec![vec![statement(rng, depth - 1)], vec![statement(rng, depth - 1)]],
            between: "} or {".into(),
            end: "}".into(),
        },
    }
}

fn random(seed: u64) -> Sketch {
    let mut rng = Rng::new(seed);
    let mut pieces = vec![Piece::line("shared u8 x; shared u8 y; shared u8 z;")];
    let threads = 2 + usize::from(rng.one_in(3));
    let longest = if threads == 2 { 5 } else { 3 };
    for t in 0..threads {
        let body = (0..1 + rng.below(longest)).map(|_| statement(&mut rng, 2)).collect::<Vec<_>>();
        pieces
            .push(Piece::block(format!("thread t{t} {{"), [vec![Piece::line("u8 r; u8 s;")], body].concat()));
    }
    Sketch(pieces)
}

/// The first disagreement on a text, if there is one; an error if it is not a program.
fn disagreement(text: &str) -> Result<Option<String>, String> {
    let threads = text.matches("thread t").count();
    let mut text = text.to_string();
    let all: Vec<String> = (0..threads).map(|t| format!("t{t}.r == 0 || t{t}.s == 0")).collect();
    let _ = writeln!(text, "final forall ({} || x + y + z >= 0);", all.join(" || "));
    let tree = fencepost_models::fp::read("random.fp", &text).map_err(|(_, d)| format!("{d:?}"))?;
    let program = pipeline::lower(tree);
    let mut observed: Vec<Observable> = (0..3).map(|c| Observable::Cell(Loc::cell(c))).collect();
    for t in 0..threads as u32 {
        observed.extend((0..2).map(|r| Observable::Register(StartId(t), Reg::Local(r))));
    }
    Ok(difference(&program, &observed))
}

#[test]
fn random_loop_free_programs() {
    let seeds = effort::seeds(1500);
    for seed in 0..seeds {
        let sketch = random(seed);
        let problem = disagreement(&sketch.to_string()).unwrap_or_else(|e| panic!("{e}\n{sketch}"));
        if let Some(problem) = problem {
            let small = shrink(sketch, |t| disagreement(t).is_ok_and(|p| p.is_some()));
            let shrunk = disagreement(&small.to_string());
            panic!("seed {seed}: {problem}\nshrunk: {shrunk:?}\n{small}");
        }
    }
}

/// The threads of a C program of mixed sizes by themselves, without the main thread that spawns them.
fn mixed_sizes(seed: u64) -> (String, Program) {
    let text = MixedSizes::new(seed).source(0, 0);
    let tree = fencepost_c::read(&[("wide.i", &text)], &fencepost_c::Options::default());
    let mut program = pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)));
    let threads = (0..).zip(&program.procedures).filter(|(_, p)| ["t0", "t1"].contains(&p.name.as_str()));
    let start = |(i, p): (u32, &Procedure)| Start {
        name: p.name.clone(),
        procedure: ProcId(i),
        args: vec![0; p.params as usize],
        count: Count::Times(1),
        span: p.span,
    };
    program.threads = threads.map(start).collect();
    program.properties.clear();
    assert_eq!(program.threads.len(), 2, "{text}");
    (text, program)
}

#[test]
fn random_programs_of_mixed_sizes() {
    let seeds = effort::seeds(240);
    let mut weak = 0;
    for seed in 0..seeds {
        let (text, program) = mixed_sizes(seed);
        let cells = (0..program.cell_types().len() as u32).map(Loc::cell);
        let observed: Vec<Observable> = cells.map(Observable::Cell).collect();
        assert_eq!(difference(&program, &observed), None, "seed {seed}\n{text}");
        let [sc, tso, pso] = Model::ALL.map(|model| searched(&program, model, &observed).len());
        weak += usize::from(sc < tso || tso < pso);
    }
    assert!(weak > seeds as usize / 10, "only {weak} programs tell models apart");
}

#[test]
fn what_is_not_for_it_is_refused_with_the_reason() {
    let refused = |text: &str| {
        let tree = fencepost_models::fp::read("p.fp", text).unwrap();
        axiom::outcomes(&pipeline::lower(tree), Model::Tso, &[], &Budget::default()).unwrap_err().to_string()
    };
    assert_eq!(
        refused("shared int x;\nthread t {\nwhile (x == 0) { }\n}"),
        "the axiomatic oracle does not take loops, as at p.fp:3"
    );
    assert_eq!(
        refused("shared int x;\nthread t {\natomic { x = 1; }\n}"),
        "the axiomatic oracle does not take atomic sections, as at p.fp:3"
    );
    assert_eq!(
        refused("mutex m;\nthread t {\nlock(m);\n}"),
        "the axiomatic oracle does not take mutexes, as at p.fp:3"
    );
}

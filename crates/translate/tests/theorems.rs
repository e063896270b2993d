//! Theorems 1 and 2 as properties: what the translation reaches under SC is what the program reaches under TSO with
//! bounded rounds, or with bounded store age; and verdicts agree. The reference counts rounds and ages itself.

use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_memory::{Machine, Sc, State, Tso};
use fencepost_passes::pipeline;
use fencepost_samples::random::{Config, program};
use fencepost_task::{Action, Bounds, Budget, Engine, Model, Step, Task, Verdict};
use fencepost_translate::{Bound, Language, Translation, run_back, translate};
use std::collections::{BTreeSet, HashSet};

fn lower(text: &str) -> Program {
    let tree =
        fencepost_frontend::model::read("test.fp", text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
    pipeline::lower(tree)
}

fn translation(text: &str, bound: Bound) -> Translation {
    let tree =
        fencepost_frontend::model::read("test.fp", text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
    translate(&tree, bound, Language::Model).unwrap_or_else(|u| panic!("{u:?}\n{text}"))
}

fn translated(text: &str, bound: Bound) -> String {
    translation(text, bound).text
}

/// What is reached: memories outside atomic sections, with where the threads are if all are at labels; and whether a
/// property is violated.
#[derive(PartialEq, Eq, Debug, Default)]
struct Reached {
    memories: BTreeSet<Vec<i64>>,
    controls: BTreeSet<(Vec<String>, Vec<i64>)>,
    violated: bool,
}

impl Reached {
    /// A state in which no thread is inside a section. The translation's labels have a beginning of their own.
    fn note(&mut self, program: &Program, state: &State, memory: &[i64], prefix: &str) {
        self.memories.insert(memory.to_vec());
        // Only the tiny programs have labels everywhere.
        let first = format!("{prefix}l0");
        if !state.threads.iter().all(|t| program.procedure(t.frames[0].procedure).label(&first).is_some()) {
            return;
        }
        let places: Option<Vec<String>> = state
            .threads
            .iter()
            .map(|thread| {
                if thread.ended {
                    return Some("end".to_string());
                }
                let top = thread.top();
                let procedure = program.procedure(top.procedure);
                let at_entry = thread.frames.len() == 1 && top.node == procedure.entry();
                let own = |(name, node): &(String, _)| {
                    (*node == top.node).then(|| name.strip_prefix(prefix).map(str::to_string)).flatten()
                };
                // A thread that has not begun is at its first label.
                let label = procedure.labels.iter().find_map(own);
                label.or_else(|| at_entry.then(|| "l0".to_string()))
            })
            .collect();
        self.controls.extend(places.map(|places| (places, memory.to_vec())));
    }
}

const LIMIT: usize = 30_000;

/// All of SC. The translation's threads are inside a round while a section is open.
fn reached_sc(program: &Program, cells: usize) -> Option<Reached> {
    let machine = Machine::new(program).unwrap();
    let mut reached = Reached::default();
    let start = machine.initial(&[]);
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    let mut steps = Vec::new();
    while let Some(state) = work.pop() {
        if state.section.is_none() {
            reached.note(program, &state, &state.cells[..cells], "tso_at_");
        }
        reached.violated |= machine.violated(&state).is_some();
        steps.clear();
        machine.steps(&Sc, &state, &mut steps);
        for step in &steps {
            let mut next = state.clone();
            match machine.apply(&Sc, &mut next, *step) {
                Ok(()) if seen.insert(next.clone()) => work.push(next),
                Ok(()) => {}
                Err(_) => reached.violated = true,
            }
        }
        if seen.len() > LIMIT {
            return None;
        }
    }
    Some(reached)
}

/// A state of TSO with the thread that ran last, the rounds of each thread, and the ages of its stores.
type Counted = (State, Option<usize>, Vec<u32>, Vec<Vec<u32>>);

fn reached_tso(program: &Program, bound: Bound) -> Option<Reached> {
    let machine = Machine::new(program).unwrap();
    let mut reached = Reached::default();
    let start = machine.initial(&[]);
    let n = start.threads.len();
    let start: Counted = (start, None, vec![0; n], vec![Vec::new(); n]);
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    let mut steps = Vec::new();
    while let Some((state, last, rounds, ages)) = work.pop() {
        // With bounded age a round does not end while a store would then be too old.
        let may_end = match (bound, last) {
            (Bound::Age(k), Some(last)) => ages[last].iter().all(|age| *age < k),
            (Bound::Age(_), None) | (Bound::Rounds(_), _) => true,
        };
        if state.section.is_none() && may_end {
            reached.note(program, &state, &state.cells, "");
        }
        reached.violated |= machine.violated(&state).is_some();
        steps.clear();
        machine.steps(&Tso, &state, &mut steps);
        for &Step { thread, action } in &steps {
            let t = thread as usize;
            let (mut rounds, mut ages) = (rounds.clone(), ages.clone());
            if last != Some(t) {
                match (bound, last) {
                    (Bound::Rounds(k), _) if rounds[t] == k => continue,
                    (Bound::Rounds(_), _) => rounds[t] += 1,
                    (Bound::Age(_), None) => {}
                    (Bound::Age(k), Some(last)) => {
                        ages[last].iter_mut().for_each(|age| *age += 1);
                        if ages[last].iter().any(|age| *age > k) {
                            continue;
                        }
                    }
                }
            }
            let mut next = state.clone();
            if machine.apply(&Tso, &mut next, Step { thread, action }).is_err() {
                reached.violated = true;
                continue;
            }
            if let Action::Flush(_) = action {
                ages[t].remove(0);
            }
            rounds.resize(next.threads.len(), 0);
            ages.resize(next.threads.len(), Vec::new());
            if let Bound::Age(_) = bound {
                ages[t].resize(next.threads[t].buffer.len(), 0);
            } else {
                ages[t].clear();
                ages[t].resize(next.threads[t].buffer.len(), 0);
            }
            // Loops store without end; what is compared has few.
            if next.threads[t].buffer.len() > 5 {
                return None;
            }
            let next = (next, Some(t), rounds, ages);
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
        if seen.len() > LIMIT {
            return None;
        }
    }
    Some(reached)
}

/// Whether both could be computed; they must be the same.
fn compare(text: &str, bound: Bound) -> bool {
    let original = lower(text);
    let Some(expected) = reached_tso(&original, bound) else { return false };
    let translation = translated(text, bound);
    let cells = Machine::new(&original).unwrap().initial(&[]).cells.len();
    let Some(reached) = reached_sc(&lower(&translation), cells) else { return false };
    assert_eq!(reached, expected, "{bound:?}\n{text}\n{translation}");
    true
}

const BOUNDS: [Bound; 7] = [
    Bound::Rounds(1),
    Bound::Rounds(2),
    Bound::Rounds(3),
    Bound::Age(0),
    Bound::Age(1),
    Bound::Age(2),
    Bound::Age(3),
];

/// Statements of tiny programs; loads that are stored again, since only memory is compared.
const STATEMENTS: [&str; 8] = [
    "x = 1;",
    "y = 1;",
    "x = y;",
    "y = x;",
    "fence;",
    "exchange(x, 2);",
    "atomic { y = x; x = 2; }",
    "if (x == 1) { y = 2; }",
];

#[test]
fn tiny_programs_reach_the_same() {
    let seeds = std::env::var("FENCEPOST_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    // Labels before, between and behind the statements.
    let labelled = |a: &str, b: &str| format!("l0: {a} l1: {b} l2: skip;");
    let pairs: Vec<String> =
        STATEMENTS.iter().flat_map(|a| STATEMENTS.iter().map(move |b| labelled(a, b))).collect();
    let mut compared = 0;
    for i in 0..seeds {
        // A fixed walk through all combinations.
        let (a, b) = (&pairs[i * 7 % 64], &pairs[(i * 13 + i / 64) % 64]);
        // A thread is not at two labels at once, but the labels are watched.
        let watch = "forbid a at l0 and a at l1 and a at l2;\nforbid b at l0 and b at l1 and b at l2;";
        let text = format!(
            "shared 0..2 x, y;\nthread a {{ {a} }}\nthread b {{ {b} }}\nfinal forall (x + y < 4);\n{watch}\n"
        );
        compared += BOUNDS.iter().filter(|bound| compare(&text, **bound)).count();
    }
    assert!(compared > seeds * 3, "{compared} compared");
}

/// The weak outcomes, with and without fences, and what the bounds cut off.
#[test]
fn known_programs_have_their_verdicts() {
    let sb = |fence: &str| {
        format!(
            "shared 0..1 x, y;\nthread a {{ 0..1 r; x = 1; {fence} r = y; assume(r == 0); a1: skip; }}\n\
             thread b {{ 0..1 r; y = 1; {fence} r = x; assume(r == 0); b1: skip; }}\nforbid a at a1 and b at b1;\n"
        )
    };
    let violated = |text: &str, bound| {
        let translation = translation(text, bound);
        let program = lower(&translation.text);
        let (bounds, budget) = (Bounds::default(), Budget::default());
        let task = Task { program: &program, model: Model::Sc, bounds, budget };
        match Explicit::default().check(&task, &mut |_| {}).verdict {
            Verdict::Unsafe { trace } => {
                let run =
                    run_back(&lower(text), &program, &translation, &trace).expect("the run has an original");
                assert!(replay(&lower(text), &run).is_ok(), "{bound:?}\n{text}");
                true
            }
            Verdict::Safe { .. } => false,
            Verdict::Unknown { reason, .. } => panic!("{reason}"),
        }
    };
    for bound in BOUNDS {
        // One round a thread is enough: the stores need not leave the buffer.
        let expected = bound != Bound::Age(0);
        assert_eq!(violated(&sb(""), bound), expected, "{bound:?}");
        assert!(!violated(&sb("fence;"), bound), "{bound:?}");
    }
    assert!(compare(&sb(""), Bound::Rounds(1)));
}

/// Random programs with loops, recursion, spawn, locks and atomic sections; what comes out is read again, and what is
/// printed of that is in the form in which it is printed.
#[test]
fn random_programs_reach_the_same() {
    let seeds = std::env::var("FENCEPOST_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let (mut compared, mut spawning, mut calling, mut looping) = (0, 0, 0, 0);
    for seed in 0..seeds {
        let config = Config { statements: 3, ..Config::default() };
        let text = program(seed, config).to_string();
        for bound in BOUNDS {
            let tree = fencepost_frontend::model::read("test.fp", &text).unwrap();
            let Ok(translation) = translate(&tree, bound, Language::Model) else { continue };
            let read = |text: &str| fencepost_frontend::model::read("test.fp", text).expect("it can be read");
            let printed = read(&translation.text).to_string();
            assert_eq!(read(&printed).to_string(), printed);
            if compare(&text, bound) {
                compared += 1;
                spawning += usize::from(text.contains("spawn"));
                calling += usize::from(text.contains("call("));
                looping += usize::from(text.contains("while"));
            }
        }
    }
    println!("{compared} compared, {spawning} with spawn, {calling} with calls, {looping} with loops");
    assert!(compared > 2 * seeds as usize, "{compared} compared");
    assert!(calling > 0 && looping > 0, "{calling} {looping}");
}

/// Atomic sections inside others, by calls: the outermost counts.
#[test]
fn nested_sections_are_one() {
    let text = "shared 0..2 x, y;\nvoid add() { atomic { x = x + 1; } }\n\
                thread a { atomic { add(); y = x; } }\nthread b { y = x; x = 0; }\nfinal forall (y < 3);\n";
    for bound in [Bound::Rounds(1), Bound::Rounds(2), Bound::Age(0), Bound::Age(1)] {
        assert!(compare(text, bound), "{bound:?}");
    }
}

/// Threads that start threads, with stores in the buffer and without; recursion; loops that store.
#[test]
fn spawns_calls_and_loops_reach_the_same() {
    let spawn = |drain: &str| {
        format!(
            "shared 0..2 x, y;\nprocess child(0..2 v) {{ 0..2 r = y; x = v; y = r; }}\n\
             process main() {{ y = 1; thread_id t = spawn {drain}child(2); 0..2 r = x; join(t); y = r; }}\n\
             final forall (x == 2);\n"
        )
    };
    let recursion = "shared 0..2 x, y;\nvoid down(0..2 n) { x = n; if (n > 0) { down(n - 1); } y = x; }\n\
                     thread a { down(1); }\nthread b { y = 2; x = y; }\nfinal forall (y < 2);\n";
    let storing = "shared 0..2 x, y;\nthread a { 0..2 i = 0; while (i < 2) { x = i; i = i + 1; } y = x; }\n\
                   thread b { 0..2 r = y; x = 2; assert(r == 0 || x == 2); y = x; }\nfinal forall (y != 2);\n";
    let mut compared = 0;
    for text in [spawn(""), spawn("nodrain "), recursion.to_string(), storing.to_string()] {
        let done = BOUNDS.iter().filter(|bound| compare(&text, **bound)).count();
        assert!(done >= 2, "{done} compared\n{text}");
        compared += done;
    }
    println!("{compared} compared");
    assert!(compared >= 16, "{compared} compared");
}

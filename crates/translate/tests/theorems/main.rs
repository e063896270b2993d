//! Theorems 1 and 2 as properties: what the translation reaches under SC is what the program reaches under TSO with
//! bounded rounds, or with bounded store age; and verdicts agree. The reference counts rounds and ages itself.

mod oracle;
mod reached;

use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::random::{Config, program};
use fencepost_samples::{labelled, sketch};
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use fencepost_translate::{Bound, Translated, run_back, translate};
use std::collections::BTreeMap;

fn lower(text: &str) -> Program {
    let tree = fencepost_models::fp::read("test.fp", text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
    pipeline::lower(tree)
}

fn translation(text: &str, bound: Bound) -> Translated {
    let tree = fencepost_models::fp::read("test.fp", text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
    translate(&tree, bound).unwrap_or_else(|u| panic!("{u:?}\n{text}"))
}

fn translated(text: &str, bound: Bound) -> String {
    translation(text, bound).program.to_string()
}

/// More states are not searched plainly.
const LIMIT: usize = 15_000;

/// What differs, if both could be computed.
fn difference(text: &str, bound: Bound) -> Option<Result<(), String>> {
    let original = lower(text);
    let expected = oracle::within(&original, bound, LIMIT)?;
    let program = pipeline::lower(translation(text, bound).program);
    let reached = reached::of_translation(&program, &original, 3 * LIMIT)?;
    if !reached::has_all_places(&program, &original) {
        // Threads may be where the translation has no place for them.
        return (reached.memories != expected.memories || reached.violated != expected.violated)
            .then(|| Err(format!("{bound:?}: the shared variables or the verdicts differ\n")))
            .or(Some(Ok(())));
    }
    if reached == expected {
        return Some(Ok(()));
    }
    let mut problem = format!("{bound:?}: violated {} and {}\n", expected.violated, reached.violated);
    let missing = expected.controls.difference(&reached.controls).take(4);
    missing.for_each(|c| problem += &format!("only the program reaches {c:?}\n"));
    let more = reached.controls.difference(&expected.controls).take(4);
    more.for_each(|c| problem += &format!("only the translation reaches {c:?}\n"));
    let memories = expected.memories.symmetric_difference(&reached.memories).take(4);
    memories.for_each(|m| problem += &format!("only one of them reaches {m:?}\n"));
    Some(Err(problem))
}

/// Whether both could be computed; they must be the same.
fn compare(text: &str, bound: Bound) -> bool {
    match difference(text, bound) {
        Some(Err(problem)) => panic!("{problem}{text}\n{}", translated(text, bound)),
        Some(Ok(())) => true,
        None => false,
    }
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
    let seeds = effort::seeds(10) as usize;
    // Labels before, between and after the statements.
    let labelled = |a: &str, b: &str| format!("l0: {a} l1: {b} l2: skip;");
    let pairs: Vec<String> =
        STATEMENTS.iter().flat_map(|a| STATEMENTS.iter().map(move |b| labelled(a, b))).collect();
    let mut compared = 0;
    for i in 0..seeds {
        // A fixed walk through all combinations.
        let (a, b) = (&pairs[i * 7 % 64], &pairs[(i * 13 + i / 64) % 64]);
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
        let program = pipeline::lower(translation.program.clone());
        let (bounds, budget) = (Bounds::default(), Budget::default());
        let task = Task { program: &program, model: Model::Sc, bounds, budget };
        match Explicit::default().check(&task, &mut |_| {}).verdict {
            Verdict::Unsafe { trace } => {
                let run = run_back(&lower(text), &program, &translation, &trace, &Budget::default())
                    .expect("nothing stops it")
                    .expect("the run has an original");
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

/// Random programs with loops, recursion, spawn, locks and atomic sections; what comes out can be printed and read, and
/// is printed again as it was.
#[test]
fn random_programs_reach_the_same() {
    let seeds = effort::seeds(10);
    let (mut compared, mut spawning, mut calling, mut looping) = (0, 0, 0, 0);
    for seed in 0..seeds {
        let config = Config { statements: 3, ..Config::default() };
        let text = program(seed, config).to_string();
        for bound in BOUNDS {
            let tree = fencepost_models::fp::read("test.fp", &text).unwrap();
            let Ok(translated) = translate(&tree, bound) else { continue };
            let printed = translated.program.to_string();
            let read = fencepost_models::fp::read("test.fp", &printed);
            let read = read.unwrap_or_else(|(_, d)| panic!("{d:?}\n{printed}"));
            // What is said of declarations is in comments.
            let code = |text: &str| -> Vec<String> {
                text.lines().filter(|l| !l.is_empty() && !l.starts_with("//")).map(Into::into).collect()
            };
            assert_eq!(code(&read.to_string()), code(&printed));
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

const FEATURES: [&str; 11] =
    ["call(", "spawn", "nodrain", "join", "while", "atomic", "fence;", "exchange", "cas", "lock(", "a[i"];

/// Where threads are, with their variables and memory: programs with a label at every statement, with loops, recursion,
/// threads that start others, fences, read-modify-writes, atomic sections, locks and arrays.
#[test]
fn labelled_programs_reach_the_same_places() {
    let seeds = effort::seeds(35);
    let mut found = BTreeMap::new();
    for seed in 0..seeds {
        for shape in labelled::Shape::ALL {
            let sketch = labelled::program(seed, shape);
            let text = sketch.to_string();
            for bound in BOUNDS {
                match difference(&text, bound) {
                    None => continue,
                    Some(Ok(())) => {}
                    Some(Err(_)) => {
                        // Labels that no property names are not places of the translation.
                        let watched =
                            |text: &str| text.matches(": ").count() == text.matches("at most").count();
                        let fails = |text: &str| {
                            watched(text)
                                && fencepost_models::fp::read("test.fp", text).is_ok()
                                && matches!(difference(text, bound), Some(Err(_)))
                        };
                        let text = sketch::shrink(sketch.clone(), fails).to_string();
                        let Some(Err(problem)) = difference(&text, bound) else { unreachable!("it fails") };
                        panic!("seed {seed} {shape:?}: {problem}{text}\n{}", translated(&text, bound));
                    }
                }
                for word in FEATURES.iter().filter(|word| text.contains(**word)) {
                    *found.entry((format!("{bound:?}"), *word)).or_insert(0) += 1;
                }
            }
        }
    }
    println!("{found:?}");
    for word in FEATURES {
        let compared = |bound: Bound| found.contains_key(&(format!("{bound:?}"), word));
        for bound in [Bound::Rounds(2), Bound::Age(1), Bound::Age(2)] {
            assert!(compared(bound), "nothing with `{word}` was compared for {bound:?}");
        }
    }
    for word in ["call(", "spawn", "while"] {
        let compared = |bound: Bound| found.contains_key(&(format!("{bound:?}"), word));
        assert!(compared(Bound::Rounds(3)) || compared(Bound::Age(3)), "nothing with `{word}` for K = 3");
    }
}

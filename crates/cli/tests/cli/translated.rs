//! The engines `rounds` and `age`: verdicts with their bounds, runs of the original, growing bounds.

use crate::{check, fencepost, fencepost_args, json, root, scratch};
use fencepost_samples::effort::{every, seconds};

/// Atig, Bouajjani and Parlato, Table 1, with age 2, as programs of both languages. So many states take less than a
/// second.
#[test]
fn the_table_of_the_paper() {
    for (name, states) in [
        ("dekker.fp", 2_000),
        ("dekker_fenced.fp", 15_000),
        ("lamport2.fp", 30_000),
        ("lamport2_fenced.fp", 80_000),
        ("peterson.fp", 8_000),
        ("peterson_fenced.fp", 8_000),
        ("szymanski.fp", 30_000),
        ("szymanski_fenced.fp", 8_000),
        ("dekker.c", 20_000),
        ("dekker_fenced.c", 50_000),
        ("lamport.c", 120_000),
        ("lamport_fenced.c", 220_000),
        ("peterson.c", 40_000),
        ("peterson_fenced.c", 30_000),
        ("szymanski.c", 110_000),
        ("szymanski_fenced.c", 30_000),
    ] {
        let path = format!("examples/{name}");
        let ran = fencepost_args(&["check", &path, "--engine", "age", "--age", "2", "--format", "json"]);
        let answer = json(&ran.stdout);
        let (verdict, code) = if name.contains("_fenced") { ("safe", 0) } else { ("unsafe", 1) };
        assert_eq!((answer["verdict"].as_str(), ran.code), (Some(verdict), code), "{name}: {}", ran.stderr);
        assert_eq!(answer["engine"], "age");
        assert!(answer["stats"]["states"].as_u64().unwrap() <= states, "{name}: {}", answer["stats"]);
        if code == 0 {
            assert_eq!(answer["scope"], serde_json::json!({"age": 2}), "{name}");
        }
    }
}

/// All small examples of the modelling language, with two rounds and with age 1: what is unsafe under TSO by its
/// manifest may be safe within the bound, what is safe is safe, and runs are replayed.
#[test]
fn bounded_verdicts_are_never_wrong() {
    let manifest = std::fs::read_to_string(root().join("examples/verdicts.txt")).unwrap();
    let (mut found, mut checked) = (0, 0);
    for line in manifest.lines().step_by(every(1)) {
        let words: Vec<_> = line.split_whitespace().collect();
        let [file, _, tso, _] = words[..] else { continue };
        if !file.ends_with(".fp") || file.contains("template") || tso == "unknown" {
            continue;
        }
        for bound in [["rounds", "--rounds", "2"], ["age", "--age", "1"]] {
            let path = format!("examples/{file}");
            let limit = seconds(10).to_string();
            let args = ["check", &path, "--engine", bound[0], bound[1], bound[2], "-q", "--timeout", &limit];
            let ran = fencepost_args(&args);
            assert!(ran.code == 0 || ran.code == 3 || tso == "unsafe", "{args:?}: {}", ran.stdout);
            assert!(ran.code != 2 && ran.code != 101, "{args:?}: {}", ran.stderr);
            found += usize::from(ran.code == 1);
            checked += usize::from(ran.code != 3);
        }
    }
    let least = if every(1) == 1 { (30, 90) } else { (3, 15) };
    assert!(found > least.0 && checked > least.1, "{found} {checked}");
}

#[test]
fn bounds_grow_until_a_bug_or_no_new_states() {
    let ran = fencepost("check examples/peterson.fp --engine age --format json");
    assert_eq!((json(&ran.stdout)["verdict"].as_str(), ran.code), (Some("unsafe"), 1));
    let ran = fencepost("check examples/sb.fp --engine rounds --format json");
    assert_eq!((json(&ran.stdout)["verdict"].as_str(), ran.code), (Some("unsafe"), 1));
    let ran = fencepost("check examples/sb_fenced.fp --engine age --format json");
    let answer = json(&ran.stdout);
    assert_eq!((answer["verdict"].as_str(), ran.code), (Some("safe"), 0), "{}", ran.stdout);
    // Bounded, and no more is said than was seen.
    assert_eq!(answer["scope"], serde_json::json!({"age": 2}));
    let note = answer["notes"][0].as_str().unwrap();
    assert!(note.contains("same") && note.contains("no proof"), "{note}");
    let ran = fencepost("check examples/sb_fenced.fp --engine age");
    assert!(ran.stdout.contains("up to age 2") && ran.stdout.contains("no proof"), "{}", ran.stdout);
}

/// The run that is shown is one of the original under TSO, and can be saved and replayed.
#[test]
fn runs_are_runs_of_the_original() {
    for (file, engine) in
        [("dekker.c", "rounds"), ("trylock.c", "age"), ("leader.c", "rounds"), ("szymanski.fp", "age")]
    {
        let saved = crate::scratch(&format!("{file}_{engine}.json"), "");
        let path = format!("examples/{file}");
        let saved = saved.to_str().unwrap();
        let ran = fencepost_args(&["check", &path, "--engine", engine, "--trace", saved, "-q"]);
        assert_eq!(ran.code, 1, "{file}: {}{}", ran.stdout, ran.stderr);
        let ran = fencepost_args(&["replay", &path, saved]);
        assert_eq!(ran.code, 0, "{file}: {}{}", ran.stdout, ran.stderr);
    }
}

/// A store whose operands have no value fails before it is asked for in the translation.
#[test]
fn faults_of_stored_values_are_found() {
    let text = "shared int zero; process t() { zero = 1 / zero; } process u() { zero = 1; } start t(), u();";
    for engine in ["rounds", "age"] {
        let ran = check("fault.fp", text, &["-q", "--engine", engine]);
        assert_eq!(ran.code, 1, "{engine}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("division"), "{}", ran.stdout);
    }
}

#[test]
fn what_does_not_fit_is_unknown_with_the_reason() {
    for (command, reason) in [
        ("check examples/sb.fp --engine rounds --model sc", "of TSO"),
        ("check examples/sb.fp --engine age --model pso", "of TSO"),
        ("check examples/sb_template.fp --engine age", "--threads"),
        ("check examples/sb.fp --engine rounds --deadlock", "deadlocks"),
    ] {
        let ran = fencepost(command);
        assert!(ran.code == 3 && ran.stdout.contains(reason), "{command}: {}{}", ran.stdout, ran.stderr);
    }
    let text = "#include <assert.h>\n#include <stdlib.h>\nint *p, n;\nint main(void) { while (n < 2) p = malloc(4); assert(n); }\n";
    let path = scratch("allocates_in_a_loop.c", text);
    let ran = fencepost_args(&["check", path.to_str().unwrap(), "--engine", "age", "--age", "1"]);
    assert!(ran.code == 3 && ran.stdout.contains("allocates_in_a_loop.c:4"), "{}{}", ran.stdout, ran.stderr);
    let ran = fencepost("check examples/sb_template.fp --engine age --age 1 --threads 2 --format json");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let ran = fencepost(
        "check examples/sb_template_fenced.fp --engine rounds --rounds 2 --threads 2 --format json",
    );
    assert_eq!(json(&ran.stdout)["scope"], serde_json::json!({"rounds": 2, "threads": 2}), "{}", ran.stderr);
    for wrong in ["--engine rounds --rounds 0", "--engine age --age 101", "--engine ages"] {
        let ran = fencepost(&format!("check examples/sb.fp {wrong}"));
        assert!(ran.code == 2 && !ran.stderr.is_empty(), "{wrong}: {}", ran.stderr);
    }
    let ran = fencepost("fences examples/sb.fp --engine rounds");
    assert!(ran.code == 3, "{}{}", ran.stdout, ran.stderr);
}

/// A limit ends the growth; what was finished is said.
#[test]
fn a_time_limit_leaves_what_was_finished() {
    let ran = fencepost("check examples/lamport2_fenced.fp --engine age --timeout 4 --format json");
    let answer = json(&ran.stdout);
    assert_eq!((answer["verdict"].as_str(), ran.code), (Some("safe"), 0), "{}", ran.stdout);
    assert_eq!(answer["reason"], "the time limit was reached");
    assert!(answer["scope"]["age"].is_u64(), "{}", answer["scope"]);
}

/// What the bound cuts off: a store that has to be on its way for two rounds of its thread.
#[test]
fn larger_bounds_see_more() {
    // Thread `b` runs while the first store is in memory and the second is not, twice.
    let text = "shared 0..2 x, y, z;\nthread a { x = 1; z = 1; y = 1; }\n\
                thread b { 0..2 r, s, t; r = x; s = z; t = y; assert(!(r == 1 && s == 0 && t == 1) || true); }\n\
                thread c { 0..2 r; x = 2; r = y; assume(r == 0); r = z; assume(r == 0); l: skip; }\n\
                final not exists (x == 2 && y == 1 && z == 1 && c.r == 0);\n";
    let at = |engine: &str, option: &str, k: &str| {
        check("bounds_see_more.fp", text, &["--engine", engine, option, k, "-q"]).code
    };
    assert_eq!(at("age", "--age", "0"), check("bounds_sc.fp", text, &["--model", "sc", "-q"]).code);
    assert_eq!(at("age", "--age", "3"), check("bounds_tso.fp", text, &["--engine", "explicit", "-q"]).code);
    assert_eq!(at("rounds", "--rounds", "4"), at("age", "--age", "3"));
}

#[test]
fn the_bench_reproduces_the_table() {
    let ran = fencepost("bench translate --format json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ours = ran.stdout.lines().map(json).filter(|row| row["tool"] == "ours").count();
    assert_eq!(ours, 16);
}

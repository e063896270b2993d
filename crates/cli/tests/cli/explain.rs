//! Violations in sentences, and the order in which runs are preferred.

use crate::{check, fencepost, json};

/// Text without line ends and indentation.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn explained(command: &str) -> String {
    let ran = fencepost(command);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    flat(&ran.stdout)
}

#[track_caller]
fn contains(text: &str, sentences: &[&str]) {
    for sentence in sentences {
        assert!(text.contains(sentence), "no `{sentence}` in {text}");
    }
}

#[test]
fn a_load_that_overtakes_a_store() {
    let text = explained("explain examples/sb.fp");
    contains(
        &text,
        &[
            "t1 stores x = 1 at line 8, but the store stays in its buffer.",
            "Meanwhile t1 loads y at line 9 and sees 0: the load overtakes the store to x.",
            "t2 loads x at line 14 and sees 0, because x = 1 still waits in the buffer of t1.",
            "t1 saw y = 0. t2 saw x = 0.",
            "then t2 loads x at line 14 and sees 1 instead of 0",
            "A full fence in t1 between the store to x at line 8 and the load of y at line 9 forbids this run.",
            "Proved: with a full fence in t1 after line 8 and a full fence in t2 after line 13 the program is safe",
            "Of all violating runs this one has the fewest delayed stores",
        ],
    );
}

#[test]
fn a_store_that_overtakes_a_store() {
    let text = explained("explain --model pso examples/mp.fp");
    contains(
        &text,
        &[
            "writer stores data = 42 at line 9, but the store stays in its buffer to the end.",
            "writer's later store ready = true at line 10 reaches memory first: it overtakes the store to data.",
            "reader loads data at line 15 and sees 0, because data = 42 still waits in the buffer of writer.",
            "then reader loads data at line 15 and sees 42 instead of 0",
            "A store-store fence in writer between the store to data at line 9 and the store to ready at line 10",
            "Proved: with a store-store fence in writer after line 9 the program is safe under PSO",
        ],
    );
}

#[test]
fn a_store_that_comes_too_late() {
    let text = explained("explain examples/peterson.fp");
    contains(
        &text,
        &[
            "peterson(0) stores turn = 1 at line 11, but the store stays in its buffer.",
            "Only now peterson(0)'s turn = 1 reaches memory, and writes over peterson(1)'s newer turn = 0 at line 11.",
            "peterson(1) loads turn at line 12 and sees 0 instead of 1, and waits there",
        ],
    );
}

#[test]
fn c_programmers_are_told_the_order() {
    let text = explained("explain examples/chaselev.c");
    contains(
        &text,
        &[
            "in take between the store to bottom at line 19 and the load of top at line 20",
            "so does memory_order_seq_cst for the store at line 19",
            "atomic_thread_fence(memory_order_seq_cst);",
        ],
    );
}

#[test]
fn a_run_under_sc_needs_no_buffer() {
    for model in ["sc", "tso", "pso"] {
        let text = explained(&format!("explain --model {model} examples/spinlock_broken.fp"));
        contains(&text, &["SC has this run, too.", "No fence does: the run has no delayed store."]);
        contains(&text, &["0 delayed stores, 2 switches between threads"]);
    }
}

#[test]
fn safe_programs_have_nothing_to_explain() {
    let ran = fencepost("explain examples/sb_fenced.fp");
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("there is no violation to explain"), "{}", ran.stdout);
}

/// Every engine's run is made as simple as it can be.
#[test]
fn all_engines_show_the_same_weakness() {
    for engine in ["explicit", "dual", "lazy", "bmc"] {
        let ran = fencepost(&format!("check --engine {engine} --format json examples/dekker.fp"));
        let line = json(&ran.stdout);
        let keys = ["delayed_stores", "context_switches", "least_weak"].map(|k| line[k].clone());
        assert_eq!(serde_json::json!(keys), serde_json::json!([1, 1, true]), "{engine}: {line}");
    }
}

/// Too many states to look at all of them.
#[test]
fn a_search_that_is_cut_off_says_so() {
    let threads: String = (0..7)
        .map(|i| format!("thread n{i} {{ u8 r = 0; while (r < 9) {{ r++; z{i} = r; u8 s = z{i}; }} }}\n"))
        .collect();
    let shared: String = (0..7).map(|i| format!("shared u8 z{i};\n")).collect();
    let text = format!(
        "shared bool x, y;\n{shared}thread a {{ bool r; x = true; r = y; if (!r) {{ l: skip; }} }}\n\
         thread b {{ bool r; y = true; r = x; if (!r) {{ m: skip; }} }}\n{threads}forbid a at l and b at m;\n"
    );
    let ran = check("cut_off.fp", &text, &["--format", "json"]);
    let line = json(&ran.stdout);
    assert_eq!((ran.code, &line["least_weak"]), (1, &false.into()), "{line}");
    assert_eq!(line["delayed_stores"], 1, "found all the same");
    let ran = check("cut_off.fp", &text, &[]);
    assert!(flat(&ran.stdout).contains("The search for a simpler run was cut off"), "{}", ran.stdout);
}

#[test]
fn cycles_are_told_in_words() {
    let ran = fencepost("robust examples/sb.fp");
    let text = flat(&ran.stdout);
    contains(
        &text,
        &[
            "t1's store x = 1 (line 8) comes before t1's load y: 0 (line 9) in the program.",
            "sees what memory held before",
            "So each happens before itself, which no SC run can do.",
        ],
    );
}

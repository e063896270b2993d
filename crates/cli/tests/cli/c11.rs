//! `check --model c11`: the model of the language itself.

use super::{fencepost, root, scratch};
use serde_json::Value;
use std::collections::BTreeSet;

/// Message passing with a plain payload, in which the flag is stored and read with these orders.
fn publication(store: &str, load: &str) -> String {
    format!(
        "shared 0..1 data, flag;\nthread writer {{ data = 1; flag@{store} = 1; }}\n\
         thread reader {{ 0..1 f, d;\nf = flag@{load};\nif (f == 1) {{ d = data; assert(d == 1); }} }}\n"
    )
}

fn check(name: &str, text: &str, options: &str) -> (i32, Value) {
    let file = scratch(&format!("c11/{name}"), text);
    let ran = fencepost(&format!("check --model c11 --format json {options} {}", file.display()));
    let line = ran.stdout.lines().next().unwrap_or_else(|| panic!("{name}: {}", ran.stderr));
    (ran.code, serde_json::from_str(line).unwrap())
}

#[test]
fn publication_needs_release_and_acquire() {
    for store in ["relaxed", "release", "seq_cst"] {
        for load in ["relaxed", "acquire", "seq_cst"] {
            let name = format!("{store}-{load}.fp");
            let (code, answer) = check(&name, &publication(store, load), "");
            assert_eq!(answer["model"], "c11");
            let ordered = store != "relaxed" && load != "relaxed";
            match ordered {
                true => assert_eq!(
                    (code, &answer["verdict"], &answer["scope"]),
                    (0, &"safe".into(), &"complete".into())
                ),
                false => {
                    assert_eq!((code, answer["verdict"].as_str()), (1, Some("unsafe")), "{name}");
                    assert!(answer["property"].as_str().unwrap().starts_with("data race at "), "{answer}");
                    assert!(answer["explanation"]["cure"][0].as_str().unwrap().contains("mutex"), "{answer}");
                }
            }
        }
    }
}

#[test]
fn a_violation_under_sc_is_one() {
    let text =
        "shared 0..1 x;\nthread a { x@release = 1; }\nthread b { 0..1 r;\nr = x@acquire; assert(r == 0); }\n";
    let (code, answer) = check("sc.fp", text, "");
    assert_eq!((code, answer["property"].as_str().unwrap().contains("assertion at ")), (1, true), "{answer}");
    let file = scratch("c11/sc.fp", text);
    let saved = file.with_extension("json");
    let ran = fencepost(&format!("check -q --model c11 --trace {} {}", saved.display(), file.display()));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let ran = fencepost(&format!("replay {} {}", file.display(), saved.display()));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_race_is_replayed() {
    let file = scratch("c11/replayed.fp", &publication("relaxed", "acquire"));
    let saved = file.with_extension("json");
    fencepost(&format!("check -q --model c11 --trace {} {}", saved.display(), file.display()));
    let ran = fencepost(&format!("replay {} {}", file.display(), saved.display()));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("under C11: data race at "), "{}", ran.stdout);
    // The same steps race no more in the program with a release store.
    let right = scratch("c11/replayed-right.fp", &publication("release", "acquire"));
    let ran = fencepost(&format!("replay {} {}", right.display(), saved.display()));
    assert_eq!(ran.code, 1, "{}", ran.stdout);
}

#[test]
fn models_in_any_case_and_all_of_them() {
    let file = scratch("c11/all.fp", &publication("release", "acquire"));
    let models = |given: &str| -> Vec<String> {
        let ran = fencepost(&format!("check --model {given} --format json {}", file.display()));
        let models =
            ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["model"].clone());
        models.map(|model| model.as_str().unwrap().to_string()).collect()
    };
    assert_eq!(models("all"), ["sc", "tso", "pso", "c11"]);
    assert_eq!(models("SC,tso"), ["sc", "tso"]);
    assert_eq!(models("C11,c11"), ["c11"]);
}

#[test]
fn files_without_orders_are_left_out_of_all() {
    let test = "X86_64 SB\n{ uint64_t x; uint64_t y; }\n P0          | P1          ;\n movq $1,(x) | movq $1,(y) ;\nforall (x=1)\n";
    let file = scratch("c11/x86.litmus", test);
    let ran = fencepost(&format!("check -q --model all {}", file.display()));
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 3), "{}", ran.stdout);
    assert!(ran.stderr.contains("is left out of C11"), "{}", ran.stderr);
    let ran = fencepost(&format!("check -q --model c11 {}", file.display()));
    assert_eq!(ran.code, 3, "{}", ran.stdout);
}

#[test]
fn load_buffering_is_named() {
    let text = "shared 0..1 x, y;\nthread a { 0..1 r; r = x@relaxed;\ny@relaxed = 1; }\n";
    let (code, answer) = check("lb.fp", text, "");
    assert_eq!((code, answer["verdict"].as_str()), (0, Some("safe")), "{answer}");
    assert!(answer["notes"][0].as_str().unwrap().contains("relaxed load"), "{answer}");
}

/// Whether `--races` finds a race in a C program, under each machine's model.
fn races(name: &str, text: &str) -> Vec<i32> {
    let file = scratch(&format!("c11/races/{name}.c"), text);
    let codes = ["sc", "tso", "pso"].map(|model| {
        let ran = fencepost(&format!("check -q --races --model {model} {}", file.display()));
        assert!([0, 1].contains(&ran.code), "{name}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code == 1, ran.stdout.contains("data race at"), "{name}: {}", ran.stdout);
        ran.code
    });
    codes.to_vec()
}

/// A plain payload that is handed over by `put` and `get`, which is true when it is there.
fn handed_over(put: &str, get: &str) -> String {
    format!(
        "#include <stdatomic.h>\n#include <pthread.h>\n#include <assert.h>\nint data; atomic_int flag, other;\n\
         void *writer(void *_) {{ data = 1; {put}; return 0; }}\n\
         void *reader(void *_) {{ if ({get}) assert(data == 1); return 0; }}\n\
         int main(void) {{ pthread_t w, r; pthread_create(&w, 0, writer, 0); pthread_create(&r, 0, reader, 0);\n\
         pthread_join(w, 0); pthread_join(r, 0); }}\n"
    )
}

#[test]
fn races_honour_orders() {
    let store = |order: &str| format!("atomic_store_explicit(&flag, 1, memory_order_{order})");
    let load = |order: &str| format!("atomic_load_explicit(&flag, memory_order_{order}) == 1");
    let update = |order: &str| format!("atomic_fetch_add_explicit(&flag, 1, memory_order_{order})");
    let fence = |order: &str| format!("atomic_thread_fence(memory_order_{order})");
    let cases = [
        ("relaxed", store("relaxed"), load("relaxed"), true),
        ("release", store("release"), load("acquire"), false),
        ("no-acquire", store("release"), load("relaxed"), true),
        ("no-release", store("relaxed"), load("acquire"), true),
        ("seq-cst", store("seq_cst"), load("seq_cst"), false),
        ("update", update("release"), load("acquire"), false),
        ("update-relaxed", update("acquire"), load("acquire"), true),
        ("update-reads", update("acq_rel"), format!("{} == 1", update("acquire")), false),
        ("update-reads-relaxed", update("acq_rel"), format!("{} == 1", update("release")), true),
        (
            "fences",
            format!("{}; {}", fence("release"), store("relaxed")),
            format!("{} && ({}, 1)", load("relaxed"), fence("acquire")),
            false,
        ),
        ("fence-late", format!("{}; {}", store("relaxed"), fence("release")), load("acquire"), true),
        ("fence-missing", format!("{}; {}", fence("release"), store("relaxed")), load("relaxed"), true),
        ("fence-store", format!("{}; {}", fence("release"), store("relaxed")), load("acquire"), false),
    ];
    for (name, put, get, expected) in cases {
        assert_eq!(races(name, &handed_over(&put, &get)), [i32::from(expected); 3], "{name}");
    }
    // Two relaxed accesses do not race.
    let counter = handed_over(
        "atomic_fetch_add_explicit(&other, 1, memory_order_relaxed)",
        "atomic_load_explicit(&other, memory_order_relaxed) == 7",
    );
    assert_eq!(races("counter", &counter), [0; 3]);
}

#[test]
fn a_race_beside_relaxed_accesses_is_replayed() {
    let text = handed_over("atomic_store_explicit(&flag, 1, memory_order_relaxed)", "atomic_load(&flag)");
    let file = scratch("c11/races/replayed.c", &text);
    let saved = file.with_extension("json");
    let ran =
        fencepost(&format!("check -q --races --model tso --trace {} {}", saved.display(), file.display()));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let ran = fencepost(&format!("replay {} {}", file.display(), saved.display()));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn assembly_has_no_meaning_in_c11() {
    let text = "#include <pthread.h>\n#include <assert.h>\nint x;\n\
        void *a(void *_) { __asm__ volatile(\"movl $1, %0\" : \"=m\"(x)); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); assert(x == 1); }\n";
    let (code, answer) = check("assembly.c", text, "");
    assert_eq!((code, answer["verdict"].as_str()), (3, Some("unknown")), "{answer}");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("assembly") && reason.contains(":4"), "{reason}");
}

/// A reader that takes its values only if the writer was not there meanwhile.
const SEQLOCK: &str = "shared 0..2 seq; shared 0..1 a, b;\n\
    thread writer { seq@relaxed = 1; fence release; a@relaxed = 1; b@relaxed = 1; seq@release = 2; }\n\
    thread reader { 0..2 before, after; 0..1 x, y;\n\
    before = seq@acquire; x = a@relaxed; y = b@relaxed; fence acquire; after = seq@relaxed;\n\
    if (before == after && before != 1) { assert(x == y); } }\n";

#[test]
fn a_seqlock_reads_old_values_and_is_right() {
    let (code, answer) = check("seqlock.fp", SEQLOCK, "");
    assert_eq!((code, answer["verdict"].as_str()), (0, Some("safe")), "{answer}");
    for fence in ["fence release;", "fence acquire;"] {
        let (code, answer) = check("torn.fp", &SEQLOCK.replace(fence, ""), "");
        assert_eq!((code, answer["verdict"].as_str()), (1, Some("unsafe")), "without {fence}: {answer}");
        let trace = answer["trace"].as_array().unwrap();
        assert!(trace.iter().any(|step| step.get("older").is_some()), "{answer}");
        // What was confirmed replays from its file, too.
        let file = scratch("c11/torn.fp", &SEQLOCK.replace(fence, ""));
        let saved = scratch("c11/torn.json", &answer.to_string());
        let ran = fencepost(&format!("replay {} {}", file.display(), saved.display()));
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn examples_have_the_verdicts_of_their_manifest() {
    let folder = root().join("examples/c11");
    let manifest = std::fs::read_to_string(folder.join("verdicts.txt")).unwrap();
    let mut listed = BTreeSet::from(["verdicts.txt".to_string()]);
    for line in manifest.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [file, verdicts @ ..] = &words[..] else { panic!("a short line: {line}") };
        listed.insert(file.to_string());
        let ran = fencepost(&format!("check --model all --format json examples/c11/{file}"));
        let found = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let found: Vec<String> =
            found.map(|answer| answer["verdict"].as_str().unwrap().to_string()).collect();
        assert_eq!(found, verdicts, "{file}");
    }
    let present = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    assert_eq!(listed, present.collect::<BTreeSet<_>>());
}

//! `fencepost fences` from outside: counts of the examples, repaired texts in every language, prices, audit,
//! what has no repair, limits, wrong use.

use crate::{Ran, check, fencepost, fencepost_args, json, root, scratch};
use fencepost_samples::effort::every;
use serde_json::Value;

/// Runs `fences` on a program text.
fn fences(name: &str, text: &str, args: &[&str]) -> Ran {
    let path = scratch(name, text);
    fencepost_args(&[&["fences", path.to_str().unwrap()], args].concat())
}

fn object(ran: &Ran) -> Value {
    json(ran.stdout.lines().next().unwrap_or_else(|| panic!("no output: {}", ran.stderr)))
}

/// Number of fences, and threads that run them together.
fn counts(object: &Value) -> (usize, u64) {
    let fences = object["fences"].as_array().unwrap();
    (fences.len(), fences.iter().map(|f| f["instances"].as_u64().unwrap_or(0)).sum())
}

const SB: &str = "shared int x, y;\nthread a {\n    x = 1;\n    int r = y;\n}\nthread b {\n    y = 1;\n    int r = x;\n}\nfinal not exists (a.r == 0 && b.r == 0);\n";

/// File, options, fences under TSO and PSO, and for robustness fences and instances.
fn manifest() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join("examples/fences.txt")).unwrap();
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(|l| l.split_whitespace().map(str::to_string).collect()).collect()
}

/// What is found is what the manifest says, and never more than the fenced version of the example has.
#[test]
fn examples_need_the_fences_of_the_manifest() {
    for line in manifest().into_iter().step_by(every(1)) {
        let [file, tso, pso, robust, options @ ..] = &line[..] else { panic!("a short line: {line:?}") };
        let path = format!("examples/{file}");
        let asked = [(tso, "safe", "tso"), (pso, "safe", "pso"), (robust, "robust", "tso")];
        for (expected, goal, model) in asked.into_iter().filter(|(e, ..)| *e != "-") {
            let mut args = vec!["fences", &path, "--format", "json", "--goal", goal, "--model", model];
            args.extend(options.iter().map(String::as_str));
            let ran = fencepost_args(&args);
            let object = object(&ran);
            if expected == "none" {
                assert_eq!((ran.code, object["verdict"].as_str()), (1, Some("not_repairable")), "{args:?}");
                assert_eq!(object["trace_model"], "sc", "{args:?}");
                continue;
            }
            assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(object["minimal"], true, "{args:?}");
            assert_eq!(object["verdict_with_fences"], goal, "{args:?}");
            let (fences, instances) = counts(&object);
            assert_eq!(format!("{fences}/{instances}"), **expected, "{args:?}: {}", object["fences"]);
            let without = object["without"].as_array().map_or(0, Vec::len);
            assert_eq!(without, fences, "each is shown to be needed: {args:?}");
        }
    }
}

/// An example with fences, without them: no more are needed than it had.
#[test]
fn no_more_fences_than_the_examples_have() {
    for file in
        ["peterson", "dekker", "dijkstra", "szymanski", "cilk", "parker", "rwc", "w_rwc", "mp", "sb", "isa2"]
    {
        let text = std::fs::read_to_string(root().join(format!("examples/{file}_fenced.fp"))).unwrap();
        let is_fence = |l: &&str| l.trim_start().starts_with("fence");
        let had = text.lines().filter(is_fence).count();
        let without: String = text.lines().filter(|l| !is_fence(l)).map(|l| format!("{l}\n")).collect();
        for model in ["tso", "pso"] {
            let ran =
                fences(&format!("stripped_{file}.fp"), &without, &["--model", model, "--format", "json"]);
            let (found, _) = counts(&object(&ran));
            assert!(ran.code == 0 && found <= had, "{file} {model}: {found} of {had}\n{}", ran.stderr);
        }
    }
}

/// The numbers that the literature gives for robustness, threads and places counted.
#[test]
fn published_numbers_for_robustness() {
    let models = "crates/cli/tests/fences";
    let cilk = std::fs::read_to_string(root().join("examples/cilk.fp")).unwrap();
    // Two thieves, as in the model whose number is published.
    let cilk = scratch("cilk_two_thieves.fp", &cilk.replace("thread thief {", "thread thief[2] {"));
    for (file, expected) in [
        (format!("{models}/peterson.txt"), 2),
        (format!("{models}/dekker.txt"), 4),
        (format!("{models}/lamport3.txt"), 6),
        (format!("{models}/nbw_w_wr.txt"), 1),
        (cilk.to_str().unwrap().to_string(), 3),
        ("examples/clh.fp".to_string(), 0),
        ("examples/mcs.fp".to_string(), 0),
        ("examples/stack.fp".to_string(), 0),
    ] {
        let ran = fencepost_args(&["fences", &file, "--goal", "robust", "--format", "json"]);
        let object = object(&ran);
        assert_eq!((counts(&object).1, ran.code), (expected, 0), "{file}: {}", ran.stdout);
    }
}

/// Applies, checks the written file, and checks it without any one fence.
fn round_trip(name: &str, text: &str, args: &[&str], fence: &str) {
    let stem = name.split('.').next().unwrap();
    let extension = name.split('.').next_back().unwrap();
    let written = scratch(name, text).with_file_name(format!("{stem}_fenced.{extension}"));
    let _ = std::fs::remove_file(&written);
    let ran = fences(name, text, &[&["--apply"], args].concat());
    assert_eq!(ran.code, 0, "{name}: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("@@ -") && ran.stdout.contains("written:"), "{}", ran.stdout);
    let repaired = std::fs::read_to_string(&written).unwrap();
    let ran = check(&format!("applied_{name}"), &repaired, args);
    assert_eq!(ran.code, 0, "{name}: {}{}\n{repaired}", ran.stdout, ran.stderr);
    let lines: Vec<_> = repaired.lines().collect();
    let added: Vec<_> = (0..lines.len()).filter(|&i| lines[i].contains(fence)).collect();
    assert!(!added.is_empty(), "{repaired}");
    // All else is as it was.
    if extension != "txt" {
        let rest: Vec<_> =
            lines.iter().filter(|l| !l.contains(fence) && !l.contains("stdatomic.h")).collect();
        let old: Vec<_> = text.lines().filter(|l| !l.contains("stdatomic.h")).collect();
        assert_eq!(rest.into_iter().copied().collect::<Vec<_>>(), old, "{name}");
        for i in added {
            let without = [&lines[..i], &lines[i + 1..]].concat().join("\n") + "\n";
            let ran = check(&format!("without_{i}_{name}"), &without, args);
            assert_eq!(ran.code, 1, "{name} without line {}: {}{}", i + 1, ran.stdout, ran.stderr);
        }
    }
}

const SB_C: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y, r, s;\n\nstatic void *a(void *unused)\n{\n\tx = 1;\n\n\t/* now look */\n\tr = y;\n\treturn 0;\n}\n\nstatic void *b(void *unused)\n{\n\ty = 1;\n\ts = x;\n\treturn 0;\n}\n\nint main(void)\n{\n\tpthread_t t, u;\n\tpthread_create(&t, 0, a, 0);\n\tpthread_create(&u, 0, b, 0);\n\tpthread_join(t, 0);\n\tpthread_join(u, 0);\n\tassert(r || s);\n\treturn 0;\n}\n";

const SB_RMM: &str = "forbidden\n  CS CS\ndata\n  x = 0 : [0:1]\n  y = 0 : [0:1]\nprocess\nregisters\n  $r = 0 : [0:1]\ntext\n  write: x := 1;\n  read: $r := y;\n  if $r = 0 then CS: nop\nprocess\nregisters\n  $r = 0 : [0:1]\ntext\n  write: y := 1;\n  read: $r := x;\n  if $r = 0 then CS: nop\n";

const SB_TXT: &str = "thread a\ninitial q0\nfinal q3\ntransition q0 q1 write 1 0\ntransition q1 q2 read r 1\ntransition q2 q3 check == r 0\nend\nthread b\ninitial q0\nfinal q3\ntransition q0 q1 write 1 1\ntransition q1 q2 read r 0\ntransition q2 q3 check == r 0\nend\n";

const SB_LITMUS: &str = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";

#[test]
fn repaired_texts_in_every_language() {
    round_trip("apply_sb.fp", SB, &[], "fence;");
    round_trip("apply_sb.c", SB_C, &[], "atomic_thread_fence");
    round_trip("apply_sb.rmm", SB_RMM, &[], "fence;");
    round_trip("apply_sb.txt", SB_TXT, &[], "mfence");
    round_trip("apply_sb.litmus", SB_LITMUS, &[], "MFENCE");
    let mp = SB_C
        .replace("x = 1;\n\n\t/* now look */\n\tr = y;", "x = 1;\n\ty = 1;")
        .replace("y = 1;\n\ts = x;", "r = y;\n\ts = x;");
    let mp = mp.replace("assert(r || s)", "assert(!r || s)");
    round_trip("apply_mp.c", &mp, &["--model", "pso"], "atomic_thread_fence(memory_order_release)");
}

#[test]
fn nothing_is_overwritten_by_accident() {
    let path = scratch("keep.fp", SB);
    let there = scratch("keep_fenced.fp", "mine");
    let ran = fencepost_args(&["fences", path.to_str().unwrap(), "--apply"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is there already"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "mine");
    let ran = fencepost_args(&["fences", path.to_str().unwrap(), "--apply", "-o", there.to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    assert!(std::fs::read_to_string(&there).unwrap().contains("fence;"));
}

#[test]
fn prices_decide_between_kinds() {
    let text = "shared int x, y, z;\nthread a {\n    x = 1;\n    y = 1;\n    z = 1;\n}\nthread b {\n    int r = z, s = y, t = x;\n    assert(r == 0 || s == 1 && t == 1);\n    assert(s == 0 || t == 1);\n}\n";
    let kinds = |price: &str| {
        let ran = fences("prices.fp", text, &["--model", "pso", "--format", "json", "--price", price]);
        let object = object(&ran);
        let fences = object["fences"].as_array().unwrap().clone();
        (
            fences.iter().map(|f| f["kind"].as_str().unwrap().to_string()).collect::<Vec<_>>(),
            object["cost"].clone(),
        )
    };
    assert_eq!(kinds("full=4,store-store=1"), (vec!["store-store".to_string(); 2], 2.into()));
    assert_eq!(kinds("full=1,store-store=3"), (vec!["full".to_string(); 2], 2.into()));
    assert_eq!(kinds("store-store=5,full=9").1, 10);
    let ran = fences("prices.fp", text, &["--price", "cheap=1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("full=N"), "{}", ran.stderr);
}

#[test]
fn all_cheapest_sets() {
    let text = "shared int x, y, z;\nthread a {\n    x = 1;\n    z = 1;\n    int r = y;\n}\nthread b {\n    y = 1;\n    fence;\n    int r = x;\n}\nfinal not exists (a.r == 0 && b.r == 0);\n";
    let ran = fences("all.fp", text, &["--all", "--format", "json"]);
    let object = object(&ran);
    let placed: Vec<_> =
        object["sets"].as_array().unwrap().iter().map(|s| s[0]["line"].as_u64().unwrap()).collect();
    assert_eq!((placed, object["more_sets"].clone()), (vec![3, 4], false.into()), "{}", ran.stdout);
}

#[test]
fn audits_each_fence() {
    let text = SB
        .replace("x = 1;\n", "x = 1;\n    fence;\n")
        .replace("y = 1;\n", "y = 1;\n    fence;\n    fence;\n");
    let ran = fences("audit.fp", &text, &["--audit", "--format", "json"]);
    let object = object(&ran);
    let needed: Vec<_> =
        object["fences"].as_array().unwrap().iter().map(|f| f["needed"].as_bool().unwrap()).collect();
    assert_eq!((needed, ran.code), (vec![true, false, false], 0), "{}", ran.stdout);
    assert_eq!(object["unneeded_together"], false, "either of the two is needed");
    assert!(!object["fences"][0]["without"]["trace"].as_array().unwrap().is_empty());
    let robust = fences("audit.fp", &text, &["--audit", "--goal", "robust"]);
    assert!(robust.stdout.contains("audited: 1 of 3 fences"), "{}", robust.stdout);
    let broken = fences("audit_unsafe.fp", SB, &["--audit"]);
    assert_eq!(broken.code, 1, "{}", broken.stdout);
    let c = SB_C
        .replace("int x, y,", "#include <stdatomic.h>\natomic_int x, y; int")
        .replace(";\nint r", "; int r");
    let ran = fences("audit.c", &c, &["--audit", "--format", "json"]);
    let fences = crate::json(&ran.stdout)["fences"].as_array().unwrap().clone();
    let with_store = fences.iter().filter(|f| f["with_store"] == true && f["needed"] == true).count();
    assert_eq!(with_store, 2, "sequentially consistent stores are counted: {}", ran.stdout);
}

#[test]
fn no_repair_by_fences() {
    let racy = "shared int x;\nthread a { x = 1; }\nthread b { int r = x; assert(r == 0); }\n";
    let ran = fences("racy.fp", racy, &[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("under SC already") && ran.stdout.contains("assertion fails"),
        "{}",
        ran.stdout
    );
    // Store and load in one expression: no place between them.
    let text = SB_C.replace("x = 1;\n\n\t/* now look */\n\tr = y;", "r = (x = 1, y);");
    let ran = fences("one_expression.c", &text, &["--format", "json"]);
    let object = object(&ran);
    assert_eq!((ran.code, object["verdict"].as_str()), (1, Some("not_repairable")), "{}", ran.stdout);
    assert_eq!(object["trace_model"], "tso");
}

#[test]
fn any_number_of_threads() {
    let ran = fencepost("fences examples/sb_template.fp --format json");
    let found = object(&ran);
    assert_eq!((ran.code, &found["any_threads"], &found["engine"]), (0, &true.into(), &"dual".into()));
    assert_eq!(found["fences"].as_array().unwrap().len(), 2);
    assert!(found["fences"][0]["instances"].is_null());
    let ran = fencepost("fences examples/sb_template.fp --goal robust");
    assert_eq!(ran.code, 3, "the oracle needs a number: {}", ran.stdout);
    let ran = fencepost("fences examples/sb_template.fp --goal robust --threads 2 -q");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn limits_and_wrong_use() {
    let slow = "shared int x, y, z;\nthread a[4] {\n    x = 1;\n    z = any(0..9);\n    int r = y;\n    z = any(0..9);\n}\nthread b[4] {\n    y = 1;\n    z = any(0..9);\n    int r = x;\n    assert(r == 1 || x == 0 || y == 1);\n    z = any(0..9);\n}\nfinal forall (x == 1);\n";
    let ran = fences("slow.fp", slow, &["--timeout", "0.5", "--format", "json"]);
    assert_eq!((ran.code, object(&ran)["verdict"].as_str()), (3, Some("unknown")), "{}", ran.stdout);
    let ran = fences("slow.fp", slow, &["--timeout", "0.5", "-q", "--allow-unknown"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    for (args, message) in [
        ("--model sc", "under SC fences do nothing"),
        ("--goal robust --model pso", "robustness is against TSO"),
        ("--apply --model tso --model pso", "--apply needs one model"),
        ("--apply --audit", "cannot be used with"),
    ] {
        let ran = fences("wrong.fp", SB, &args.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 2, "{args}: {}", ran.stdout);
        assert!(ran.stderr.contains(message), "{args}: {}", ran.stderr);
    }
    let ran = fences("no_property.fp", "shared int x;\nthread a { x = 1; }\n", &[]);
    assert!(ran.code == 2 && ran.stderr.contains("nothing to check"), "{}", ran.stderr);
    let ran = fences("no_property.fp", "shared int x;\nthread a { x = 1; }\n", &["--goal", "robust"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A fence of the user's own is not a place for one, in whatever state it begins and ends.
#[test]
fn programs_that_are_robust_by_their_own_fences_need_none() {
    let thread = |name: &str, mine: u32, other: u32, middle: &str| {
        format!(
            "thread {name}\ninitial q0\nfinal q3\ntransition q0 q1 write 1 {mine}\n{middle}transition q2 q3 read r {other}\nend\n"
        )
    };
    for middle in [
        "transition q1 q2 mfence\n",
        "transition q1 q2 mfence\ntransition q1 q2 mfence\n",
        "transition q1 q4 noop\ntransition q4 q2 mfence\ntransition q2 q0 noop\n",
        "transition q1 q4 mfence\ntransition q4 q2 mfence\n",
    ] {
        let text = thread("t1", 0, 1, middle) + &thread("t2", 1, 0, middle);
        let path = scratch("fences_own.txt", &text);
        let path = path.to_str().unwrap();
        for goal in ["robust", "safe"] {
            let ran = fencepost_args(&["fences", "--format", "json", "--goal", goal, path]);
            let answer = json(&ran.stdout);
            assert_ne!(ran.code, 101, "{}\n{text}", ran.stderr);
            assert!(goal == "safe" || answer["fences"] == serde_json::json!([]), "{answer}\n{text}");
        }
        let without = text.replace("mfence", "noop");
        let path = scratch("fences_none.txt", &without);
        let ran = fencepost_args(&["fences", "--format", "json", "--goal", "robust", path.to_str().unwrap()]);
        assert_eq!(
            json(&ran.stdout)["fences"].as_array().map(Vec::len),
            Some(2),
            "{}\n{without}",
            ran.stdout
        );
    }
}

/// Store buffering with these words before it.
fn buffering(words: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n{words}\nint x, y, a, b;\n\
         void *t(void *p) {{\n    x = 1;\n    a = y;\n    return p;\n}}\n\
         void *u(void *p) {{\n    y = 1;\n    b = x;\n    return p;\n}}\n\
         int main(void) {{\n    pthread_t p, q;\n    pthread_create(&p, 0, t, 0);\n    pthread_create(&q, 0, u, 0);\n\
         \x20   pthread_join(p, 0);\n    pthread_join(q, 0);\n    assert(a || b);\n    return 0;\n}}\n"
    )
}

#[test]
fn fences_are_in_the_words_of_the_program() {
    let full = "static inline void smp_mb(void) { __asm__ __volatile__(\"mfence\" ::: \"memory\"); }";
    let locked = "#define rte_smp_mb() __asm__ __volatile__(\"lock addl $0, -128(%%rsp); \" ::: \"memory\")";
    let weak = "#define smp_mb() __asm__ __volatile__(\"\" ::: \"memory\")";
    let own = "static void my_barrier(void) { __sync_synchronize(); }";
    for (words, args, fence) in [
        (full, &[][..], "+    smp_mb();"),
        (locked, &[], "+    rte_smp_mb();"),
        // A name says nothing.
        (weak, &[], "+    atomic_thread_fence(memory_order_seq_cst);"),
        (own, &["--fence", "my_barrier"], "+    my_barrier();"),
        (own, &[], "+    atomic_thread_fence(memory_order_seq_cst);"),
    ] {
        let path = crate::scratch("words.c", &buffering(words));
        let ran = crate::fencepost_args(&[&["fences", path.to_str().unwrap()], args].concat());
        assert_eq!(ran.code, 0, "{words}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout.matches(fence).count(), 2, "{words}: {}", ran.stdout);
        let includes = ran.stdout.contains("+#include <stdatomic.h>");
        assert_eq!(includes, fence.contains("atomic_thread_fence"), "{words}: {}", ran.stdout);
    }
    let path = crate::scratch("words.c", &buffering(weak));
    let ran = crate::fencepost_args(&["fences", path.to_str().unwrap(), "--fence", "smp_mb"]);
    assert!(ran.code == 2 && ran.stderr.contains("is not such a fence here"), "{}", ran.stderr);
}

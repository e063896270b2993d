//! Robustness against C11 of programs with loops, mutexes, spawned threads and allocated memory. Small programs without loops are compared
//! with the axioms, point by point, in `src/c11/points.rs`.

use fencepost_ir::tree;
use fencepost_passes::pipeline;
use fencepost_robust::c11::{Found, ReleaseSequences, What, robustness};
use fencepost_task::Budget;

fn found(tree: tree::Program) -> Found {
    let program = pipeline::for_language(tree, pipeline::Options::default());
    robustness(&program, ReleaseSequences::Cxx20, &Budget::default()).found
}

fn fp(text: &str) -> Found {
    found(
        fencepost_models::fp::read("p.fp", text).unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)),
    )
}

fn c(text: &str) -> Found {
    let tree = fencepost_c::read(&[("p.i", text)], &fencepost_c::Options::default());
    found(tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)))
}

/// What was found, in a word.
fn word(found: &Found) -> &'static str {
    match found {
        Found::Robust => "robust",
        Found::Departure(_) => "departs",
        Found::Race(_) => "race",
        Found::Unknown(_) => "unknown",
    }
}

/// Peterson's lock around a plain access, for ever; `store` and `load` are orders, `fence` comes before the loads.
fn peterson(store: &str, load: &str, fence: &str) -> String {
    let thread = |i: usize| {
        let other = 1 - i;
        format!(
            "thread t{i} {{ 0..1 f; 0..1 t; while (true) {{\n\
             flag{i}@{store} = 1;\nturn@{store} = {other};\n{fence}\n\
             do {{ f = flag{other}@{load}; if (f == 1) t = turn@{load}; }} while (f == 1 && t == {other});\n\
             critical = {i};\nflag{i}@{store} = 0;\n}} }}\n"
        )
    };
    format!("shared 0..1 flag0, flag1, turn, critical;\n{}{}", thread(0), thread(1))
}

#[test]
fn peterson_needs_seq_cst() {
    assert_eq!(word(&fp(&peterson("seq_cst", "seq_cst", ""))), "robust");
    assert_eq!(word(&fp(&peterson("release", "acquire", ""))), "departs");
    assert_eq!(word(&fp(&peterson("relaxed", "relaxed", "fence;"))), "departs");
}

#[test]
fn locks_by_compare_exchange() {
    let lock = |acquire: &str, release: &str| {
        format!(
            "shared 0..1 held, data;\nprocess p() {{ while (true) {{\n\
             while (!cas(held@{acquire}@relaxed, 0, 1)) {{ }}\ndata = 1 - data;\nheld@{release} = 0;\n}} }}\n\
             start p[2]();\n"
        )
    };
    assert_eq!(word(&fp(&lock("acquire", "release"))), "robust");
    assert_eq!(word(&fp(&lock("seq_cst", "seq_cst"))), "robust");
    assert_eq!(word(&fp(&lock("acquire", "relaxed"))), "race");
    assert_eq!(word(&fp(&lock("relaxed", "release"))), "race");
}

#[test]
fn mutexes_and_spawned_threads_order_plain_accesses() {
    let counter = |lock: &str, unlock: &str| {
        format!(
            "shared 0..2 n; mutex m;\nprocess worker() {{ {lock} n = (n + 1) % 3; {unlock} }}\n\
             thread main {{ thread_id a = spawn worker(); thread_id b = spawn worker(); join(a); join(b); n = 0; }}\n"
        )
    };
    assert_eq!(word(&fp(&counter("lock(m);", "unlock(m);"))), "robust");
    let Found::Race(race) = fp(&counter("", "")) else { panic!("nothing orders the two") };
    assert_eq!((race.spans.0.line, race.spans.1.line), (2, 2));
}

#[test]
fn a_departure_says_where() {
    let text = "shared 0..1 x, y;\nthread a { x@relaxed = 1;\ny@relaxed = 1; }\n\
        thread b { 0..1 r; r = y@relaxed;\nr = x@relaxed; }\n";
    let tree = fencepost_models::fp::read("p.fp", text).unwrap();
    let program = pipeline::for_language(tree, pipeline::Options::default());
    let answer = robustness(&program, ReleaseSequences::Cxx20, &Budget::default());
    let Found::Departure(departure) = answer.found else { panic!("{:?}", answer.found) };
    assert_eq!((departure.what, departure.value), (What::Read, 0));
    let place = departure.place;
    assert_eq!(program.procedure(place.procedure).edge(place.edge).span.line, 5);
    assert_eq!(departure.thread, 1);
    // Both stores and the load of the flag.
    assert!(departure.run.steps.iter().filter(|s| s.thread == 0).count() >= 2, "{:?}", departure.run);
}

/// A node is published, and its reader looks into it. Orders are numbers, as the compiler has them: 0 relaxed, 2 acquire, 3 release.
fn publication(store: &str, load: &str) -> String {
    format!(
        "typedef unsigned long pthread_t;\nint pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         void *malloc(unsigned long);\nstruct node {{ int value; }};\nstruct node *_Atomic head;\n\
         void *reader(void *arg) {{\n  struct node *n = __atomic_load_n(&head, {load});\n  if (n) {{ int v = n->value; }}\n  return 0;\n}}\n\
         int main(void) {{\n  pthread_t t;\n  pthread_create(&t, 0, reader, 0);\n  struct node *n = malloc(sizeof *n);\n\
         n->value = 7;\n  __atomic_store_n(&head, n, {store});\n  return 0;\n}}\n"
    )
}

#[test]
fn allocated_memory_is_others_when_it_is_published() {
    assert_eq!(word(&c(&publication("3", "2"))), "robust");
    assert_eq!(word(&c(&publication("0", "2"))), "race");
    assert_eq!(word(&c(&publication("3", "0"))), "race");
}

#[test]
fn what_is_not_for_it_is_unknown_with_the_reason() {
    let reason = |text: &str| match fp(text) {
        Found::Unknown(reason) => reason.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        reason("shared int x;\nthread a {\natomic { x = 1; }\n}"),
        "robustness against C11 does not take atomic sections, as at p.fp:3"
    );
    assert_eq!(
        reason("shared int x;\nthread a {\nfence store_store;\n}"),
        "robustness against C11 does not take store-store fences, which C11 has not, as at p.fp:3"
    );
    assert!(reason("process p() { }\nstart p[*]();").contains("--threads N"));
}

#[test]
fn limits_end_in_unknown() {
    let budget = Budget::default().within(1);
    let text = peterson("seq_cst", "seq_cst", "");
    let program = pipeline::for_language(
        fencepost_models::fp::read("p.fp", &text).unwrap(),
        pipeline::Options::default(),
    );
    let answer = robustness(&program, ReleaseSequences::Cxx20, &budget);
    assert!(matches!(answer.found, Found::Unknown(_)), "{:?}", answer.found);
}

//! Robustness against C11 of programs with loops, mutexes, spawned threads and allocated memory. Small programs without loops are compared
//! with the axioms, point by point, in `src/c11/points.rs`.

use fencepost_certify::{Because, BeyondSc, Departed, Raced, Rejection, confirm_departure, confirm_race};
use fencepost_ir::cfg::Program;
use fencepost_ir::tree;
use fencepost_passes::pipeline;
use fencepost_robust::c11::{Departure, Found, Race, ReleaseSequences, What, load_buffering, robustness};
use fencepost_task::Budget;

/// Searches a program; what is found has to be confirmed.
fn found(tree: tree::Program) -> Found {
    let program = pipeline::for_language(tree, pipeline::Options::default());
    let found = robustness(&program, ReleaseSequences::Cxx20, &Budget::default()).found;
    match &found {
        Found::Robust | Found::Unknown(_) => {}
        Found::Departure(departure) => {
            confirmed(&program, departure).unwrap_or_else(|rejection| panic!("{rejection}"));
        }
        Found::Race(race) => {
            raced(&program, race).unwrap_or_else(|rejection| panic!("{rejection}"));
        }
    }
    found
}

fn confirmed(program: &Program, d: &Departure) -> Result<Departed, Rejection> {
    let claim = BeyondSc { thread: d.thread, edge: d.place.edge, what: d.what, value: d.value };
    let run = (&d.run.init[..], &d.run.steps[..]);
    confirm_departure(program, run, claim, ReleaseSequences::Cxx20, &Budget::default()).unwrap()
}

fn raced(program: &Program, race: &Race) -> Result<Raced, Rejection> {
    let run = (&race.run.init[..], &race.run.steps[..]);
    confirm_race(program, run, ReleaseSequences::Cxx20, &Budget::default()).unwrap()
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

/// Peterson's lock around a plain access, forever; `store` and `load` are orders, `fence` comes before the loads.
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

    let shown = confirmed(&program, &departure).unwrap_or_else(|rejection| panic!("{rejection}"));
    assert_eq!((shown.access.line, shown.older), (5, None));
    // The store of x, that of y, and the load of y: only that it is read from does not count.
    let lines: Vec<u32> =
        shown.path.iter().map(|link| shown.replay.steps[link.step].event.span.line).collect();
    assert_eq!(lines, [2, 3, 4]);
    let links: Vec<(Because, bool)> = shown.path.iter().map(|link| (link.because, link.ordered)).collect();
    let (po, rf) = (Because::ProgramOrder, Because::ReadsFrom);
    assert_eq!(links, [(po, true), (rf, false), (po, true)]);

    // What is not so is rejected.
    let other = |change: fn(&mut Departure)| {
        let mut departure = departure.clone();
        change(&mut departure);
        confirmed(&program, &departure).err().expect("rejected").reason
    };
    assert_eq!(other(|d| d.value = 1), "the axioms do not have the step");
    assert_eq!(other(|d| d.what = What::Write), "the axioms do not have the step");
    assert_eq!(other(|d| d.thread = 0), "the thread is not at that access");
    let last = departure.run.steps.len() - 1;
    let mut cut = departure.clone();
    cut.run.steps.truncate(last);
    assert!(confirmed(&program, &cut).is_err(), "the load of y is needed");
    let race = Race { spans: Default::default(), run: departure.run.clone() };
    assert_eq!(raced(&program, &race).err().expect("rejected").reason, "nothing races");
}

#[test]
fn loads_that_machines_do_later() {
    let asked = |text: &str| {
        let tree = fencepost_models::fp::read("p.fp", text).unwrap();
        let pair = load_buffering(&pipeline::for_language(tree, pipeline::Options::default()));
        pair.map(|(load, store)| (load.line, store.line))
    };
    let thread = |body: &str| format!("shared 0..1 x, y, z;\nthread a {{ 0..1 r;\n{body}\n}}\n");
    assert_eq!(asked(&thread("r = x@relaxed;\ny@relaxed = 1;")), Some((3, 4)));
    assert_eq!(asked(&thread("r = x@relaxed;\nr = z@acquire;\ny@relaxed = 1;")), Some((3, 5)));
    assert_eq!(asked(&thread("while (true) { y@relaxed = 1;\nr = x@relaxed; }")), Some((4, 3)));
    assert_eq!(asked(&thread("r = exchange(x@release, 1);\ny@relaxed = 1;")), Some((3, 4)));
    for ordered in [
        "r = x@acquire;\ny@relaxed = 1;",
        "r = x@relaxed;\ny@release = 1;",
        "r = x@relaxed;\nfence acquire;\ny@relaxed = 1;",
        "r = x@relaxed;\nfence release;\ny@relaxed = 1;",
        "y@relaxed = 1;\nr = x@relaxed;",
        "r = x@relaxed;\nx@relaxed = 1;",
        "while (!cas(x@acquire@relaxed, 0, 1)) { }",
    ] {
        assert_eq!(asked(&thread(ordered)), None, "{ordered}");
    }
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
        "the search of C11 does not take atomic sections, as at p.fp:3"
    );
    assert_eq!(
        reason("shared int x;\nthread a {\nfence store_store;\n}"),
        "the search of C11 does not take store-store fences, which C11 has not, as at p.fp:3"
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

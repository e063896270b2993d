//! Programs that access one word in several sizes: verdicts against explicit search, and runs against the reference
//! semantics.

use fencepost_bmc::{Abstraction, Bmc};
use fencepost_c::{Options, read};
use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::{Loc, Program};
use fencepost_memory::{Machine, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::mixed_sizes::MixedSizes;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::collections::BTreeSet;

/// Programs, unless `FENCEPOST_SEEDS` says how many.
const SEEDS: u64 = 100;

fn program(text: &str) -> Program {
    let tree = read(&[("wide.i", text)], &Options::default());
    pipeline::lower(tree.unwrap_or_else(|(_, d)| panic!("{}\n{text}", d[0].message)))
}

/// Whether an engine finds a violation, which must replay.
fn finds(engine: &dyn Engine, program: &Program, model: Model) -> Result<bool, String> {
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    match engine.check(&task, &mut |_| {}).verdict {
        Verdict::Safe { .. } => Ok(false),
        Verdict::Unsafe { trace } => match replay(program, &trace) {
            Ok(_) => Ok(true),
            Err(rejection) => Err(format!("does not replay: {rejection}")),
        },
        Verdict::Unknown { reason, .. } => Err(reason.to_string()),
    }
}

/// Enough for two threads of up to four accesses.
fn stamped() -> Bmc {
    Bmc { unwind: Some(1), rounds: Some(6), clock: Some(6), ..Bmc::default() }
}

/// What `out0` and `out1` can be at the end.
fn seen(program: &Program, model: Model) -> Option<BTreeSet<(u32, u32)>> {
    let machine = Machine::new(program).expect("threads are spawned");
    let cells = (0..program.cell_types().len() as u32).map(Loc::cell);
    let out = |name: &str| cells.clone().find(|loc| program.cell_name(*loc).as_deref() == Some(name));
    let (Some(first), Some(second)) = (out("out0"), out("out1")) else { panic!("both are variables") };
    let reached = with_memory!(model, memory => reachable(&machine, memory, 60_000))?;
    let finals = reached.states.iter().filter(|state| state.is_final());
    Some(finals.map(|state| (state.read(first) as u32, state.read(second) as u32)).collect())
}

#[test]
fn random_programs_have_the_verdicts_of_explicit_search() {
    let seeds = effort::seeds(SEEDS);
    let (mut compared, mut violations, mut weak) = (0, 0, 0);
    for seed in 0..seeds {
        let sample = MixedSizes::new(seed);
        let plain = program(&sample.source(u32::MAX, u32::MAX));
        let sets: Option<Vec<_>> = Model::ALL.iter().map(|model| seen(&plain, *model)).collect();
        let Some(sets) = sets else { continue };
        let all = sets.iter().max_by_key(|set| set.len()).expect("three models");
        // Those that a weaker model adds, some of all models, and one of none.
        let added = all.iter().filter(|outcome| !sets[0].contains(outcome)).take(2);
        let pairs = all.iter().flat_map(|(first, _)| all.iter().map(move |(_, second)| (*first, *second)));
        let never = pairs.filter(|pair| !all.contains(pair)).take(1);
        let outcomes: Vec<_> = added.chain(sets[0].iter().take(1)).copied().chain(never).collect();
        weak += usize::from(sets[0] != *all);
        for (first, second) in outcomes {
            let text = sample.source(first, second);
            let program = program(&text);
            for (model, set) in Model::ALL.into_iter().zip(&sets) {
                let found = finds(&stamped(), &program, model);
                assert_eq!(found, Ok(set.contains(&(first, second))), "seed {seed}, {model:?}\n{text}");
                compared += 1;
                violations += usize::from(found == Ok(true));
            }
        }
    }
    eprintln!("{seeds} programs, {weak} weak, {compared} compared, {violations} violations");
    let few = seeds as usize;
    assert!(compared > few * 3 && violations > few && weak > few / 20, "{compared} compared, {weak} weak");
}

const BEGINNING: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void *malloc(unsigned long);
    void free(void *);
    void __assert_fail(const char *, const char *, unsigned int, const char *);
    void assert(int e) { if (!e) __assert_fail(\"\", \"\", 0, \"\"); }
";

/// Two threads that run after what `main` does first, and what `main` does when they have ended.
fn two_threads(globals: &str, first: [&str; 3], last: &str) -> String {
    let [main, a, b] = first;
    format!(
        "{BEGINNING} {globals}
        void *t0(void *arg) {{ {a} return 0; }}
        void *t1(void *arg) {{ {b} return 0; }}
        int main(void) {{
            pthread_t a, b;
            {main}
            pthread_create(&a, 0, t0, 0);
            pthread_create(&b, 0, t1, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
            {last}
            return 0;
        }}"
    )
}

/// Under which models there is a violation; explicit search must say the same.
fn check(text: &str, expected: [bool; 3]) {
    let program = program(text);
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        assert_eq!(finds(&Explicit::default(), &program, model), Ok(expected), "explicit, {model:?}\n{text}");
        assert_eq!(finds(&stamped(), &program, model), Ok(expected), "{model:?}\n{text}");
    }
}

/// The same, by store queues too: for the smallest programs.
fn check_with_queues(text: &str, expected: [bool; 3]) {
    check(text, expected);
    let program = program(text);
    let engine = Bmc { abstraction: Abstraction::Queues, queue: Some(2), rounds: Some(3), ..stamped() };
    for (model, expected) in Model::ALL.into_iter().zip(expected) {
        assert_eq!(finds(&engine, &program, model), Ok(expected), "queues, {model:?}\n{text}");
    }
}

const WORD: &str = "union { unsigned whole; unsigned short half[2]; unsigned char byte[4]; } u;";

#[test]
fn a_ticket_lock_takes_its_word_by_halves() {
    let globals = "union { unsigned word; struct { unsigned short owner, next; } part; } lock; int x;";
    let locked = "unsigned short mine = __sync_fetch_and_add(&lock.word, 0x10000) >> 16;
        if (__atomic_load_n(&lock.part.owner, 2) != mine) return 0;
        x++;
        lock.part.owner = mine + 1;";
    let store = "__atomic_store_n(&lock.part.owner, mine + 1, 3)";
    let fenced = locked.replace("lock.part.owner = mine + 1", store);
    // Nobody loses an addition: a thread comes in when the one before has left, with all it has stored.
    let last = "assert(x == (lock.part.owner == 2 ? 2 : 1));";
    check(&two_threads(globals, ["", locked, locked], last), [false, false, true]);
    check(&two_threads(globals, ["", &fenced, &fenced], last), [false, false, false]);
    // By the word as a whole it would be wrong: an addition in between is lost.
    let torn = locked.replace("lock.part.owner = mine + 1", "lock.word = lock.word + 1");
    let last = "assert(lock.part.next == 2);";
    check(&two_threads(globals, ["", &torn, &torn], last), [true, true, true]);
}

#[test]
fn a_load_takes_half_from_the_buffer_and_half_from_memory() {
    let globals = format!("{WORD} unsigned r0, r1;");
    let threads = ["", "u.half[0] = 1; r0 = u.whole;", "u.half[1] = 1; r1 = u.whole;"];
    // No order of the two stores lets each thread see its own only.
    let last = "assert(!(r0 == 1 && r1 == 0x10000));";
    check_with_queues(&two_threads(&globals, threads, last), [false, true, true]);
    let both = "assert(!(r0 == 0x10001 && r1 == 0x10001));";
    check_with_queues(&two_threads(&globals, threads, both), [true, true, true]);
}

#[test]
fn a_wide_store_reaches_memory_at_once() {
    let globals = format!("{WORD} unsigned r, s;");
    let halves = ["", "u.whole = 0x10001;", "r = u.half[0]; s = u.half[1];"];
    check_with_queues(&two_threads(&globals, halves, "assert(!(r == 1 && s == 0));"), [false, false, false]);
    check_with_queues(&two_threads(&globals, halves, "assert(!(r == 0 && s == 1));"), [true, true, true]);
    let whole = ["", "u.half[0] = 1; u.half[1] = 1;", "r = u.whole;"];
    check_with_queues(&two_threads(&globals, whole, "assert(r != 0x10000);"), [false, false, true]);
    check_with_queues(&two_threads(&globals, whole, "assert(r != 1);"), [true, true, true]);
}

#[test]
fn stores_with_a_cell_in_common_stay_in_order() {
    let globals = format!("{WORD} unsigned r, s;");
    let threads = ["", "u.half[1] = 1; u.whole = 0x20002; u.byte[0] = 3;", "r = u.byte[0]; s = u.half[1];"];
    check_with_queues(&two_threads(&globals, threads, "assert(!(r == 3 && s != 2));"), [false, false, false]);
    check_with_queues(&two_threads(&globals, threads, "assert(!(r == 2 && s == 1));"), [false, false, false]);
}

#[test]
fn one_address_may_mean_rows_of_different_cells() {
    let globals = format!("{WORD} unsigned v; unsigned *p; int flag;");
    let threads = ["", "flag = 1;", "p = flag ? &u.whole : &v; *p = 0x01020304;"];
    let same = "assert(p != &u.whole || (u.byte[0] == 4 && u.half[1] == 0x0102)); assert(*p == 0x01020304);";
    check(&two_threads(&globals, threads, same), [false, false, false]);
    check(&two_threads(&globals, threads, "assert(u.byte[3] == v >> 24);"), [true, true, true]);
    let signed = "assert(*(short *)&u.byte[2] >= 0 || *(int *)u.byte < -0x10000);";
    let threads = ["u.byte[3] = 0x80;", "u.byte[2] = 1;", "u.half[0] = 0xffff;"];
    check(&two_threads(WORD, threads, signed), [false, false, false]);
}

#[test]
fn part_of_what_nobody_has_written_counts_as_zero() {
    let globals = "typedef union { unsigned whole; unsigned short half[2]; } word; word *p; unsigned r;";
    let main = "p = malloc(sizeof *p);";
    let threads = [main, "p->half[0] = 1;", "r = p->whole;"];
    check(&two_threads(globals, threads, "assert(r != 7);"), [true, true, true]);
    let low = [main, "p->half[0] = 1;", ""];
    check(&two_threads(globals, low, "assert(p->whole == 1);"), [false, false, false]);
    let written = ["p = malloc(sizeof *p); p->half[1] = 2;", "p->half[0] = 1;", "r = p->whole;"];
    check(&two_threads(globals, written, "assert(r == 0x20000 || r == 0x20001);"), [false, false, false]);
    let freed = [main, "free(p);", "p->whole = 1;"];
    check(&two_threads(globals, freed, ""), [true, true, true]);
}

#[test]
fn a_cell_may_be_the_first_of_one_row_and_the_second_of_another() {
    let globals = format!("{WORD} unsigned r, s; int i, j;");
    let store = "*(unsigned short *)&u.byte[i] = 0x0201;";
    let one_writer = ["", &format!("i = j; {store}"), "j = 1; r = u.byte[1]; s = u.byte[2];"];
    check(&two_threads(&globals, one_writer, "assert(!(r == 1 && s == 0));"), [false, false, false]);
    check(&two_threads(&globals, one_writer, "assert(!(r == 1 && s == 2));"), [true, true, true]);
    check(&two_threads(&globals, one_writer, "assert(u.byte[i] == 1 && u.byte[i + 1] == 2);"), [false; 3]);
    let two_writers = [
        "",
        &format!("i = j; {store} r = *(unsigned short *)&u.byte[1 - i];"),
        "j = 1; u.byte[1] = 7; s = *(unsigned short *)&u.byte[1];",
    ];
    check(&two_threads(&globals, two_writers, "assert(!(i == 1 && r == 0x0700));"), [true, true, true]);
    check(&two_threads(&globals, two_writers, "assert(!(i == 0 && r == 2 && s == 7));"), [true, true, true]);
    let seen = "assert(i || r == 2 || r == 7);";
    check(&two_threads(&globals, two_writers, seen), [false, false, false]);
    let low = "assert(!(i && s == 7 && u.byte[1] == 1 && u.byte[2] == 0));";
    check(&two_threads(&globals, two_writers, low), [false, false, false]);
}

#[test]
fn a_pointer_may_be_copied_by_bytes() {
    let globals = "union { int *p; unsigned char byte[8]; } from, to; int x = 1, y = 2, i, r;";
    let copy = "for (i = 0; i < 8; i++) to.byte[i] = from.byte[i]; r = *to.p;";
    let engine = Bmc { unwind: Some(8), rounds: Some(3), clock: Some(2), ..Bmc::default() };
    let torn = two_threads(globals, ["from.p = &x;", "from.p = &y;", "to.byte[0] = from.byte[0];"], copy);
    for (text, expected) in [
        (torn.replace("r = *to.p;", "r = *to.p; assert(r == 2);"), false),
        (torn.replace("r = *to.p;", "r = *to.p; assert(r == 1);"), true),
    ] {
        let program = program(&text);
        for model in Model::ALL {
            assert_eq!(finds(&Explicit::default(), &program, model), Ok(expected), "explicit\n{text}");
            assert_eq!(finds(&engine, &program, model), Ok(expected), "{model:?}\n{text}");
        }
    }
}

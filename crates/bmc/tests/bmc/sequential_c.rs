//! The sequential C programs against the formula and against the reference: they are compiled without warnings, and run
//! with a driver that makes all nondeterministic choices (`driver.c`). Where all choices were tried, or one
//! fails, the answer must be that of the engine at the same bounds; what fails is unsafe by explicit search too.
//!
//! Needs a C compiler, and Linux for the driver.
#![cfg(target_os = "linux")]

use fencepost_bmc::c::{Dialect, Sequentialization, sequentialize};
use fencepost_bmc::{Abstraction, Bmc};
use fencepost_c as c;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::random::{Config, program};
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("fencepost-seq-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn cc(arguments: &[&str], what: &str) {
    let run = Command::new("cc").args(arguments).output().expect("a C compiler");
    let messages = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && messages.is_empty(), "cc says of {what}:\n{messages}");
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Compiles sequential programs with the driver and runs them.
struct Runner {
    folder: Folder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ran {
    Fails,
    Holds,
    Unknown,
}

impl Runner {
    fn new() -> Runner {
        let folder = Folder::new();
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bmc/driver.c");
        cc(&["-O1", "-Wall", "-c", path(&driver), "-o", path(&folder.file("driver.o"))], "the driver");
        Runner { folder }
    }

    fn run(&self, text: &str, limit: u64) -> Ran {
        let (source, object) = (self.folder.file("seq.c"), self.folder.file("seq.o"));
        std::fs::write(&source, text).unwrap();
        let options = ["-O1", "-Wall", "-DDRIVER", "-Dmain=sequential_main", "-c", path(&source), "-o"];
        cc(&[&options[..], &[path(&object)]].concat(), text);
        let all = self.folder.file("all");
        cc(&[path(&object), path(&self.folder.file("driver.o")), "-o", path(&all)], "linking");
        let run = Command::new(&all).args(["20000", &limit.to_string()]).output().unwrap();
        match String::from_utf8_lossy(&run.stdout).trim() {
            "fails" => Ran::Fails,
            "holds" => Ran::Holds,
            "unknown" => Ran::Unknown,
            other => panic!("the driver says {other} of\n{text}"),
        }
    }
}

fn of_c(name: &str, text: &str) -> Program {
    let headers = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n";
    let text = format!("{headers}{text}");
    let tree = c::read(&[(name, text.as_str())], &c::Options::default())
        .unwrap_or_else(|e| panic!("{name}: {:?}", e.1));
    pipeline::lower(tree)
}

fn of_model(text: &str) -> Program {
    pipeline::lower(fp::read("test.fp", text).unwrap_or_else(|e| panic!("{:?}\n{text}", e.1)))
}

/// Compares; whether the sequential program decided it.
fn compare(
    runner: &Runner,
    name: &str,
    program: &Program,
    wanted: &Sequentialization,
    limit: u64,
) -> Option<bool> {
    let Sequentialization { model, unwind, rounds, clock, queue, .. } = *wanted;
    let text = match sequentialize(program, wanted) {
        Ok(text) => text,
        Err(refusal) if refusal.contains("property speaks") => return None,
        Err(refusal) => panic!("{name}: {refusal}"),
    };
    let ran = runner.run(&text, limit);
    let abstraction = if queue.is_some() { Abstraction::Queues } else { Abstraction::Stamped };
    let clock = Some(clock).filter(|_| queue.is_none());
    let engine =
        Bmc { unwind: Some(unwind), rounds: Some(rounds), clock, queue, abstraction, ..Bmc::default() };
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let answer = engine.check(&task, &mut |_| {});
    let expected = match answer.verdict {
        Verdict::Unsafe { .. } => true,
        Verdict::Safe { .. } => false,
        // A run that comes to a limit; it may fail as well.
        Verdict::Unknown { .. } => return None,
    };
    match ran {
        Ran::Unknown => return None,
        Ran::Fails => {
            assert!(expected, "{name} under {model:?} fails, and the engine says safe:\n{text}");
            let explicit = Explicit::default().check(&task, &mut |_| {}).verdict;
            assert!(
                !matches!(explicit, Verdict::Safe { .. }),
                "{name} under {model:?} fails, and is safe:\n{text}"
            );
        }
        Ran::Holds => assert!(!expected, "{name} under {model:?} holds, and the engine says unsafe:\n{text}"),
    }
    Some(expected)
}

/// Checks a C program whose verdicts are known, in both dialects.
fn check(name: &str, text: &str, (unwind, rounds, clock): (u32, u32, u32), expected: [bool; 3]) {
    let runner = Runner::new();
    let program = of_c(name, text);
    for (model, is_unsafe) in Model::ALL.into_iter().zip(expected) {
        for dialect in [Dialect::Cprover, Dialect::Verifier] {
            let wanted = Sequentialization { model, unwind, rounds, clock, block: 3, queue: None, dialect };
            let found = compare(&runner, name, &program, &wanted, 30_000_000);
            assert_eq!(found, Some(is_unsafe), "{name} under {model:?}");
        }
        // With queues there are many more choices.
        let dialect = Dialect::Verifier;
        let wanted = Sequentialization { model, unwind, rounds, clock, block: 3, queue: Some(2), dialect };
        let found = compare(&runner, name, &program, &wanted, 3_000_000);
        assert!(found.is_none_or(|found| found == is_unsafe), "{name} under {model:?} with queues");
    }
}

#[test]
fn store_buffering() {
    let body = |fence: &str| {
        format!(
            "static int x, y, r, s;
             static void *a(void *p) {{ x = 1; {fence} r = y; return p; }}
             static void *b(void *p) {{ y = 1; {fence} s = x; return p; }}
             int main(void) {{
                 pthread_t t, u;
                 pthread_create(&t, NULL, a, NULL); pthread_create(&u, NULL, b, NULL);
                 pthread_join(t, NULL); pthread_join(u, NULL);
                 assert(r || s);
                 return 0;
             }}"
        )
    };
    check("sb.c", &body(""), (1, 2, 2), [false, true, true]);
    check("fenced.c", &body("atomic_thread_fence(memory_order_seq_cst);"), (1, 1, 2), [false; 3]);
}

#[test]
fn message_passing() {
    let body = |order: &str| {
        format!(
            "static int data; static atomic_int flag;
             static void *a(void *p) {{ data = 1; atomic_store_explicit(&flag, 1, {order}); return p; }}
             int main(void) {{
                 pthread_t t;
                 pthread_create(&t, NULL, a, NULL);
                 if (atomic_load(&flag)) assert(data == 1);
                 return 0;
             }}"
        )
    };
    check("mp.c", &body("memory_order_relaxed"), (1, 2, 3), [false, false, true]);
    check("release.c", &body("memory_order_release"), (1, 2, 3), [false; 3]);
}

#[test]
fn mutual_exclusion() {
    let body = |fence: &str| {
        format!(
            "static atomic_int flag[2], turn, inside;
             static void enter(int me) {{
                 atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
                 atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
                 {fence}
                 while (atomic_load_explicit(&flag[1 - me], memory_order_relaxed)
                        && atomic_load_explicit(&turn, memory_order_relaxed) != me) ;
                 inside++;
                 assert(inside == 1);
                 inside--;
                 atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
             }}
             static void *other(void *p) {{ enter(1); return p; }}
             int main(void) {{ pthread_t t; pthread_create(&t, NULL, other, NULL); enter(0); return 0; }}"
        )
    };
    check("peterson.c", &body(""), (1, 1, 2), [false, true, true]);
}

#[test]
fn read_modify_writes_locks_and_choices() {
    check(
        "locks.c",
        "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int);
         static pthread_mutex_t m; static int n; static atomic_uchar k = 255;
         static void *add(void *p) {
             int by = __VERIFIER_nondet_int();
             __VERIFIER_assume(by >= 1 && by <= 2);
             pthread_mutex_lock(&m); n += by; pthread_mutex_unlock(&m);
             k++;
             return p;
         }
         int main(void) {
             pthread_t t;
             pthread_create(&t, NULL, add, NULL);
             add(NULL);
             pthread_join(t, NULL);
             assert(n >= 2 && n <= 4 && k == 1);
             return 0;
         }",
        (1, 2, 2),
        [false; 3],
    );
    check(
        "cas.c",
        "static atomic_int x; static int lost;
         static void *add(void *p) {
             int old = x;
             if (!atomic_compare_exchange_strong(&x, &old, old + 1)) lost = 1;
             return p;
         }
         int main(void) {
             pthread_t t; pthread_create(&t, NULL, add, NULL); add(NULL); pthread_join(t, NULL);
             assert(!lost);
             return 0;
         }",
        (1, 2, 2),
        [true; 3],
    );
}

#[test]
fn pointers_and_freed_memory() {
    check(
        "late.c",
        "static int *p; static int done;
         static void *writer(void *a) { *p = 1; done = 1; return a; }
         int main(void) {
             p = malloc(sizeof *p);
             pthread_t t;
             pthread_create(&t, NULL, writer, NULL);
             if (done) free(p);
             return 0;
         }",
        (1, 1, 3),
        [false, false, true],
    );
    check(
        "published.c",
        "struct cell { int data; struct cell *next; };
         static struct cell *_Atomic shared;
         static void *producer(void *a) {
             struct cell *p = malloc(sizeof *p);
             p->data = 7; p->next = NULL;
             atomic_store_explicit(&shared, p, memory_order_relaxed);
             return a;
         }
         int main(void) {
             pthread_t t;
             pthread_create(&t, NULL, producer, NULL);
             struct cell *p = atomic_load(&shared);
             if (p) assert(p->data == 7);
             return 0;
         }",
        (1, 1, 2),
        [false, false, true],
    );
    check("null.c", "int main(void) { int *p = NULL; return *p; }", (1, 1, 1), [true; 3]);
    check(
        "bounds.c",
        "static int a[3]; static int i = 3; int main(void) { a[i] = 1; return 0; }",
        (1, 1, 1),
        [true; 3],
    );
    check(
        "unwritten.c",
        "int main(void) { int *p = malloc(4); assert(*p == *p); return 0; }",
        (1, 1, 1),
        [true; 3],
    );
}

/// A mutex in memory that was never written is free.
#[test]
fn a_mutex_on_the_stack() {
    let body = |locked: &str| {
        format!(
            "struct pair {{ pthread_mutex_t m; int n; }};
             static void *add(void *a) {{
                 struct pair *p = a;
                 {locked} p->n++; pthread_mutex_unlock(&p->m);
                 return a;
             }}
             int main(void) {{
                 struct pair p;
                 pthread_mutex_init(&p.m, NULL);
                 p.n = 0;
                 pthread_t t;
                 pthread_create(&t, NULL, add, &p);
                 add(&p);
                 pthread_join(t, NULL);
                 assert(p.n == 2);
                 return 0;
             }}"
        )
    };
    check("locked.c", &body("pthread_mutex_lock(&p->m);"), (1, 2, 2), [false; 3]);
    check("late.c", &body("int n = p->n; pthread_mutex_lock(&p->m); p->n = n;"), (1, 2, 2), [true; 3]);
}

/// What a thread has stored itself it reads without looking at memory, but not when the object is gone.
#[test]
fn an_own_store_to_memory_that_is_freed() {
    check(
        "own.c",
        "static int *p;
         static void *writer(void *a) { int *q = p; *q = 1; int own = *q; (void)own; return a; }
         int main(void) {
             p = calloc(1, sizeof *p);
             pthread_t t;
             pthread_create(&t, NULL, writer, NULL);
             if (*p == 1) free(p);
             return 0;
         }",
        (1, 2, 1),
        [true; 3],
    );
}

#[test]
fn addresses_that_are_given_out_again() {
    for (test, is_unsafe) in [("p != q", true), ("p == q", true), ("p != q || *q == 0", false)] {
        let body = format!(
            "int main(void) {{
                 int *p = malloc(4); *p = 1; free(p); int *q = calloc(1, 4); assert({test}); return 0;
             }}"
        );
        check("same.c", &body, (1, 1, 2), [is_unsafe; 3]);
    }
    let body = |free: &str| {
        format!(
            "struct version {{ int number; }};
             static struct version *_Atomic slot; static atomic_int replaced;
             static void *replacer(void *a) {{
                 struct version *old = slot;
                 atomic_store_explicit(&slot, NULL, memory_order_relaxed);
                 {free}(old);
                 atomic_store_explicit(&replaced, 1, memory_order_relaxed);
                 atomic_store_explicit(&slot, malloc(sizeof *old), memory_order_relaxed);
                 return a;
             }}
             int main(void) {{
                 slot = malloc(sizeof *slot);
                 struct version *seen = slot;
                 pthread_t t;
                 pthread_create(&t, NULL, replacer, NULL);
                 int before = replaced;
                 if (atomic_compare_exchange_strong(&slot, &seen, NULL)) assert(!before);
                 return 0;
             }}"
        )
    };
    check("freed.c", &body("free"), (1, 2, 2), [true; 3]);
    // Under PSO the flag may be there before the slot is emptied.
    check("kept.c", &body("(void)"), (1, 2, 2), [false, false, true]);
}

#[test]
fn objects_of_several_sizes() {
    let body = |index: &str| {
        format!(
            "_Bool __VERIFIER_nondet_bool(void);
             static int *_Atomic array; static int size;
             static void *reader(void *a) {{
                 int *seen = atomic_load_explicit(&array, memory_order_relaxed);
                 if (seen) assert(seen[size - 1] == 0);
                 return a;
             }}
             int main(void) {{
                 int n = 1 + __VERIFIER_nondet_bool();
                 pthread_t t;
                 pthread_create(&t, NULL, reader, NULL);
                 int *a = calloc(n, sizeof(int));
                 a[{index}] = 0;
                 size = n;
                 atomic_store_explicit(&array, a, memory_order_relaxed);
                 return 0;
             }}"
        )
    };
    check("sizes.c", &body("n - 1"), (1, 2, 3), [false, false, true]);
    check("sizes_wrong.c", &body("n"), (1, 2, 3), [true; 3]);
    // An address comes back for an object of the same size only.
    for (test, is_unsafe) in [("p != q", true), ("p != q || n == 1", false)] {
        let body = format!(
            "_Bool __VERIFIER_nondet_bool(void);
             int main(void) {{
                 int n = 1 + __VERIFIER_nondet_bool();
                 int *p = malloc(n * sizeof *p); free(p);
                 int *q = malloc(sizeof *q);
                 assert({test});
                 return 0;
             }}"
        );
        check("again.c", &body, (1, 1, 2), [is_unsafe; 3]);
    }
    for (test, is_unsafe) in [("q[0] == 5", false), ("q[n] == 0", true), ("p[0] == 5", true)] {
        let body = format!(
            "_Bool __VERIFIER_nondet_bool(void);
             int main(void) {{
                 int n = 1 + __VERIFIER_nondet_bool();
                 int *p = malloc(n * sizeof *p);
                 p[0] = 5;
                 int *q = realloc(p, (n + 1) * sizeof *q);
                 assert({test});
                 return 0;
             }}"
        );
        check("grown.c", &body, (1, 1, 2), [is_unsafe; 3]);
    }
    // A list that grows while another thread looks at it.
    let body = |lock: &str| {
        format!(
            "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int *list;
             static void *reader(void *a) {{
                 if ({lock}) pthread_mutex_lock(&m);
                 assert(list[0] == 1);
                 if ({lock}) pthread_mutex_unlock(&m);
                 return a;
             }}
             int main(void) {{
                 pthread_t t;
                 list = calloc(1, sizeof *list);
                 list[0] = 1;
                 pthread_create(&t, NULL, reader, NULL);
                 pthread_mutex_lock(&m);
                 list = realloc(list, 2 * sizeof *list);
                 pthread_mutex_unlock(&m);
                 return 0;
             }}"
        )
    };
    check("list.c", &body("1"), (1, 2, 2), [false; 3]);
    check("list_without_lock.c", &body("0"), (1, 2, 2), [true; 3]);
}

#[test]
fn what_lies_beyond_a_bound_is_reported_on_demand() {
    let runner = Runner::new();
    let program = of_c(
        "sizes.c",
        "_Bool __VERIFIER_nondet_bool(void);
         int main(void) { int n = __VERIFIER_nondet_bool() ? 1 << 20 : 0; char *p = malloc(n + 1); p[n] = 1; assert(p); return 0; }",
    );
    let wanted = Sequentialization {
        model: Model::Tso,
        unwind: 1,
        rounds: 1,
        clock: 1,
        block: 2,
        queue: None,
        dialect: Dialect::Cprover,
    };
    let text = sequentialize(&program, &wanted).unwrap();
    assert_eq!(runner.run(&text, 10_000), Ran::Holds, "larger objects are left out");
    assert_eq!(runner.run(&format!("#define CHECK_UNWINDING\n{text}"), 10_000), Ran::Fails);
    let program =
        of_c("loop.c", "int main(void) { int n = 0; while (n < 3) n++; assert(n == 3); return 0; }");
    let wanted = |unwind| Sequentialization {
        model: Model::Tso,
        unwind,
        rounds: 1,
        clock: 1,
        block: 3,
        queue: None,
        dialect: Dialect::Cprover,
    };
    for (unwind, expected) in [(2, Ran::Fails), (3, Ran::Holds)] {
        let text = sequentialize(&program, &wanted(unwind)).unwrap();
        assert_eq!(runner.run(&text, 100), Ran::Holds, "without unwinding assertions");
        assert_eq!(
            runner.run(&format!("#define CHECK_UNWINDING\n{text}"), 100),
            expected,
            "{unwind} repetitions"
        );
    }
    let program = of_model(
        "shared int x; thread a { int i = 0; atomic { x = 1; while (i < 3) { i = i + 1; } x = 0; } } \
                            thread b { assert(x == 0); }",
    );
    for (unwind, expected) in [(2, Ran::Fails), (3, Ran::Holds)] {
        let text = sequentialize(&program, &wanted(unwind)).unwrap();
        assert_eq!(runner.run(&text, 10_000), Ran::Holds, "a section that is cut off is left out");
        assert_eq!(
            runner.run(&format!("#define CHECK_UNWINDING\n{text}"), 10_000),
            expected,
            "{unwind} repetitions"
        );
    }
    let program = of_model("shared integer x = 9223372036854775807; thread t { x = x + 1; assert(x > 0); }");
    let text = sequentialize(&program, &wanted(1)).unwrap();
    assert_eq!(runner.run(&text, 100), Ran::Holds);
    assert_eq!(runner.run(&format!("#define CHECK_LIMITS\n{text}"), 100), Ran::Fails);
}

#[test]
fn what_cannot_be_taken_is_refused() {
    let program = of_model("shared int x; thread t[*] { x = 1; assert(x == 1); }");
    let wanted = Sequentialization {
        model: Model::Tso,
        unwind: 1,
        rounds: 1,
        clock: 2,
        block: 3,
        queue: None,
        dialect: Dialect::Cprover,
    };
    let refusal = sequentialize(&program, &wanted).unwrap_err();
    assert!(refusal.contains("--threads"), "{refusal}");
    // Which address is smaller is decided by who allocates first.
    let program = of_c(
        "order.c",
        "static int *p, *q;
         static void *a(void *x) { p = malloc(4); return x; }
         static void *b(void *x) { q = malloc(4); return x; }
         int main(void) {
             pthread_t t, u;
             pthread_create(&t, NULL, a, NULL); pthread_create(&u, NULL, b, NULL);
             pthread_join(t, NULL); pthread_join(u, NULL);
             assert(p < q);
             return 0;
         }",
    );
    let refusal = sequentialize(&program, &wanted).unwrap_err();
    assert!(refusal.contains("different orders"), "{refusal}");
    let program = of_c(
        "halves.c",
        "static union { unsigned word; unsigned short half[2]; } u;
         int main(void) {
             u.half[1] = 1;
             assert(u.word == 65536);
             return 0;
         }",
    );
    let refusal = sequentialize(&program, &wanted).unwrap_err();
    assert!(refusal.contains("several cells, as at halves.c:"), "{refusal}");
}

/// What threads are started with decides what they do.
#[test]
fn threads_with_arguments() {
    let program = of_model(
        "shared int x; process t(int me) { x = me; if (me == 2) { x = 5; } assert(x != 5 || me == 2); }
         start t(1), t(2);",
    );
    let runner = Runner::new();
    for model in Model::ALL {
        let dialect = Dialect::Verifier;
        let wanted =
            Sequentialization { model, unwind: 1, rounds: 2, clock: 2, block: 3, queue: None, dialect };
        assert_eq!(compare(&runner, "arguments", &program, &wanted, 1_000_000), Some(true));
    }
}

/// Sums and differences wrap without changing how they compare.
#[test]
fn arithmetic_keeps_its_sign() {
    check(
        "signs.c",
        "static long a, b = 1; static unsigned long c = 1; static unsigned d = 1; static short e = -3;
         static void *t(void *p) { a = 2; return p; }
         int main(void) {
             pthread_t p;
             pthread_create(&p, NULL, t, NULL);
             assert(a - b < 5);
             assert(a * -1 <= 0 && (a - b) / 2 == 0 && a + b > -1);
             assert(c - 2 > 5 && d - 2 > 5 && e - 2 < 5 && e * 1L < 0);
             pthread_join(p, NULL);
             assert(a - b == 2);
             return 0;
         }",
        (1, 2, 2),
        [true; 3],
    );
}

#[test]
fn random_programs_have_the_same_verdicts() {
    let seeds = effort::seeds(60);
    let runner = Runner::new();
    let (mut fails, mut holds) = (0, 0);
    for seed in 0..seeds {
        let text = program(seed, Config::default()).to_string();
        let Ok(tree) = fp::read("random.fp", &text) else { continue };
        let program = pipeline::lower(tree);
        let model = Model::ALL[seed as usize % 3];
        let dialect = if seed % 2 == 0 { Dialect::Cprover } else { Dialect::Verifier };
        let wanted =
            Sequentialization { model, unwind: 1, rounds: 2, clock: 2, block: 3, queue: None, dialect };
        match compare(&runner, &format!("seed {seed}\n{text}"), &program, &wanted, 300_000) {
            Some(true) => fails += 1,
            Some(false) => holds += 1,
            None => {}
        }
    }
    println!("{fails} fail, {holds} hold, of {seeds}");
    assert!(fails * 5 > seeds && holds * 12 > seeds, "{fails} fail, {holds} hold, of {seeds}");
}

#[test]
fn tiny_programs_have_the_same_verdicts() {
    let runner = Runner::new();
    let (mut fails, mut holds) = (0, 0);
    for (i, tiny) in Tiny::all(2).step_by(151).enumerate() {
        let mut program = tiny.program();
        // Whether all registers can be zero at the end.
        program.properties = vec![all_zero(&program)];
        for model in Model::ALL {
            let dialect = if i % 2 == 0 { Dialect::Cprover } else { Dialect::Verifier };
            let wanted =
                Sequentialization { model, unwind: 1, rounds: 2, clock: 3, block: 3, queue: None, dialect };
            match compare(&runner, &tiny.to_string(), &program, &wanted, 1_000_000) {
                Some(true) => fails += 1,
                Some(false) => holds += 1,
                None => {}
            }
        }
    }
    println!("{fails} fail, {holds} hold");
    assert!(fails > 10 && holds > 10, "{fails} fail, {holds} hold");
}

fn all_zero(program: &Program) -> fencepost_ir::cfg::Property {
    use fencepost_ir::cfg::{Arith, BinaryOp, Expr, Observable, Property, Quantifier, Reg, StartId};
    let observed: Vec<_> = (0..program.threads.len())
        .flat_map(|i| {
            let registers = program.procedure(program.threads[i].procedure).registers.len() as u32;
            (0..registers).map(move |r| Observable::Register(StartId(i as u32), Reg::Local(r)))
        })
        .collect();
    let zero = |i: usize| {
        let register = Box::new(Expr::Reg(Reg::Local(i as u32)));
        Expr::Binary(BinaryOp::Eq, Arith::Exact, register, Box::new(Expr::Const(0)))
    };
    let both = |a, b| Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(a), Box::new(b));
    let condition = (0..observed.len()).map(zero).reduce(both).unwrap_or(Expr::Const(1));
    let span = fencepost_ir::Span::NONE;
    Property::Final { quantifier: Quantifier::Exists, observed, condition, span }
}

/// Each example is compiled as it is, with stand-ins for what the verifier gives.
#[test]
fn examples_compile_without_warnings() {
    let folder = Folder::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    for entry in [examples.clone(), examples.join("bmc")] {
        files.extend(std::fs::read_dir(entry).unwrap().map(|f| f.unwrap().path()));
    }
    files.sort();
    let (mut compiled, mut refused) = (0, Vec::new());
    for (i, file) in files.iter().enumerate() {
        let name = file.file_name().unwrap().to_str().unwrap();
        let text = || std::fs::read_to_string(file).unwrap();
        let tree = match file.extension().and_then(|e| e.to_str()) {
            Some("c") => c::read(&[(name, text().as_str())], &c::Options::default()),
            Some("fp") => fp::read(name, &text()),
            _ => continue,
        };
        let program = pipeline::lower(tree.unwrap_or_else(|e| panic!("{name}: {:?}", e.1)));
        if program.is_parameterized() {
            continue;
        }
        let model = Model::ALL[i % 3];
        let dialect = if i % 2 == 0 { Dialect::Cprover } else { Dialect::Verifier };
        let wanted =
            Sequentialization { model, unwind: 1, rounds: 2, clock: 2, block: 3, queue: None, dialect };
        match sequentialize(&program, &wanted) {
            Ok(text) => {
                let (source, object) = (folder.file("seq.c"), folder.file("seq.o"));
                std::fs::write(&source, &text).unwrap();
                cc(&["-Wall", "-c", path(&source), "-o", path(&object)], &format!("{name}\n{text}"));
                compiled += 1;
            }
            Err(refusal) => refused.push(format!("{name}: {refusal}")),
        }
    }
    assert!(compiled > 40, "{compiled} compiled, refused: {refused:#?}");
    assert!(refused.len() * 10 < compiled, "refused: {refused:#?}");
}

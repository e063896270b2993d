//! Programs that start threads: dual has the verdict of the search, its runs replay, its proofs are accepted; and the
//! search says the same of the program whose threads are there from the beginning.

use fencepost_c as c;
use fencepost_certify::{check_certificate, replay};
use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::{Program, validate};
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_passes::static_threads::static_threads;
use fencepost_samples::random::{Config, program};
use fencepost_task::{Bounds, Budget, Engine, Model, Reason, Task, Verdict};
use std::time::{Duration, Instant};

fn task(program: &Program, seconds: u64) -> Task<'_> {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let budget = Budget::default().until(deadline);
    Task { program, model: Model::Tso, bounds: Bounds::default(), budget }
}

fn word(program: &Program, verdict: &Verdict, what: &str) -> &'static str {
    match verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::Unsafe { trace } => {
            replay(program, trace).unwrap_or_else(|r| panic!("{what}: does not replay: {r}"));
            "unsafe"
        }
        Verdict::Unknown { .. } => "unknown",
    }
}

/// What dual says, after all that can be checked of it.
fn dual(program: &Program, what: &str) -> &'static str {
    let answer = Dual.check(&task(program, 20), &mut |_| {});
    if let Some(certificate) = answer.certificate {
        check_certificate(program, &certificate).unwrap_or_else(|u| panic!("{what}: {u}"));
        let mut fewer = certificate.clone();
        fewer.slots -= 1;
        assert!(check_certificate(program, &fewer).is_err(), "{what}: a thread too few is accepted");
    }
    word(program, &answer.verdict, what)
}

fn explicit(program: &Program, what: &str) -> &'static str {
    word(program, &Explicit::default().check(&task(program, 20), &mut |_| {}).verdict, what)
}

fn same_verdict(program: &Program, expected: &str, what: &str) {
    assert_eq!(explicit(program, what), expected, "{what}: the search");
    let fixed = static_threads(program, 4).unwrap_or_else(|why| panic!("{what}: {why}"));
    assert_eq!(validate(&fixed.program), Ok(()), "{what}");
    assert_eq!(explicit(&fixed.program, what), expected, "{what}: threads from the beginning");
    assert_eq!(dual(program, what), expected, "{what}: dual");
}

fn read_c(text: &str) -> Program {
    let tree = c::read(&[("spawned.c", text)], &c::Options::default());
    pipeline::lower(tree.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{text}")))
}

/// Store buffering among two spawned threads one by one, or in a loop.
fn store_buffering(fence: &str, main: &str) -> Program {
    read_c(&format!(
        "#include <assert.h>\n#include <pthread.h>\nint x, y, a = 1, b = 1;\n\
         void *p(void *arg) {{ x = 1; {fence}; a = y; return 0; }}\n\
         void *q(void *arg) {{ y = 1; {fence}; b = x; return 0; }}\n\
         int main(void) {{ {main} }}\n"
    ))
}

const FENCE: &str = "__sync_synchronize()";

#[test]
fn c_programs() {
    let both = "pthread_t s, t; pthread_create(&s, 0, p, 0); pthread_create(&t, 0, q, 0);\
                pthread_join(s, 0); pthread_join(t, 0); assert(a + b > 0); return 0;";
    same_verdict(&store_buffering("", both), "unsafe", "store buffering");
    same_verdict(&store_buffering(FENCE, both), "safe", "store buffering with fences");
    let early = "pthread_t s, t; pthread_create(&s, 0, p, 0); pthread_join(s, 0);\
                 pthread_create(&t, 0, q, 0); pthread_join(t, 0); assert(b == 1); return 0;";
    same_verdict(&store_buffering("", early), "safe", "one after the other");
    let twice = "pthread_t s; pthread_create(&s, 0, p, 0); pthread_join(s, 0); pthread_join(s, 0); return 0;";
    same_verdict(&store_buffering("", twice), "unsafe", "joined twice");
}

#[test]
fn arguments_results_and_ends() {
    let program = |thread: &str, main: &str| {
        read_c(&format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdint.h>\nint n;\n\
             void *p(void *arg) {{ {thread} }}\nint main(void) {{ pthread_t t[3]; void *r; {main} return 0; }}\n"
        ))
    };
    let start = "for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, p, (void *)(intptr_t)(i + 1));";
    let gives = "return (void *)((intptr_t)arg * 2);";
    let ends = "pthread_exit((void *)((intptr_t)arg * 2)); return 0;";
    for (thread, name) in [(gives, "returned"), (ends, "exited")] {
        let joined = |sum| {
            let each =
                format!("pthread_join(t[i], &r); sum += (int)(intptr_t)r; if (i == 2) assert(sum == {sum});");
            program(thread, &format!("{start} int sum = 0; for (int i = 0; i < 3; i++) {{ {each} }}"))
        };
        same_verdict(&joined(12), "safe", name);
        same_verdict(&joined(13), "unsafe", name);
    }
    let counted = program(
        "__atomic_fetch_or(&n, (int)(intptr_t)arg, 5); return 0;",
        &format!("{start} assert(n <= 3);"),
    );
    same_verdict(&counted, "safe", "counted");
    let running = program("assert(n == 0); return 0;", &format!("{start} n = 1;"));
    same_verdict(&running, "unsafe", "not waited for");
}

/// Buffers without end: the search cannot finish, dual can.
#[test]
fn storing_without_end() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y;\n\
                void *p(void *arg) { while (1) { x = 1; y = 1; x = 0; y = 0; } return 0; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, p, 0); int a = y; int b = x; assert(a <= 1 && b <= 1); return 0; }\n";
    assert_eq!(dual(&read_c(text), "endless"), "safe");
}

/// Random programs with spawn and join: the program with threads from the beginning has the same verdict.
#[test]
fn random_programs() {
    let (mut compared, mut fails) = (0, 0);
    for seed in 0..200 {
        let text = program(seed, Config { storing_loops: false, ..Config::default() }).to_string();
        if !text.contains("spawn extra") {
            continue;
        }
        let mut program = pipeline::lower(fp::read("random.fp", &text).unwrap());
        // Properties cannot name spawned threads.
        program.properties.clear();
        let Ok(fixed) = static_threads(&program, 2) else { continue };
        assert_eq!(validate(&fixed.program), Ok(()), "seed {seed}\n{text}");
        let search = |program: &Program| {
            word(program, &Explicit::default().check(&task(program, 1), &mut |_| {}).verdict, &text)
        };
        let expected = search(&program);
        let found = [search(&fixed.program), {
            let answer = Dual.check(&task(&program, 1), &mut |_| {});
            if let Verdict::Unknown { reason: Reason::NotApplicable(_), .. } = &answer.verdict {
                continue;
            }
            word(&program, &answer.verdict, &text)
        }];
        for found in found {
            let agrees = [found, expected].contains(&"unknown") || found == expected;
            assert!(agrees, "seed {seed}: {found}, not {expected}\n{text}");
        }
        compared += u32::from(found[1] != "unknown");
        fails += u32::from(found[1] == "unsafe");
    }
    assert!(compared > 5 && fails > 2, "{compared} compared, {fails} of them unsafe");
}

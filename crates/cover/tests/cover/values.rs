//! Variables whose values grow when a thread is looked at alone, and do not in the program: counters of threads in
//! a critical section.

use fencepost_certify::{check_certificate, replay};
use fencepost_cover::Dual;
use fencepost_explore::Explicit;
use fencepost_ir::cfg::Program;
use fencepost_models::fp;
use fencepost_passes::pipeline;
use fencepost_samples::{Rng, effort};
use fencepost_task::{Answer, Bounds, Budget, Engine, Model, Reason, Task, Verdict};
use std::time::{Duration, Instant};

fn read(text: &str) -> Program {
    pipeline::lower(fp::read("values.fp", text).unwrap_or_else(|e| panic!("{e:?}\n{text}")))
}

fn ask(engine: &dyn Engine, program: &Program, seconds: u64) -> Answer {
    let budget = Budget::default().until(Instant::now() + Duration::from_secs(seconds));
    engine.check(&Task { program, model: Model::Tso, bounds: Bounds::default(), budget }, &mut |_| {})
}

fn word(program: &Program, answer: &Answer, what: &str) -> &'static str {
    match &answer.verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::Unsafe { trace } => {
            replay(program, trace).unwrap_or_else(|r| panic!("{what}: does not replay: {r}"));
            "unsafe"
        }
        Verdict::Unknown { .. } => "unknown",
    }
}

/// A critical section that counts who is in it.
fn counting(threads: &str, enter: &str, leave: &str) -> String {
    format!(
        "shared integer n = 0; shared bool l = false; mutex m;\n\
         thread t{threads} {{ integer r; while (true) {{ {enter} r = n; n = r + 1; assert(n == 1); r = n; n = r - 1; {leave} }} }}"
    )
}

#[test]
fn counters_in_critical_sections() {
    let spin = ("while (exchange(l, true)) {}", "l = false;");
    let cases = [
        ("[2]", ("lock(m);", "unlock(m);"), "safe"),
        ("[2]", spin, "safe"),
        ("[*]", spin, "safe"),
        ("[*]", ("lock(m);", "unlock(m);"), "safe"),
        ("[2]", ("skip;", "skip;"), "unsafe"),
        ("[*]", ("while (l) {} l = true;", "l = false;"), "unsafe"),
    ];
    for (threads, (enter, leave), expected) in cases {
        let text = counting(threads, enter, leave);
        let program = read(&text);
        let answer = ask(&Dual, &program, 30);
        assert_eq!(word(&program, &answer, &text), expected, "{text}\n{:?}", answer.verdict);
        let Some(certificate) = answer.certificate else { continue };
        check_certificate(&program, &certificate).unwrap_or_else(|u| panic!("{text}: {u}"));
        // Without what keeps other values out it is not a proof.
        let mut shaken = (*certificate).clone();
        shaken.basis.clear();
        shaken.invariant.clear();
        assert!(check_certificate(&program, &shaken).is_err(), "{text}");
        let mut fewer = certificate;
        fewer.variables[0].values.pop();
        assert!(check_certificate(&program, &fewer).is_err(), "{text}: a value of `n` less");
    }
}

/// A counter that does grow is not for this engine.
#[test]
fn what_grows_is_refused() {
    let program = read("shared integer n = 0; thread t[2] { while (true) { n = n + 1; assert(n > -5); } }");
    let answer = ask(&Dual, &program, effort::seconds(20));
    let Verdict::Unknown { reason, .. } = answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(matches!(reason, Reason::NotApplicable(_) | Reason::Timeout), "{reason}");
}

/// Random programs of few steps over counters: whatever dual says, the search says too.
#[test]
fn random_counters() {
    let (mut safe, mut not_safe) = (0, 0);
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let mut thread = |name: &str| {
            let mut body = String::new();
            for _ in 0..2 + rng.below(3) {
                body += match rng.below(7) {
                    0 => "x = x + 1; ",
                    1 => "y = y - 1; ",
                    2 => "r = fetch_add(x, 1); ",
                    3 => "x = y + 2; ",
                    4 => "fence; ",
                    5 => "lock(m); y = y + 1; unlock(m); ",
                    _ => "assert(x + y < 3 && y > -2); ",
                };
            }
            format!("thread {name} {{ integer r; {body} assert(x < 4); }}\n")
        };
        let text =
            format!("shared integer x = 0; shared integer y = 0; mutex m;\n{}{}", thread("a"), thread("b"));
        let program = read(&text);
        let answer = ask(&Dual, &program, 2);
        let (dual, search) =
            (word(&program, &answer, &text), word(&program, &ask(&Explicit::default(), &program, 5), &text));
        assert!(dual == search || dual == "unknown", "seed {seed}: {dual}, not {search}\n{text}");
        if let Some(certificate) = answer.certificate {
            check_certificate(&program, &certificate).unwrap_or_else(|u| panic!("seed {seed}: {u}\n{text}"));
            safe += 1;
        }
        not_safe += u32::from(dual == "unsafe");
    }
    assert!(safe > 20 && not_safe > 20, "{safe} safe, {not_safe} unsafe");
}

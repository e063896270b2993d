//! What comes after a verdict, for the verdict of every engine: the simplest run, its story, page, drawing and trace, and the
//! proof; and limits, which end what comes after a verdict and not the verdict.

use crate::{Ran, check, fencepost_args, json, scratch};
use fencepost_samples::effort::{every, seconds};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ENGINES: [&str; 7] = ["auto", "explicit", "dual", "lazy", "rounds", "age", "bmc"];

/// A program in each language, and whether it is safe under TSO.
const PROGRAMS: [(&str, bool); 6] = [
    ("examples/dekker.fp", false),
    ("examples/dekker_fenced.fp", true),
    ("examples/peterson.c", false),
    ("examples/peterson_fenced.c", true),
    ("examples/park.c", false),
    ("examples/mp.fp", true),
];

#[test]
fn every_engine_has_all_of_it() {
    let folder = scratch("after/folder", "").with_file_name("");
    let all = PROGRAMS.into_iter().flat_map(|program| ENGINES.map(|engine| (program, engine)));
    for ((program, is_safe), engine) in all.step_by(every(1).min(4)) {
        let stem = format!("{engine}-{}", Path::new(program).file_name().unwrap().to_string_lossy());
        let file = |ending: &str| folder.join(format!("{stem}.{ending}")).display().to_string();
        let (trace, page, picture, proof) = (file("json"), file("html"), file("svg"), file("proof"));
        for old in [&trace, &page, &picture, &proof] {
            let _ = std::fs::remove_file(old);
        }
        let mut args = vec!["check", program, "--engine", engine, "--timeout", "60", "--report", &page];
        let more: &[&str] =
            if is_safe { &["--certificate", &proof] } else { &["--trace", &trace, "--svg", &picture] };
        args.extend(more);
        // Without bounds, the time limit may end their growth, and that is unknown.
        if is_safe && engine == "bmc" {
            args.extend(["--unwind", "2", "--rounds", "2"]);
        }
        let ran = fencepost_args(&args);
        assert_eq!(ran.code, i32::from(!is_safe), "{args:?}: {}{}", ran.stdout, ran.stderr);
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(page.contains("</html>"), "{args:?}");
        if !is_safe {
            let replayed = fencepost_args(&["replay", program, &trace]);
            assert_eq!(replayed.code, 0, "{args:?}: {}", replayed.stderr);
            assert!(std::fs::read_to_string(&picture).unwrap().contains("</svg>"), "{args:?}");
            let told = fencepost_args(&["explain", program, "--engine", engine, "--timeout", "60"]);
            assert!(told.code == 1 && told.stdout.contains("What happens"), "{args:?}: {}", told.stdout);
        } else if Path::new(&proof).exists() {
            let checked = fencepost_args(&["certify", program, &proof]);
            assert_eq!(checked.code, 0, "{args:?}: {}", checked.stderr);
        }
    }
}

/// Two threads that lose an update, in so many rounds.
fn counters(rounds: u32) -> String {
    format!(
        "#include <pthread.h>\n#include <assert.h>\nint x;\n\
         void *f(void *a) {{ for (int i = 0; i < {rounds}; i++) x++; return 0; }}\n\
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); assert(x == 2 * {rounds}); }}\n"
    )
}

/// What comes after the verdict is ended by the time limit, and the verdict stays.
#[test]
fn a_long_run_is_told_in_time() {
    let page = scratch("after/long.html", "");
    let start = Instant::now();
    let options = ["--timeout", "20", "--report", page.to_str().unwrap()];
    let ran = check("after/long.c", &counters(1000), &options);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    assert!(std::fs::read_to_string(page).unwrap().contains("</html>"));
    assert!(ran.stdout.lines().count() < 4_000, "{} lines", ran.stdout.lines().count());
}

/// The trace of a long run is whole, and can be replayed.
#[test]
fn a_long_trace_is_whole() {
    let program = scratch("after/trace.c", &counters(400));
    let trace = scratch("after/trace.json", "");
    let (program, file) = (program.to_str().unwrap(), trace.to_str().unwrap());
    let ran = fencepost_args(&["check", program, "--engine", "explicit", "--trace", file, "-q"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let steps = json(&std::fs::read_to_string(&trace).unwrap())["trace"].as_array().unwrap().len();
    assert!(steps > 2_400, "{steps}");
    assert_eq!(fencepost_args(&["replay", program, file]).code, 0);
}

/// Checks a program in a process that may have so many megabytes of addresses.
#[cfg(target_os = "linux")]
fn check_with_addresses(megabytes: u64, file: &Path, args: &[&str]) -> Ran {
    run_with_addresses(megabytes, &[&["check", file.to_str().unwrap()], args].concat())
}

/// Runs a command in a process that may have so many megabytes of addresses.
#[cfg(target_os = "linux")]
fn run_with_addresses(megabytes: u64, words: &[&str]) -> Ran {
    let words = words.join(" ");
    let script =
        format!("ulimit -v {}; exec '{}' {words}", megabytes * 1024, env!("CARGO_BIN_EXE_fencepost"));
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &script]).stdin(Stdio::null()).output().expect("there is a shell");
    Ran {
        code: output.status.code().expect("not ended by a signal: an allocation failed"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Many objects before an error, and threads without end: what is kept of a run, and what is searched, stays within the limit.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_limited_after_the_verdict_too() {
    let objects = "#include <stdlib.h>\n#include <assert.h>\nint main(void) {\n\
                   for (int i = 0; i < 20000; i++) { int *p = malloc(4); *p = i; free(p); }\n assert(0); }\n";
    let file = scratch("after/objects.c", objects);
    let ran = check_with_addresses(1_800, &file, &["--memory", "800", "--timeout", "60"]);
    assert!(ran.code == 1 || ran.code == 3, "{}{}", ran.stdout, ran.stderr);
    let threads = "shared 0..3 x;\nprocess w() { x = 1; }\nprocess m() { while (true) { spawn w(); } }\nstart m();\n\
                   final not exists (x == 2);\n";
    let file = scratch("after/threads.fp", threads);
    let limit = seconds(15).to_string();
    for engine in ["age", "rounds", "explicit", "auto"] {
        let args = ["--memory", "200", "--timeout", &limit, "--engine", engine];
        let ran = check_with_addresses(1_400, &file, &args);
        assert!(ran.code == 0 || ran.code == 3, "{engine}: {}{}", ran.stdout, ran.stderr);
    }
}

/// Deep calls before an error: a state is as large as its stack, and few of them are kept.
#[test]
#[cfg(target_os = "linux")]
fn deep_calls_fit() {
    let functions: String = (1..10_000).map(|i| format!("void f{i}(void) {{ f{}(); }}\n", i - 1)).collect();
    let chain = format!(
        "#include <assert.h>\nint x;\nvoid f0(void) {{ x++; }}\n{functions}int main(void) {{ f9999(); assert(x == 2); }}\n"
    );
    let recursion = "#include <assert.h>\nint x;\nstatic int f(int n) { x = n; return n == 0 ? 0 : 1 + f(n - 1); }\n\
                     int main(void) { assert(f(10000) == 0); }\n";
    let texts = [("chain", &chain[..]), ("recursion", recursion)];
    let all = texts.into_iter().flat_map(|text| ["explicit", "lazy"].map(|engine| (text, engine)));
    // If little is wanted, the first and the last.
    for ((name, text), engine) in all.step_by(every(1).min(3)) {
        let file = scratch(&format!("after/deep_{name}.c"), text);
        let args = ["--memory", "300", "--timeout", "120", "--engine", engine, "-q"];
        let ran = check_with_addresses(1_800, &file, &args);
        assert_eq!(ran.code, 1, "{name}, {engine}: {}{}", ran.stdout, ran.stderr);
    }
}

/// Large objects are taken of the limit before they are allocated: a state, a copy of it, and what follows a run again.
#[test]
#[cfg(target_os = "linux")]
fn large_objects_are_refused_before_they_are_there() {
    let spawned = "#include <stdlib.h>\n#include <assert.h>\n#include <pthread.h>\nchar *q; int x;\n\
                   void *f(void *a) { for (int i = 0; i < 30; i++) { q = malloc(8000000); x = 1; } return 0; }\n\
                   int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); assert(x == 0); }\n";
    let alone = "#include <stdlib.h>\n#include <assert.h>\n\
                 int main(void) { for (int i = 0; i < 200; i++) { char *p = malloc(1000000); p[i] = 1; } assert(0); }\n";
    let zeros = "#include <stdlib.h>\n#include <assert.h>\n\
                 int main(void) { char *p = 0; for (int i = 1; i < 16; i++) p = realloc(p, i * 1000000); assert(!p); }\n";
    let commands = [
        "check --engine explicit",
        "check --engine lazy",
        "check --engine bmc",
        "check --model pso",
        "explain",
        "robust",
        "robust --criterion trf",
        "fences",
    ];
    let texts = [("spawned", spawned), ("alone", alone), ("zeros", zeros)];
    let all = commands.into_iter().flat_map(|command| texts.map(|text| (command, text)));
    let limit = seconds(8).to_string();
    // If little is wanted, each command with one of the texts.
    for (command, (name, text)) in all.step_by(every(1).min(4)) {
        let file = scratch(&format!("after/large_{name}.c"), text);
        let limits = ["--memory", "200", "--timeout", &limit, file.to_str().unwrap()];
        let words: Vec<&str> = command.split(' ').chain(limits).collect();
        let ran = run_with_addresses(1_800, &words);
        assert!([0, 1, 3].contains(&ran.code), "{words:?}: {} {}{}", ran.code, ran.stdout, ran.stderr);
    }
}

/// Where there is no time to tell of a run, it is left out with a word, and the verdict stays.
#[test]
fn what_does_not_fit_is_left_out() {
    let stores: String = (0..60_000).map(|i| format!("x = {};\n", i % 7)).collect();
    let text = format!("shared 0..7 x, y;\nthread t {{\n{stores}assert(y == 2); }}\nthread u {{ y = 1; }}");
    let program = scratch("after/left_out.fp", &text);
    let (page, trace) = (scratch("after/left_out.html", ""), scratch("after/left_out.json", ""));
    let words = [
        "check",
        program.to_str().unwrap(),
        "--engine",
        "explicit",
        "--timeout",
        "30",
        "--memory",
        "1",
        "--report",
        page.to_str().unwrap(),
        "--trace",
        trace.to_str().unwrap(),
    ];
    let ran = fencepost_args(&words);
    // A megabyte is enough to find it, or it is not; a page says what it could not draw.
    assert!([1, 3].contains(&ran.code), "{}{}", ran.stdout, ran.stderr);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.ends_with("</html>\n"), "{}", ran.stdout);
    let trace = std::fs::read_to_string(trace).unwrap();
    assert!(trace.is_empty() || json(&trace)["trace"].as_array().is_some_and(|steps| steps.len() > 60_000));
}

/// Many cells, a long buffer and one long line: what is written grows with the run, not with its square.
#[test]
fn what_is_written_grows_with_the_run() {
    let written = |n: usize| {
        let cells: String = (0..n).map(|i| format!("shared 0..3 x{i}; ")).collect();
        let stores: String = (0..n).map(|i| format!("x{i} = {}; ", i % 3)).collect();
        let text =
            format!("{cells} shared 0..1 y; thread t {{ {stores} assert(y == 1); }} thread u {{ y = 1; }}");
        let page = scratch(&format!("written{n}.html"), "");
        let name = format!("written{n}.fp");
        let sarif = check(&name, &text, &["--format", "sarif", "--report", page.to_str().unwrap()]);
        assert_eq!(sarif.code, 1, "{}", sarif.stderr);
        (sarif.stdout.len(), std::fs::metadata(page).unwrap().len() as usize)
    };
    let (few, many) = (written(300), written(900));
    assert!(many.0 < 5 * few.0, "SARIF of {} and {} bytes", few.0, many.0);
    assert!(many.1 < 5 * few.1, "pages of {} and {} bytes", few.1, many.1);
}

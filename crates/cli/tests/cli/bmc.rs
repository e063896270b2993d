//! Bounded model checking from outside: its bounds and files, what its passes print, sequential programs, litmus
//! tests, limits, and its table beside a stand-in for cbmc.

use crate::{check, fencepost, fencepost_args, json, root, scratch};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Unsafe where stores wait, with two rounds.
const SB: &str = "shared int x, y; thread a { int r; x = 1; r = y; } thread b { int s; y = 1; s = x; }
    final not exists (a.r == 0 && b.s == 0);";

/// Needs three repetitions, five bits, and no other thread.
const COUNT: &str =
    "shared int n = 10; thread t { int i = 0; while (i < 3) { n = n + 3; i = i + 1; } assert(n != 19); }";

fn bmc(name: &str, text: &str, args: &str) -> (i32, serde_json::Value) {
    let args: Vec<_> =
        ["--engine", "bmc", "--format", "json"].into_iter().chain(args.split_whitespace()).collect();
    let ran = check(name, text, &args);
    let line = ran.stdout.lines().next().unwrap_or_else(|| panic!("{args:?}: {}", ran.stderr));
    (ran.code, json(line))
}

#[test]
fn bounds_decide_and_are_named() {
    for (text, args, code, scope) in [
        (SB, "--model sc", 0, serde_json::json!("complete")),
        (SB, "", 1, serde_json::json!("complete")),
        (SB, "--rounds 1 --unwind 1 --clock 2", 0, serde_json::json!({"rounds": 1, "unwind": 1, "clock": 2})),
        (SB, "--rounds 2 --unwind 1 --clock 1", 0, serde_json::json!({"rounds": 2, "unwind": 1, "clock": 1})),
        (SB, "--rounds 2 --unwind 1 --clock 2", 1, serde_json::json!("complete")),
        (SB, "--sma tso --queue 1 --rounds 2", 1, serde_json::json!("complete")),
        (SB, "--model pso --sma pso --rounds 2", 1, serde_json::json!("complete")),
        (SB, "--model pso --sma epso --rounds 2", 1, serde_json::json!("complete")),
        (SB, "--sma etso --rounds 2", 1, serde_json::json!("complete")),
        (SB, "--model sc --sma sc", 0, serde_json::json!("complete")),
        (
            COUNT,
            "--unwind 2 --rounds 1 --clock 2",
            0,
            serde_json::json!({"rounds": 1, "unwind": 2, "clock": 2}),
        ),
        (COUNT, "--unwind 3 --rounds 1", 1, serde_json::json!("complete")),
        (COUNT, "", 1, serde_json::json!("complete")),
    ] {
        let (found, line) = bmc("bounds.fp", text, args);
        assert_eq!(found, code, "{args}: {line}");
        if code == 0 {
            assert_eq!(line["scope"], scope, "{args}: {line}");
        } else {
            assert!(!line["trace"].as_array().unwrap().is_empty(), "{args}: {line}");
        }
    }
}

#[test]
fn a_cut_width_reports_nothing_that_is_not_there() {
    // 10 + 3 + 3 + 3 is 19; in four bits it is 3.
    let text = COUNT.replace("n != 19", "n != 3");
    let (code, line) = bmc("width.fp", &text, "--width 4 --unwind 3 --rounds 1");
    assert_eq!((code, line["scope"]["width"].as_u64()), (0, Some(4)), "{line}");
    assert!(line["stats"]["spurious"].as_u64().unwrap() > 0, "{line}");
    let (code, line) = bmc("width_full.fp", COUNT, "--width 8 --unwind 3 --rounds 1");
    assert_eq!(code, 1, "{line}");
}

#[test]
fn formula_and_proof_are_written() {
    let (cnf, drat) = (scratch("formula.cnf", ""), scratch("proof.drat", ""));
    let files = format!("--model sc --rounds 2 --dimacs {} --proof {}", cnf.display(), drat.display());
    let (code, _) = bmc("written.fp", SB, &files);
    assert_eq!(code, 0);
    let formula = std::fs::read_to_string(&cnf).unwrap();
    let header = formula.lines().find(|l| l.starts_with("p cnf")).expect("a header");
    let numbers: Vec<usize> = header.split_whitespace().skip(2).map(|n| n.parse().unwrap()).collect();
    let clauses: Vec<_> = formula.lines().filter(|l| !l.starts_with(['c', 'p'])).collect();
    assert_eq!(clauses.len(), numbers[1]);
    assert!(clauses.iter().all(|c| c.ends_with(" 0") || *c == "0"));
    let largest =
        clauses.iter().flat_map(|c| c.split_whitespace()).map(|n| n.parse::<i64>().unwrap().unsigned_abs());
    assert!(largest.max().unwrap() <= numbers[0] as u64);
    let proof = std::fs::read_to_string(&drat).unwrap();
    assert!(proof.lines().all(|l| l.ends_with('0')), "lines of DRAT end in 0");
    assert!(proof.lines().any(|l| l.trim() == "0"), "the proof ends with the empty clause");
}

#[test]
fn a_formula_that_is_written_changes_no_verdict() {
    let cnf = scratch("bmc/same.cnf", "");
    for program in ["peterson", "peterson_fenced", "dekker", "trylock"] {
        for bounds in ["--unwind 1 --rounds 2", "--unwind 2 --rounds 2", "--unwind 2 --rounds 1 --width 2"] {
            let command = format!("check --engine bmc --format json {bounds} examples/{program}.c");
            let (plain, written) =
                (fencepost(&command), fencepost(&format!("{command} --dimacs {}", cnf.display())));
            let (plain, written) = (json(&plain.stdout), json(&written.stdout));
            assert_eq!(plain["verdict"], written["verdict"], "{command}");
            assert_eq!(plain["scope"], written["scope"], "{command}");
        }
    }
}

#[test]
fn bad_values_are_refused() {
    for args in [
        "--unwind 0",
        "--unwind x",
        "--rounds 0",
        "--rounds 1001",
        "--clock 0",
        "--queue 0",
        "--width 1",
        "--width 65",
        "--sma none",
        "--sma epso",
        "--model sc --sma etso",
        "--dimacs /nowhere/at/all.cnf --rounds 1",
    ] {
        let ran = check(
            "bad.fp",
            SB,
            &[&["--engine", "bmc"][..], &args.split_whitespace().collect::<Vec<_>>()].concat(),
        );
        assert_eq!(ran.code, 2, "{args}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn passes_are_printed() {
    let print = |pass: &str| {
        let ran = fencepost(&format!("check --print after:{pass} --unwind 1 examples/peterson.fp"));
        assert_eq!(ran.code, 0, "{pass}: {}", ran.stderr);
        ran.stdout
    };
    let (inlined, unrolled, numbered) = (print("inline"), print("unroll"), print("number"));
    assert!(inlined.contains("procedure peterson\n") && !inlined.contains("cut"), "{inlined}");
    assert!(unrolled.contains("thread 1 peterson\n") && unrolled.contains("-> cut"), "{unrolled}");
    assert!(unrolled.lines().count() > inlined.lines().count());
    assert!(!unrolled.contains("visible") && numbered.contains("  visible 6:\n"), "{numbered}");
    assert!(print("sequentialize").contains("static void thread_1(void)"));
    let ran = fencepost("check --print after:nothing examples/peterson.fp");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("after:number"), "{}", ran.stderr);
}

#[test]
fn sequential_programs_are_written() {
    let out = scratch("dekker_seq.c", "");
    let command = format!(
        "sequentialize --model pso --rounds 3 --unwind 2 --clock 2 -o {} examples/dekker.c",
        out.display()
    );
    let ran = fencepost(&command);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let text = std::fs::read_to_string(&out).unwrap();
    for part in ["#define ROUNDS 3", "#define CLOCK 2", "__CPROVER_assume", "dekker.c under PSO", "floor_of"]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let ran = fencepost("sequentialize --dialect verifier --model sc examples/dekker.c");
    assert!(ran.stdout.contains("__VERIFIER_nondet_uint") && !ran.stdout.contains("CLOCK"), "{}", ran.stdout);
    for (command, code) in [
        ("sequentialize examples/nothing_there.c", 2),
        ("sequentialize --rounds 0 examples/dekker.c", 2),
        ("sequentialize --dialect none examples/dekker.c", 2),
        ("sequentialize -o /nowhere/at/all.c examples/dekker.c", 2),
    ] {
        assert_eq!(fencepost(command).code, code, "{command}");
    }
    let own = scratch("own.fp", SB);
    let ran = fencepost_args(&["sequentialize", own.to_str().unwrap(), "-o", own.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert_eq!(std::fs::read_to_string(&own).unwrap(), SB, "the program is still there");
    let template = scratch("any.fp", "shared int x; thread t[*] { x = 1; assert(x == 1); }");
    let ran = fencepost_args(&["sequentialize", template.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--threads N"), "{}", ran.stderr);
}

#[test]
fn final_states_of_litmus_tests() {
    let folder = scratch(
        "bmc_litmus/SB.litmus",
        "X86_64 SB\n{ }\nP0 | P1 ;\nmovl $1,(x) | movl $1,(y) ;\nmovl (y),%eax | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)",
    );
    scratch(
        "bmc_litmus/MP.litmus",
        "X86_64 MP\n{ }\nP0 | P1 ;\nmovl $1,(x) | movl (y),%eax ;\nmovl $1,(y) | movl (x),%ebx ;\nexists (1:rax=1 /\\ 1:rbx=0)",
    );
    scratch(
        "bmc_litmus/2+2W.litmus",
        "X86_64 2+2W\n{ }\nP0 | P1 ;\nmovl $1,(x) | movl $1,(y) ;\nmovl $2,(y) | movl $2,(x) ;\nexists (x=1 /\\ y=1)",
    );
    scratch(
        "bmc_litmus/X.litmus",
        "X86_64 X\n{ }\nP0 | P1 ;\nmovl $1,%eax | movl $2,%eax ;\nxchgl %eax,(x) | xchgl %eax,(x) ;\nforall (x=1 \\/ x=2)",
    );
    let folder = folder.parent().unwrap().to_str().unwrap();
    for model in ["sc", "tso", "pso"] {
        let answers = |engine: &str| {
            let ran =
                fencepost_args(&["litmus", "--engine", engine, "--model", model, "--format", "json", folder]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            ran.stdout
                .lines()
                .map(|l| {
                    let l = json(l);
                    (l["test"].clone(), l["observation"].clone(), l["states"].clone())
                })
                .collect::<Vec<_>>()
        };
        let found = answers("bmc");
        assert_eq!(found.len(), 4);
        assert_eq!(found, answers("explicit"), "under {model}");
    }
}

/// All recorded tests, with all their final states; seconds in a debug build.
#[test]
fn recorded_answers_of_herd() {
    for model in ["sc", "tso"] {
        let path = root().join(format!("../shared/litmus/expected-{model}.jsonl"));
        if !path.exists() {
            println!("skipped: no recorded answers at ../shared/litmus");
            return;
        }
        let ran = fencepost_args(&[
            "litmus",
            "--engine",
            "bmc",
            "--model",
            model,
            "--expect",
            path.to_str().unwrap(),
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        assert!(ran.stderr.contains("239 compared, 0 different"), "{}", ran.stderr);
    }
}

/// The same tests under PSO, of which herd has said nothing: as explicit search finds them.
#[test]
fn recorded_tests_under_pso() {
    let folder = root().join("../shared/litmus/x86");
    if !folder.exists() {
        println!("skipped: no recorded tests at ../shared/litmus");
        return;
    }
    let folder = folder.to_str().unwrap();
    let answers = |engine: &str| {
        let ran =
            fencepost_args(&["litmus", "--engine", engine, "--model", "pso", "--format", "json", folder]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let states = |line| {
            let line = json(line);
            (line["file"].clone(), line["observation"].clone(), line["states"].clone())
        };
        ran.stdout.lines().map(states).collect::<Vec<_>>()
    };
    let found = answers("bmc");
    assert_eq!(found.len(), 239);
    assert_eq!(found, answers("explicit"));
}

/// Takes the solver much longer than any test waits.
const LONG: &str = "check --engine bmc --model sc --unwind 3 --rounds 4 examples/bmc/safestack.c";

#[test]
fn the_time_limit_reaches_the_solver() {
    let start = Instant::now();
    let ran = fencepost(&format!("{LONG} --timeout 3"));
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(ran.code, 3, "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn an_interrupt_reaches_the_solver() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(LONG.split_whitespace()).current_dir(root()).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let start = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(status.code(), Some(3));
}

/// A stand-in for cbmc: it says unsafe of everything, and writes down what it was called with.
#[cfg(unix)]
#[test]
fn the_table_has_cbmc_on_the_files_and_on_ours() {
    use std::os::unix::fs::PermissionsExt;
    let log = scratch("bench_bmc/log", "");
    let stand_in = scratch(
        "bench_bmc/bin/cbmc",
        &format!(
            "#!/bin/sh\nfor last; do :; done\necho \"$@\" >> {0}\n[ -f \"$last\" ] && grep -c thread_0 \"$last\" >> {0}\nexit 10\n",
            log.display()
        ),
    );
    std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", stand_in.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command
        .args(["bench", "bmc", "--format", "json"])
        .current_dir(root())
        .env("PATH", path)
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<_> = String::from_utf8(output.stdout).unwrap().lines().map(json).collect();
    let tools = |tool: &str| lines.iter().filter(|l| l["tool"] == tool).count();
    assert_eq!([tools("ours"), tools("cbmc"), tools("cbmc-seq")], [36; 3]);
    assert!(lines.iter().filter(|l| l["tool"] != "ours").all(|l| l["verdict"] == "unsafe"));
    let log = std::fs::read_to_string(log).unwrap();
    assert!(
        log.contains("--mm tso --unwind 3") && log.contains("--mm sc") && log.contains("-DFENCES"),
        "{log}"
    );
}

//! `sequentialize` with the reference abstractions: the text compiles without warnings, and search of it by this tool, as of
//! any sequential program, says what `check --engine bmc` says with the same abstraction.

use crate::{fencepost_args, scratch};
use std::process::Command;

fn two_threads(first: &str, second: &str, condition: &str) -> String {
    format!(
        "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int x, y, r, s;
static void *one(void *p) {{ {first} return p; }}
static void *two(void *p) {{ {second} return p; }}
int main(void)
{{
    pthread_t t, u;
    pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0);
    pthread_join(t, 0); pthread_join(u, 0);
    assert({condition});
    return 0;
}}
"
    )
}

fn check(name: &str, text: &str, [model, sma, queue]: [&str; 3], code: i32) {
    let path = scratch(&format!("{name}.c"), text);
    let path = path.to_str().unwrap();
    let mut bounds = vec!["--model", model, "--sma", sma, "--rounds", "2", "--unwind", "1"];
    if sma != "sc" {
        bounds.extend(["--queue", queue]);
    }
    let engine = ["check", path, "--engine", "bmc", "-q"];
    let ran = fencepost_args(&[&engine[..], &bounds].concat());
    assert_eq!(ran.code, code, "{name}, {model}: {}{}", ran.stdout, ran.stderr);
    for dialect in ["verifier", "cprover"] {
        let ran = fencepost_args(&[&["sequentialize", path, "--dialect", dialect], &bounds[..]].concat());
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        let file = scratch(&format!("{name}_{sma}_{dialect}.c"), &ran.stdout);
        let file = file.to_str().unwrap();
        for define in ["PLAIN", "ONE_BY_ONE", "CHECK_UNWINDING"] {
            let compiler = Command::new("cc")
                .args(["-Wall", "-c", "-o", "/dev/null", &format!("-D{define}"), file])
                .output()
                .expect("there is a C compiler");
            let warnings = String::from_utf8(compiler.stderr).unwrap();
            assert_eq!(warnings, "", "{name}, {sma}, {dialect}: {}", ran.stdout);
        }
        if dialect == "verifier" {
            let again = ["check", file, "--model", "sc", "--engine", "explicit", "-D", "ONE_BY_ONE", "-q"];
            let ran = fencepost_args(&again);
            assert_eq!(ran.code, code, "{name}, {sma}, made sequential: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn store_buffering_with_queues() {
    let plain = two_threads("x = 1; r = y;", "y = 1; s = x;", "r || s");
    let fence = "atomic_thread_fence(memory_order_seq_cst);";
    let fenced = two_threads(&format!("x = 1; {fence} r = y;"), &format!("y = 1; {fence} s = x;"), "r || s");
    check("queues_sb", &plain, ["sc", "sc", "0"], 0);
    check("queues_sb", &plain, ["tso", "tso", "1"], 1);
    check("queues_sb", &plain, ["pso", "pso", "1"], 1);
    check("queues_sb_fenced", &fenced, ["tso", "tso", "1"], 0);
}

#[test]
fn message_passing_with_queues() {
    let plain = two_threads("x = 1; y = 1;", "r = y; s = x;", "!r || s");
    let release = "atomic_thread_fence(memory_order_release);";
    let fenced = two_threads(&format!("x = 1; {release} y = 1;"), "r = y; s = x;", "!r || s");
    check("queues_mp", &plain, ["tso", "tso", "2"], 0);
    check("queues_mp", &plain, ["pso", "pso", "2"], 1);
    check("queues_mp_fenced", &fenced, ["pso", "pso", "2"], 0);
}

#[test]
fn own_stores_and_exchanges_with_queues() {
    let own = two_threads("x = 1; x = 2; r = x;", "y = 1; s = y;", "r == 2 && s == 1");
    check("queues_own", &own, ["tso", "tso", "2"], 0);
    check("queues_own", &own, ["pso", "pso", "2"], 0);
    let swap = "__atomic_exchange_n";
    let exchanged =
        two_threads(&format!("{swap}(&x, 1, 5); r = y;"), &format!("{swap}(&y, 1, 5); s = x;"), "r || s");
    check("queues_exchange", &exchanged, ["tso", "tso", "1"], 0);
}

#[test]
fn abstractions_that_do_not_fit() {
    let path = scratch("queues_bad.c", &two_threads("x = 1;", "y = 1;", "1"));
    let path = path.to_str().unwrap();
    let ran = fencepost_args(&["sequentialize", path, "--sma", "pso"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("this --sma is for --model pso"), "{}", ran.stderr);
    let ran = fencepost_args(&["sequentialize", path, "--queue", "2"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--queue is for --sma tso and --sma pso"), "{}", ran.stderr);
}

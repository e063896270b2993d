//! What is asked of a program: properties by name, the command line and the exit status of C programs, and warnings where
//! a verdict means little.

use crate::c_checks::two_threads;
use crate::{check, json, scratch};
use serde_json::Value;

const ENGINES: [&[&str]; 7] = [
    &["--engine", "auto"],
    &["--engine", "explicit"],
    &["--engine", "dual"],
    &["--engine", "lazy"],
    &["--engine", "bmc"],
    &["--engine", "rounds", "--rounds", "3"],
    &["--engine", "age", "--age", "2"],
];

/// A program in which the second thread may see that the first has not come as far, and then does something.
fn racing(then: &str) -> String {
    two_threads(
        "extern void reach_error(void); int x, y, *null, zero; void bad(void) { }",
        "x = 1; if (y == 2) x = 3;",
        &format!("y = 1; if (x == 0) {{ {then} }}"),
        "",
    )
}

#[test]
fn every_engine_answers_for_one_property() {
    let rows = [
        ("assert(0);", "assert", ["memory", "reach=bad"]),
        ("*null = 1;", "memory", ["assert", "overflow"]),
        ("exit(3);", "exit", ["assert", "memory"]),
        ("abort();", "exit", ["assert", "memory"]),
        ("bad();", "reach=bad", ["assert", "exit"]),
        ("reach_error();", "reach=reach_error", ["memory", "exit"]),
        ("goto there; there: bad();", "reach=there", ["assert", "memory"]),
    ];
    for (row, (then, property, others)) in rows.into_iter().enumerate() {
        let text = racing(then);
        // Each engine has its rows, and every row two engines beside `auto`.
        for engine in [0, 1 + row % 6, 1 + (row + 3) % 6].map(|number| ENGINES[number]) {
            let code = |property: &str| {
                let ran = check("asked.c", &text, &[&["-q", "--property", property], engine].concat());
                (ran.code, ran.stdout)
            };
            let found = code(property);
            assert_eq!(found.0, 1, "{then} {property} {engine:?}: {}", found.1);
            for other in others {
                let (code, told) = code(other);
                let another_first = engine[1] != "auto" && engine[1] != "explicit" && code == 3;
                assert!(code == 0 || another_first, "{then} {other} {engine:?}: {told}");
            }
        }
    }
}

#[test]
fn short_forms_are_properties() {
    let text = two_threads("int x;", "x = 1;", "x = 2;", "");
    for (short, property) in [("--races", "races"), ("--deadlock", "deadlock"), ("--leaks", "leaks")] {
        let short = check("short.c", &text, &["-q", short]).code;
        assert_eq!(short, check("short.c", &text, &["-q", "--property", property]).code, "{property}");
    }
    assert_eq!(check("short.c", &text, &["-q", "--property", "races"]).code, 1);
    let overflows = racing("zero = 2147483647; zero++;");
    for (args, code) in
        [(["--property", "overflow"], 1), (["--property", "memory"], 0), (["-q", "--overflow"], 1)]
    {
        assert_eq!(check("overflows.c", &overflows, &args).code, code, "{args:?}");
    }
    assert_eq!(check("short.c", &text, &["-q", "--property", "assert,deadlock"]).code, 0);
    // Engines that do not look for races say so.
    assert_eq!(check("short.c", &text, &["-q", "--property", "races", "--engine", "bmc"]).code, 3);
    for wrong in ["asserts", "reach=", "reach=nothing_of_this_name"] {
        assert_eq!(check("short.c", &text, &["-q", "--property", wrong]).code, 2, "{wrong}");
    }
    let model =
        "shared int x;\nthread t {\n    x = 1;\nhere:\n    x = 2;\n}\nthread u {\n    assert(x != 2);\n}\n";
    assert_eq!(check("model.fp", model, &["-q"]).code, 1);
    // Models have no memory to misuse.
    assert_eq!(check("model.fp", model, &["-q", "--property", "memory"]).code, 2);
    assert_eq!(check("model.fp", model, &["-q", "--property", "reach=here"]).code, 1);
}

const ARGUMENTS: &str = "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nint n;\n\
    void *first(void *arg) { n++; return arg; }\n\
    int main(int argc, char **argv) {\n    if (argc < 3) return 1;\n    if (strcmp(argv[2], \"go\")) exit(2);\n\
    \x20   if (argv[argc]) return 3;\n    n = atoi(argv[1]);\n    pthread_t t;\n\
    \x20   pthread_create(&t, 0, first, 0);\n    pthread_join(t, 0);\n    return n == 8 ? 256 : n;\n}\n";

#[test]
fn programs_have_a_command_line_and_a_status() {
    let code = |args: &[&str]| check("arguments.c", ARGUMENTS, args).code;
    assert_eq!(code(&["-q", "--exit-status", "--args", "7", "go"]), 0);
    assert_eq!(code(&["-q", "--exit-status", "--args", "6", "go"]), 1);
    assert_eq!(code(&["-q", "--exit-status", "--args", "7", "stop"]), 1);
    assert_eq!(code(&["-q", "--exit-status"]), 1);
    assert_eq!(code(&["-q"]), 0);
    let told = check("arguments.c", ARGUMENTS, &["-q", "--exit-status", "--args", "7", "-x"]).stdout;
    assert!(told.contains("ends with a status that is not 0 at"), "{told}");
    // What runs after `main` does not change what it returned.
    let handlers = "#include <stdlib.h>\nvoid last(void) { }\nint main(void) { atexit(last); return 4; }\n";
    assert_eq!(check("handlers.c", handlers, &["-q", "--exit-status"]).code, 1);
    assert_eq!(check("handlers.c", &handlers.replace('4', "0"), &["-q", "--exit-status"]).code, 0);
}

#[test]
fn a_verdict_that_means_little_comes_with_a_warning() {
    let nothing = two_threads("int x;", "x = 1;", "x = 2;", "");
    let alone = "#include <assert.h>\nint main(void) { assert(1); return 0; }\n";
    let ignored = two_threads("int x;", "x = 1;\n#pragma omp parallel for\n", "", "assert(x == 1);");
    for (text, args, part) in [
        (nothing.as_str(), &[][..], "nothing is checked here except memory safety"),
        (alone, &[], "the program starts no thread"),
        (ARGUMENTS, &["--exit-status", "--no-check", "exit"], "ends before its first thread"),
        (&ignored, &[], "`#pragma omp parallel for` is ignored"),
    ] {
        let ran = check("warned.c", text, &[&["-q"], args].concat());
        assert_eq!(ran.code, 0, "{part}: {}", ran.stdout);
        assert!(ran.stderr.contains("warning: ") && ran.stderr.contains(part), "{part}: {}", ran.stderr);
        assert_eq!(check("warned.c", text, &[&["-q", "--strict"], args].concat()).code, 2, "{part}");
        let ran = check("warned.c", text, &[&["--format", "json"], args].concat());
        let object = json(&ran.stdout);
        let told = |w: &Value| w["message"].as_str().is_some_and(|m| m.contains(part));
        assert!(object["warnings"].as_array().is_some_and(|list| list.iter().any(told)), "{object}");
        let ran = check("warned.c", text, &[&["--format", "sarif"], args].concat());
        let log = json(&ran.stdout);
        let run = &log["runs"][0]["invocations"][0];
        let notes = run["toolExecutionNotifications"].as_array().expect("a list");
        let is_told = |n: &Value| {
            n["level"] == "warning" && n["message"]["text"].as_str().is_some_and(|t| t.contains(part))
        };
        assert!(notes.iter().any(is_told) && run["executionSuccessful"] == true, "{run}");
    }
    let page = scratch("warned.html", "");
    let page = page.to_str().expect("a path");
    let ran = check("warned.c", &nothing, &["-q", "--report", page]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(page).expect("it was written");
    assert!(text.contains("<h2>Warning</h2>") && text.contains("nothing is checked here"));
    // Who asks for something is not warned that nothing is asked.
    let ran = check("asks.c", &nothing, &["-q", "--strict", "--property", "memory"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let model = "shared int x;\nthread t {\n    x = 1;\n}\n";
    assert_eq!(check("nothing.fp", model, &["-q"]).code, 2);
}

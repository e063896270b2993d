//! Caps inside engines make no verdict: what is not looked at is unknown, and never safe or robust.

use crate::{check, fencepost_args, scratch};
use fencepost_samples::effort::seconds;

/// So many final states that their number has more than 64 bits.
#[test]
fn more_final_states_than_can_be_counted() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let (variables, all) = (names.map(|n| format!("{n} = any")), names.map(|n| format!("{n} == 1")));
    let text = format!(
        "shared u8 {};\nthread t {{ a = 1; }}\nfinal not exists ({});\n",
        variables.join(", "),
        all.join(" && ")
    );
    let limit = seconds(20).to_string();
    for engine in ["dual", "auto"] {
        let ran = check("final_states.fp", &text, &["--engine", engine, "--timeout", &limit, "-q"]);
        assert!([1, 3].contains(&ran.code), "{engine}: {}{}", ran.stdout, ran.stderr);
    }
}

/// A section that no run passes is a deadlock; where that takes too long to see, nothing is said.
#[test]
fn long_sections_that_cannot_be_passed() {
    let section = |steps: u32| {
        format!(
            "shared 0..1 x; thread t {{ 0..{steps} i; atomic {{ while (i < {steps}) {{ i = i + 1; }} assume(x == 1); }} }}\n"
        )
    };
    let short = check("short_section.fp", &section(10), &["--deadlock", "-q"]);
    assert_eq!(short.code, 1, "{}", short.stdout);
    let long = check("long_section.fp", &section(5000), &["--deadlock", "-q"]);
    assert_eq!(long.code, 3, "{}", long.stdout);
    assert!(long.stdout.contains("an atomic section has more than 4096 states"), "{}", long.stdout);
    let passed =
        check("passed_section.fp", &section(5000).replace("x == 1", "x == 0"), &["--deadlock", "-q"]);
    assert_ne!(passed.code, 1, "{}", passed.stdout);
}

/// A violation that only a cut width makes hides none that is real.
#[test]
fn violations_beside_those_of_a_cut_width() {
    let text = "shared 0..15 x = any; thread a { u8 s = 8; int r = x; if (r == 7) { s = 0; } s = s + s; assert(s != 0); }\n";
    let ran = check("beside_width.fp", text, &["--engine", "bmc", "--width", "4", "-q"]);
    assert!([1, 3].contains(&ran.code), "{}", ran.stdout);
}

/// Addresses of many objects are compared: their order is another one in other runs.
#[test]
fn the_order_of_many_objects() {
    let text = |n: u32| {
        format!(
            "#include <stdlib.h>\n#include <pthread.h>\n#include <assert.h>\nint *c[{0} * 2];\n\
             void *t(void *a) {{ for (int i = 0; i < {0}; i++) c[i] = malloc(4); return 0; }}\n\
             void *u(void *a) {{ for (int i = {0}; i < {0} * 2; i++) c[i] = malloc(4); return 0; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, u, 0);\n\
             pthread_join(a, 0); pthread_join(b, 0); unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();\n\
             if (i < {0} && j >= {0} && j < {0} * 2) {{ int *p = c[i], *q = c[j]; if (p && q) assert(p < q); }} return 0; }}\n",
            n
        )
    };
    let limit = seconds(60).to_string();
    for n in [2, 50] {
        let unwind = (n + 1).to_string();
        let args = ["--engine", "bmc", "--unwind", &unwind, "--rounds", "2", "-q", "--timeout", &limit];
        let ran = check("many_ordered.c", &text(n), &args);
        assert!([1, 3].contains(&ran.code), "{n}: {}{}", ran.stdout, ran.stderr);
    }
}

/// What threads know of a large array is refused before it is there.
#[test]
fn views_of_many_cells() {
    let text = "shared int a[1000]; thread t { a[0]@seq_cst = 1; } thread u { int r = a[0]@seq_cst; }\n";
    let file = scratch("views.fp", text);
    let words = ["robust", "--model", "c11", "--memory", "200", file.to_str().unwrap()];
    let ran = fencepost_args(&words);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1000 cells"), "{}", ran.stdout);
}

//! Small C programs with their verdicts under the three models, by several engines: `tests/c_verdicts/*.txt`.

use crate::{check, scratch};
use fencepost_samples::effort::every;
use std::path::Path;

struct Sample {
    name: String,
    /// The exit code that each model should give.
    codes: [i32; 3],
    text: String,
}

fn samples(file: &str) -> Vec<Sample> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_verdicts").join(file);
    let all = std::fs::read_to_string(path).unwrap();
    let parts = all.split("\n//// ").skip(1);
    let samples: Vec<Sample> = parts
        .map(|part| {
            let (head, text) = part.split_once('\n').expect("a program follows its name");
            let words: Vec<&str> = head.split(' ').collect();
            let [name, sc, tso, pso] = words[..] else { panic!("{head}: a name and three verdicts") };
            let codes = [sc, tso, pso].map(|v| if v == "u" { 1 } else { 0 });
            Sample { name: name.into(), codes, text: format!("{text}\n") }
        })
        .collect();
    assert!(!samples.is_empty(), "{file}");
    samples
}

/// Explicit search decides all of them; bounded model checking finds every violation, and no other.
fn agree(file: &str) {
    for Sample { name, codes, text } in samples(file).into_iter().step_by(every(1)) {
        for (model, code) in ["sc", "tso", "pso"].into_iter().zip(codes) {
            let by = |engine: &[&str]| {
                check(&format!("{name}.c"), &text, &[&["-q", "--model", model, "--engine"], engine].concat())
            };
            let ran = by(&["explicit", "--timeout", "60"]);
            assert_eq!(ran.code, code, "{name} under {model}:\n{}{}", ran.stdout, ran.stderr);
            let ran = by(&["bmc", "--unwind", "4", "--rounds", "2"]);
            assert_eq!(ran.code, code, "{name} under {model}, bounded:\n{}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn small_programs() {
    for Sample { name, codes, text } in samples("programs.txt").into_iter().step_by(every(1)) {
        for (model, code) in ["sc", "tso", "pso"].into_iter().zip(codes) {
            let ran = check(&format!("{name}.c"), &text, &["-q", "--model", model, "--timeout", "60"]);
            assert_eq!(ran.code, code, "{name} under {model}:\n{}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn variables_of_blocks() {
    agree("blocks.txt");
}

/// What a block's end means cannot be said in C text; where it cannot be observed, the translation is as before.
#[test]
fn blocks_in_translated_programs() {
    let translated = |text: &str| {
        let path = scratch("block_translated.c", text);
        crate::fencepost_args(&["translate", path.to_str().unwrap(), "--rounds", "2"])
    };
    let outside = translated("int *p;\nint main(void) {\n  { int x = 1; p = &x; }\n  return *p; }\n");
    assert_eq!(outside.code, 2, "{}", outside.stdout);
    assert!(outside.stderr.contains("block_translated.c:3:"), "{}", outside.stderr);
    let inside = translated(
        "int main(void) { for (int i = 0; i < 2; i++) { int x = i, *p = &x; *p = 2; } return 0; }\n",
    );
    assert_eq!(inside.code, 0, "{}", inside.stderr);
}

/// How far the next row of an array of variable length is, only the run knows.
#[test]
fn pointers_to_rows_are_moved() {
    for (moved, value) in [("(*(p + 1))[0]", 7), ("(*p++)[0]", 3), ("(p + 1)[0][0]", 7), ("p + 1 - a", 1)] {
        let text = format!(
            "#include <assert.h>\nint main(void) {{ int m = 2, a[2][m]; a[0][0] = 3; a[1][0] = 7; int (*p)[m] = a;\n\
             assert(({moved}) == VALUE); return 0; }}\n"
        );
        for (wanted, code) in [(value, 0), (value + 1, 1)] {
            let text = text.replace("VALUE", &wanted.to_string());
            let ran = check("rows_moved.c", &text, &["-q"]);
            assert_eq!(ran.code, code, "{moved} == {wanted}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

/// What is said of a program that is refused.
fn refused(name: &str, text: &str) -> String {
    let ran = check(name, text, &["-q"]);
    assert_eq!(ran.code, 2, "{name}: {}", ran.stdout);
    ran.stderr
}

/// The bits of a floating-point number are not known, by whatever way they are looked at.
#[test]
fn bits_of_numbers_decide_nothing() {
    let head = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <pthread.h>\n";
    let refusals = [
        "int main(void) { double d = 1.5; void *p = &d;\nassert(*(long *)p); return 0; }",
        "long bits(void *p) { return *(long *)p; } int main(void) { double d = 1.5;\nassert(bits(&d)); return 0; }",
        "double g = 2.5; long h; void cp(void *a, void *b, int n) { memcpy(a, b, n); }\
         int main(void) { cp(&h, &g, 8);\nassert(h); return 0; }",
        "int main(void) { double *d = malloc(sizeof *d); *d = 3.5; void *q = d; long *l = q;\nassert(*l); return 0; }",
        "struct s { int k; float f[2]; } g = { 1, { 2, 3 } }; int main(void) { char *b = (char *)&g; int s = 0;\
         for (int i = 4; i < 12; i++)\ns += b[i]; return s; }",
        "double box; void *t(void *p) { *(double *)p = 1.5; return 0; } long get(void *p) { return *(long *)p; }\
         int main(void) { pthread_t x; pthread_create(&x, 0, t, &box); pthread_join(x, 0); long v = get(&box);\nassert(v); return 0; }",
        "int main(void) { float f = 1; void *p = &f; int a[3] = { 0 };\nreturn a[*(int *)p]; }",
    ];
    for (i, text) in refusals.into_iter().enumerate() {
        let said = refused("bits.c", &format!("{head}{text}\n"));
        assert!(
            said.contains("floating point is not supported") && said.contains("bits.c:6:"),
            "{i}: {said}"
        );
    }
    let fine = [
        "struct s { int k; double d; }; int main(void) { struct s a = { 1, 2.5 }, b; memcpy(&b, &a, sizeof a);\
         assert(b.k == 1); b = a; void *p = &b; struct s *q = p; q->d += 1; assert(q->k == 1); return 0; }",
        "void cp(void *a, void *b, int n) { memcpy(a, b, n); } int main(void) { double d = 1.5, e; cp(&e, &d, sizeof d);\
         long l = 7, m; cp(&m, &l, sizeof l); return 0; }",
        "static void *sum(void *p) { double *d = p; *d = *d * 2 + 1; return 0; } int main(void) { double d = 1.5; int n = 3;\
         pthread_t t; pthread_create(&t, 0, sum, &d); pthread_join(t, 0); assert(n == 3); return 0; }",
    ];
    for (i, text) in fine.into_iter().enumerate() {
        let ran = check("numbers.c", &format!("{head}{text}\n"), &["-q", "--model", "sc"]);
        assert_eq!(ran.code, 0, "{i}: {}{}", ran.stdout, ran.stderr);
    }
}

/// However many variables they travel through, and whatever the order of the statements.
#[test]
fn bits_of_numbers_travel_far() {
    for count in [20, 60, 200] {
        let declared: Vec<_> = (0..count).map(|i| format!("void *v{i}")).collect();
        // From the last to the first, so that each round over the program follows one step.
        let moves: Vec<_> = (1..count).rev().map(|i| format!("v{i} = v{};", i - 1)).collect();
        let text = format!(
            "#include <assert.h>\ndouble d = 1.5; {};\nint main(void) {{ v0 = &d;\nfor (int i = 0; i < {count}; i++) {{ {} }}\n\
             assert(*(long *)v{});\nreturn 0; }}\n",
            declared.join("; "),
            moves.join(" "),
            count - 1
        );
        let said = refused("travels.c", &text);
        assert!(said.contains("floating point is not supported"), "{count}: {said}");
    }
}

#[test]
fn calls_that_are_not_modelled_say_so() {
    let barrier = "#include <sys/syscall.h>\n#include <unistd.h>\nint main(void) { syscall(__NR_membarrier, 1, 0); return 0; }\n";
    let said = refused("barrier.c", barrier);
    assert!(said.contains("`membarrier`") && said.contains("barrier.c:3:18"), "{said}");
    let jump =
        "#include <setjmp.h>\njmp_buf b;\nint main(void) { if (!setjmp(b))\nlongjmp(b, 1); return 0; }\n";
    let said = refused("jump.c", jump);
    assert!(said.contains("`longjmp` is not supported") && said.contains("jump.c:4:1"), "{said}");
    let fork = "#include <unistd.h>\nint main(void) {\nreturn fork(); }\n";
    let said = refused("fork.c", fork);
    assert!(said.contains("`fork` is not supported") && said.contains("fork.c:3:8"), "{said}");
}

/// A signal without waiters orders nothing, with and without `--deadlock`.
#[test]
fn signals_without_waiters_are_no_fences() {
    let text = "#include <pthread.h>\n#include <assert.h>\nint x, y, a, b; pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
        void *p(void *u) { x = 1; CALL; a = y; return u; }\nvoid *q(void *u) { y = 1; CALL; b = x; return u; }\n\
        int main(void) { pthread_t t, u; pthread_create(&t, 0, p, 0); pthread_create(&u, 0, q, 0);\n\
        pthread_join(t, 0); pthread_join(u, 0); assert(a || b); return 0; }\n";
    for call in ["pthread_cond_signal(&c)", "pthread_cond_broadcast(&c)"] {
        for more in [&[][..], &["--deadlock"]] {
            let ran =
                check("signal.c", &text.replace("CALL", call), &[&["-q", "--model", "tso"], more].concat());
            assert_eq!(ran.code, 1, "{call} {more:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

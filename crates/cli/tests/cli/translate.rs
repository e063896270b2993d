//! Translations from TSO to SC: the mutual exclusion algorithms of the paper's Table 1, what is refused, and what
//! the text looks like. Those of C are in `translate_c.rs`, the engines in `translated.rs`.

use crate::{check, fencepost, fencepost_args, scratch};

fn translated(example: &str, bound: [&str; 2]) -> String {
    let ran = fencepost_args(&["translate", example, bound[0], bound[1]]);
    assert_eq!(ran.code, 0, "{example}: {}", ran.stderr);
    ran.stdout
}

/// Atig, Bouajjani and Parlato, Table 1, and programs with recursion, spawn, locks and atomic operations.
#[test]
fn translations_are_as_safe_as_the_originals() {
    for (example, bound, code) in [
        ("dekker", ["--age", "2"], 1),
        ("dekker_fenced", ["--age", "2"], 0),
        ("lamport2", ["--age", "2"], 1),
        ("lamport2_fenced", ["--age", "2"], 0),
        ("peterson", ["--age", "2"], 1),
        ("peterson_fenced", ["--age", "2"], 0),
        ("szymanski", ["--age", "2"], 1),
        ("szymanski_fenced", ["--age", "2"], 0),
        ("peterson", ["--rounds", "2"], 1),
        ("peterson_fenced", ["--rounds", "3"], 0),
        // Both threads have to end, so their stores have to leave the buffers.
        ("sb", ["--rounds", "1"], 0),
        ("sb", ["--rounds", "2"], 1),
        ("sb", ["--age", "0"], 0),
        ("sb_fenced", ["--rounds", "2"], 0),
        ("spinlock", ["--rounds", "2"], 0),
        ("recursion", ["--age", "1"], 0),
        ("spawn", ["--rounds", "2"], 0),
        ("spawn_racy", ["--rounds", "2"], 1),
    ] {
        let text = translated(&format!("examples/{example}.fp"), bound);
        let name = format!("{example}{}{}.fp", bound[0], bound[1]);
        let ran = check(&name, &text, &["--model", "sc", "--engine", "explicit", "-q"]);
        assert_eq!(ran.code, code, "{example} {bound:?}: {}{}", ran.stdout, ran.stderr);
    }
}

/// But for comments and empty lines, printing what was read gives the text again.
#[test]
fn the_text_is_in_the_form_that_it_is_printed_in() {
    for example in ["examples/peterson.fp", "examples/bakery.fp", "examples/recursion.fp"] {
        let text = translated(example, ["--rounds", "2"]);
        let path = scratch("formatted.fp", &text);
        let printed = fencepost_args(&["check", path.to_str().unwrap(), "--print", "tree"]);
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        let again = scratch("formatted_again.fp", &printed.stdout);
        let twice = fencepost_args(&["check", again.to_str().unwrap(), "--print", "tree"]);
        assert_eq!(twice.stdout, printed.stdout);
    }
}

#[test]
fn the_text_is_linear_in_the_program_and_in_the_bound() {
    let program = |n: usize| {
        let stores = "    x = y; y = x + 1;\n".repeat(n);
        format!("shared int x, y;\nthread t {{\n{stores}    assert(x == y);\n}}\n")
    };
    let length = |n: usize, k: &str| {
        let path = scratch(&format!("linear_{n}.fp"), &program(n));
        translated(path.to_str().unwrap(), ["--rounds", k]).len()
    };
    let (small, large) = (length(50, "2"), length(100, "2"));
    assert!(large < 2 * small + 1000, "{small} {large}");
    let (few, many) = (length(50, "5"), length(50, "10"));
    assert!(many < 2 * few, "{few} {many}");
}

#[test]
fn what_cannot_be_translated_is_refused_with_its_place() {
    let refused = |name: &str, text: &str, args: &[&str], words: &[&str]| {
        let path = scratch(name, text);
        let ran = fencepost_args(&[&["translate", path.to_str().unwrap()], args].concat());
        assert_eq!(ran.code, 2, "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.is_empty(), "{name}: {}", ran.stdout);
        for word in words {
            assert!(ran.stderr.contains(word), "{name}: {word}: {}", ran.stderr);
        }
    };
    let rounds = ["--rounds", "2"];
    let endless = "shared integer a[*];\nthread t { a[1] = 1; assert(a[1] == 1); }\n";
    refused("endless.fp", endless, &rounds, &["endless.fp:1:", "array without end"]);
    let label = "shared int x;\nthread t { atomic { l: x = 1; } }\nforbid t at l;\n";
    refused("label.fp", label, &["--age", "1"], &["label.fp:2:", "in an atomic section"]);
    let c = |body: &str| {
        format!(
            "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\nint *p; int x;\nunion {{ int i; char c; }} u;\n\
             void *t(void *a) {{ x = *(int *)a; return 0; }}\nint main(void) {{ pthread_t h; {body} assert(x); return 0; }}\n"
        )
    };
    refused(
        "heap.c",
        &c("p = malloc(4); *p = 1;"),
        &rounds,
        &["heap.c:7:", "allocated memory", "docs/translate.md"],
    );
    refused("union.c", &c("u.i = 1;"), &rounds, &["union.c:5:", "union"]);
    let unset = c("int v; pthread_create(&h, 0, t, &v);");
    refused("unset.c", &unset, &rounds, &["unset.c:7:", "before it is set"]);
    let any = c("for (;;) { pthread_create(&h, 0, t, &x); }");
    refused("any.c", &any, &rounds, &["any.c:7:", "any number of threads"]);
    refused("broken.fp", "shared int x\n", &rounds, &["broken.fp:", "expected"]);
    refused(
        "dialect.fp",
        "shared int x;\nthread t { assert(x == 0); }\n",
        &["--age", "1", "--dialect", "cprover"],
        &["--dialect is for C"],
    );
    for wrong in [
        "",
        "--rounds 1 --age 1",
        "--rounds 0",
        "--rounds 101",
        "--age -1",
        "--age x",
        "--rounds 2 --dialect other",
        "--rounds 2 -o examples/sb.fp",
        "--rounds 2 -o no/such/folder/sb.fp",
    ] {
        let ran = fencepost(&format!("translate examples/sb.fp {wrong}"));
        assert!(ran.code == 2 && !ran.stderr.is_empty() && ran.stdout.is_empty(), "{wrong}: {}", ran.stderr);
    }
    let ran = fencepost("translate no_such_file.fp --rounds 2");
    assert!(ran.code == 2 && ran.stderr.contains("no_such_file.fp"), "{}", ran.stderr);
}

/// A template is one, or so many threads as the user says.
#[test]
fn templates_are_kept_or_counted() {
    let ran = fencepost("translate examples/sb_template.fp --rounds 2");
    assert!(ran.code == 0 && ran.stdout.contains("[*]"), "{}", ran.stderr);
    let ran = fencepost("translate examples/sb_template.fp --rounds 2 --threads 2");
    assert!(ran.code == 0 && !ran.stdout.contains("[*]"), "{}", ran.stderr);
}

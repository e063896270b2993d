//! Translations from TSO to SC: the mutual exclusion algorithms of the paper's Table 1, what is refused, and what
//! the text looks like.

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
        ("lamport2_fenced", ["--age", "1"], 0),
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
    assert!(many < few + 1000, "{few} {many}");
}

#[test]
fn what_cannot_be_translated_is_refused_with_its_place() {
    let heap = scratch("endless.fp", "shared integer a[*];\nthread t { a[1] = 1; assert(a[1] == 1); }\n");
    let ran = fencepost_args(&["translate", heap.to_str().unwrap(), "--rounds", "2"]);
    assert!(ran.code == 2 && ran.stderr.contains("endless.fp:1:"), "{}", ran.stderr);
    let label = "shared int x;\nthread t { atomic { l: x = 1; } }\nforbid t at l;\n";
    let label = scratch("label.fp", label);
    let ran = fencepost_args(&["translate", label.to_str().unwrap(), "--age", "1"]);
    assert!(ran.code == 2 && ran.stderr.contains("label.fp:2:"), "{}", ran.stderr);
    assert_eq!(fencepost("translate examples/sb.fp").code, 2);
    assert_eq!(fencepost("translate examples/sb.fp --rounds 1 --age 1").code, 2);
    assert_eq!(fencepost("translate examples/sb.fp --rounds 0").code, 2);
    assert_eq!(fencepost("translate examples/sb.fp --rounds 2 -o examples/sb.fp").code, 2);
}

//! Translations from TSO to SC: the mutual exclusion algorithms of the paper's Table 1, what is refused, and what
//! the text looks like. Those of C are in `translate_c.rs`, the engines in `translated.rs`.

use crate::{check, fencepost, fencepost_args, root, scratch};

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

/// All examples: what comes out is read and valid, and but for comments and empty lines printing what was read gives the
/// same text again and again.
#[test]
fn the_text_is_in_the_form_that_it_is_printed_in() {
    let mut examples = 0;
    let folder = std::fs::read_dir(root().join("examples")).unwrap();
    let mut names: Vec<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".fp"))
        .collect();
    names.sort();
    for (example, bound) in names.iter().zip([["--rounds", "2"], ["--age", "1"]].into_iter().cycle()) {
        let path = format!("examples/{example}");
        let ran = fencepost_args(&["translate", &path, bound[0], bound[1]]);
        if ran.code != 0 {
            assert!(ran.stderr.contains("cannot be translated"), "{example}: {}", ran.stderr);
            continue;
        }
        let text = scratch("formatted.fp", &ran.stdout);
        let printed = fencepost_args(&["check", text.to_str().unwrap(), "--print", "tree"]);
        assert_eq!(printed.code, 0, "{example}: {}", printed.stderr);
        let again = scratch("formatted_again.fp", &printed.stdout);
        let twice = fencepost_args(&["check", again.to_str().unwrap(), "--print", "tree"]);
        assert_eq!(twice.stdout, printed.stdout, "{example}");
        // What the translation adds to the user's is as it is printed.
        let own = |text: &str| -> Vec<String> {
            text.lines()
                .map(str::trim)
                .filter(|l| l.starts_with("tso_") && l.ends_with(");"))
                .map(Into::into)
                .collect()
        };
        assert_eq!(own(&ran.stdout), own(&printed.stdout), "{example}");
        examples += 1;
    }
    assert!(examples > 70, "{examples} examples");
}

/// Comments stay where they belong.
#[test]
fn comments_are_kept() {
    let text = "\
// About the file.

// What it is for.
shared 0..1 x; // or not

shared 0..1 y;

// Sets it.
thread a {
    // First this,
    x = 1;
    y = 1; // then that.
    // The end.
}

thread b { assert(x >= y); }
";
    let path = scratch("comments.fp", text);
    let out = translated(path.to_str().unwrap(), ["--age", "1"]);
    let expected = [
        "// About the file.\n\n",
        "// What it is for.\n// or not\nshared 0..1 x;\nshared 0..1 y;\n",
        "// Sets it.\nthread a {\n",
        "    // First this,\n    tso_switch();\n    tso_store_x(1);\n",
        "    // then that.\n    tso_switch();\n    tso_store_y(1);\n    // The end.\n",
    ];
    for part in expected {
        assert!(out.contains(part), "{part}\nis not in\n{out}");
    }
}

/// Statements, variables and rounds, each alone, make the text longer by the same amount each time.
#[test]
fn the_text_is_linear_in_the_program_and_in_the_bound() {
    let program = |statements: usize, variables: usize| {
        let stores = "    x = y; y = x + 1;\n".repeat(statements);
        let more: String = (0..variables).map(|i| format!("shared int v{i:03}[6];\n")).collect();
        let uses: String = (0..variables).map(|i| format!("    v{i:03}[x] = 1;\n")).collect();
        format!("shared int x, y;\n{more}thread t {{\n{stores}{uses}    assert(x == y);\n}}\n")
    };
    let length = |statements, variables, k: &str| {
        let path = scratch("linear.fp", &program(statements, variables));
        translated(path.to_str().unwrap(), ["--rounds", k]).len()
    };
    // The numbers of added variables have more digits.
    let steps = |lengths: [usize; 3]| {
        let (first, second) = (lengths[1] - lengths[0], lengths[2] - lengths[1]);
        assert!(second <= first + first / 10, "{lengths:?}");
    };
    steps([100, 200, 300].map(|n| length(n, 5, "2")));
    steps([20, 40, 60].map(|n| length(5, n, "2")));
    steps(["10", "20", "30"].map(|k| length(20, 5, k)));
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
            "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\nint *p; int x;\nunion {{ int i[2]; struct {{ int a, b; }} s; }} u;\n\
             void *t(void *a) {{ x = *(int *)a; return 0; }} void f(void) {{ int v = 1; pthread_t h; pthread_create(&h, 0, t, &v); }}\nint main(void) {{ pthread_t h; {body} assert(x); return 0; }}\n"
        )
    };
    refused(
        "heap.c",
        &c("while (x < 9) p = malloc(4);"),
        &rounds,
        &["heap.c:7:", "memory that is allocated any number of times", "outside of loops"],
    );
    refused("union.c", &c("u.i[0] = 1; u.s.b = 2;"), &rounds, &["union.c:5:", "union", "the same shape"]);
    let twice = c("f(); f();");
    refused(
        "twice.c",
        &twice,
        &rounds,
        &["twice.c:6:", "a local variable whose address other threads may get"],
    );
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

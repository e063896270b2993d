//! Small C programs with their verdicts under the three models, by several engines: `tests/c_verdicts/*.txt`.

use crate::{check, scratch};
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
    for Sample { name, codes, text } in samples(file) {
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
fn variables_of_blocks() {
    agree("blocks.txt");
}

/// What a block's end means cannot be said in C text; what nobody can tell is translated as before.
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

/// A pointer to rows of variable length does not tell how far the next row is.
#[test]
fn pointers_to_rows_are_not_moved() {
    for moved in ["(*(p + 1))[0]", "(*p++)[0]", "(p + 1)[0][0]", "p - a"] {
        let text = format!(
            "int main(void) {{ int m = 2, a[2][m]; a[1][0] = 1; int (*p)[m] = a; return {moved}; }}\n"
        );
        let ran = check("rows_moved.c", &text, &["-q"]);
        assert_eq!(ran.code, 2, "{moved}: {}", ran.stdout);
        assert!(
            ran.stderr.contains("moving a pointer to arrays of variable length"),
            "{moved}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains("rows_moved.c:1:"), "{moved}: {}", ran.stderr);
    }
}

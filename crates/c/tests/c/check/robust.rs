//! Whatever the text is, checking ends, quickly, with a program or with errors that have a place.

use fencepost_c::{DataModel, Options, hir_text};
use fencepost_samples::mutate::mutate;
use fencepost_samples::{Rng, c_library, c_program};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Feature tests, preprocessed, each with the place where the user's text begins.
fn preprocessed() -> Vec<(String, usize)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(root.join("../cli/tests/features")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.sort();
    let preprocess = |path: &Path| {
        let output = Command::new("cc")
            .args(["-E", "-std=gnu11", "-Dout(...)=((void)(__VA_ARGS__))", "-nostdinc", "-isystem"])
            .args([&root.join("src/headers"), path])
            .output()
            .expect("there is a C compiler");
        let text = String::from_utf8(output.stdout).unwrap() + "\nint main(void) { test(); }\n";
        // The last line marker that is back in the file itself.
        let start = text.rfind("\n# ").map_or(0, |at| at + 1);
        let lines = text.lines().map(|line| if line.starts_with('#') { "" } else { line });
        let before = text[..start].lines().count();
        let lines: Vec<&str> = lines.collect();
        let start = lines[..before].iter().map(|line| line.len() + 1).sum();
        (lines.join("\n"), start)
    };
    files.iter().step_by(3).map(|path| preprocess(path)).collect()
}

#[test]
fn mutants_are_checked_or_refused_with_a_place() {
    let files = preprocessed();
    assert!(files.len() > 20);
    let mut rng = Rng::new(9);
    let (mut checked, mut refused) = (0, 0);
    for round in 0..2000 {
        let (text, start) = &files[round % files.len()];
        let mutant = text[..*start].to_string() + &mutate(&text[*start..], &mut rng);
        let options = Options {
            data_model: if round % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 },
            overflow: round % 3 == 0,
            havoc_externs: round % 5 == 0,
            ..Options::default()
        };
        match hir_text(&[("mutant.i", &mutant)], &options) {
            Ok(_) => checked += 1,
            Err((_, diagnostics)) => {
                assert!(!diagnostics.is_empty(), "{mutant}");
                assert!(diagnostics.iter().all(|d| d.span.is_some()), "{diagnostics:?}\n{mutant}");
                refused += 1;
            }
        }
    }
    assert!(checked > 200 && refused > 500, "{checked} {refused}");
}

#[test]
fn random_programs_are_checked() {
    for seed in 0..150 {
        let text = format!(
            "static void out(long long n) {{}}\n{}\nint main(void) {{ test(); }}\n",
            c_program::program(seed)
        );
        let typed = hir_text(&[("random.i", &text)], &Options::default());
        assert!(typed.is_ok(), "{:?}\n{text}", typed.err());
    }
    for seed in 0..10 {
        let out = "static void out(long long n) {}\n";
        let text = format!(
            "{out}{}\nint main(void) {{ test(); }}\n",
            c_library::program(seed, c_library::Widths::OfLong)
        );
        let typed = hir_text(&[("random.c", &text)], &Options::default());
        assert!(typed.is_ok(), "{:?}\n{text}", typed.err());
    }
}

/// How long it takes to check a text.
fn time(text: &str) -> Duration {
    let start = Instant::now();
    let typed = hir_text(&[("long.i", text)], &Options::default());
    typed.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}"));
    start.elapsed()
}

/// Eight times the text takes about eight times as long, not 64 times; loaded machines get more.
fn grows_linearly(what: &str, text: impl Fn(usize) -> String, n: usize) {
    let fastest = |text: &str| (0..3).map(|_| time(text)).min().expect("it was timed");
    let (small, large) = (fastest(&text(n / 8)), fastest(&text(n)));
    println!("{n} {what}: {large:?}, an eighth: {small:?}");
    assert!(large < small * 30 + Duration::from_millis(50), "{n} {what}: {large:?}, an eighth: {small:?}");
}

#[test]
fn time_grows_linearly() {
    let statements = |n| {
        let mut text = String::from("int a, b[8];\nint main(void) {\nint c = 0;\n");
        for i in 0..n {
            let _ = writeln!(text, "a = b[{}] + c * {i}; if (a > c) {{ int d = a; c = d; }}", i % 8);
        }
        text + "}\n"
    };
    grows_linearly("statements", statements, 40_000);
    let globals = |n| {
        let mut text = String::new();
        for i in 0..n {
            let _ = writeln!(text, "int g{i} = {i}; extern int g{i}; struct s{i} {{ int m{i}; }};");
        }
        text += "int main(void) {\n";
        for i in 0..n {
            let _ = writeln!(text, "g{i}++;");
        }
        text + "}\n"
    };
    grows_linearly("globals", globals, 20_000);
    let functions = |n| {
        let mut text = String::from("int f0(int x) { return x; }\n");
        for i in 1..n {
            let _ = writeln!(
                text,
                "int f{i}(int x) {{ static int s; again: if (x) goto again; return f{}(x) + s; }}",
                i - 1
            );
        }
        text + &format!("int main(void) {{ return f{}(0); }}\n", n - 1)
    };
    grows_linearly("functions", functions, 20_000);
    let labels = |n: usize| {
        let mut text = String::from("int main(void) {\n");
        for i in 0..n {
            let _ = writeln!(text, "int local{i} = {i}; case_{i}: goto case_{i};");
        }
        text + "}\n"
    };
    grows_linearly("labels", labels, 20_000);
}

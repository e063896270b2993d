//! C files to graphs: those of the examples and of the feature tests print and parse back, and broken
//! ones are lowered or refused with a place. Never a panic.

use fencepost_c::{Options, read};
use fencepost_ir::cfg;
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::mutate::mutate;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The C files of the repository, preprocessed once, so that their mutants need no compiler, and tests that run
/// side by side do not write over each other's files.
fn preprocessed() -> &'static [(String, String)] {
    static FILES: OnceLock<Vec<(String, String)>> = OnceLock::new();
    FILES.get_or_init(preprocess)
}

fn preprocess() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["../../examples", "../cli/tests/features"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "c")));
    }
    files.sort();
    let preprocess = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        let whole = match text.contains("int main(") {
            true => text,
            false => {
                format!("#define out(...) ((void)(__VA_ARGS__))\n{text}\nint main(void) {{ test(); }}\n")
            }
        };
        let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
        std::fs::write(&source, whole).unwrap();
        let headers = root.join("src/headers");
        let output = Command::new("cc")
            .args(["-E", "-P", "-std=gnu11", "-nostdinc", "-isystem"])
            .args([&headers, &source])
            .output()
            .expect("there is a C compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (format!("{name}.i"), String::from_utf8(output.stdout).unwrap())
    };
    files.into_iter().map(preprocess).collect()
}

#[test]
fn graphs_of_c_files_print_and_parse_back() {
    let files = preprocessed();
    assert!(files.len() > 90, "{} files", files.len());
    for (name, text) in files {
        let tree = read(&[(name, text)], &Options::default());
        let tree = tree.unwrap_or_else(|(_, diagnostics)| panic!("{name}: {diagnostics:?}"));
        let program = pipeline::lower(tree);
        let printed = program.to_string();
        let mut parsed = cfg::parse(&printed).unwrap_or_else(|e| panic!("{name}: {e}\n{printed}"));
        // They are not in the text: they are for reports.
        parsed.sources = program.sources.clone();
        assert_eq!(parsed, program, "{name}");
    }
}

#[test]
fn mutated_c_files_are_lowered_or_refused_with_a_place() {
    let files = preprocessed();
    let mut rng = Rng::new(5);
    let (mut lowered, mut refused) = (0, 0);
    for round in 0..3000 {
        let (_, text) = &files[round % files.len()];
        // What the headers declare is before the program and is the same everywhere.
        let program =
            text.rfind("void test(").or_else(|| text.find("static atomic")).unwrap_or(text.len() / 2);
        let split = program.saturating_sub(600);
        let split = (split..text.len()).find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        let mutant = text[..split].to_string() + &mutate(&text[split..], &mut rng);
        match read(&[("mutant.i", &mutant)], &Options::default()) {
            Ok(tree) => {
                pipeline::lower(tree);
                lowered += 1;
            }
            Err((_, diagnostics)) => {
                assert!(!diagnostics.is_empty(), "{mutant}");
                assert!(diagnostics.iter().all(|d| d.span.is_some()), "{diagnostics:?}\n{mutant}");
                refused += 1;
            }
        }
    }
    assert!(lowered > 300 && refused > 1000, "{lowered} {refused}");
}

/// A program of more than 500 lines, all of which `main` comes to, without directives.
fn long_program() -> String {
    let mut text =
        String::from("typedef struct node { int key; long value; struct node *next; } node;\nint total;\n");
    for i in 0..42 {
        text += &format!(
            "static node list{i}[4];\n\
             static int step{i}(int from, node *into)\n{{\n    int sum = from * {i} + 1;\n\
             \x20   for (int j = 0; j < 4; j++) {{\n        into[j].key = sum ^ j;\n\
             \x20       into[j].next = j ? &into[j - 1] : 0;\n        if (into[j].key % 3 == 0 && sum > {i})\n\
             \x20           sum += into[j].key << 2;\n        else\n            sum -= (unsigned char)into[j].key;\n    }}\n\
             \x20   total += sum;\n    return sum;\n}}\n"
        );
    }
    text += "int main(void)\n{\n    int last = 1;\n";
    for i in 0..42 {
        text += &format!("    last = step{i}(last, list{i});\n");
    }
    text + "    return last;\n}\n"
}

/// Reading is fast: 30 ms for 500 lines, preprocessing aside; unoptimised builds and loaded machines get more.
#[test]
fn a_file_of_500_lines_is_read_in_no_time() {
    let text = long_program();
    let lines = text.lines().count();
    assert!(lines > 500, "{lines} lines");
    let read_once = || {
        let start = std::time::Instant::now();
        read(&[("long.i", &text)], &Options::default()).expect("it is a program");
        start.elapsed()
    };
    let fastest = (0..10).map(|_| read_once()).min().expect("it was read");
    println!("{lines} lines are read in {fastest:?}");
    let most = if cfg!(debug_assertions) { 300 } else { 30 };
    assert!(fastest.as_millis() < most, "{lines} lines take {fastest:?}");
}

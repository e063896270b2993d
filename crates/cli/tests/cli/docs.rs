//! The commands in README.md, `docs/` and `examples/README.md`: each page is followed from top to bottom in a folder of its own, and what
//! is printed is compared with what the page shows.
//!
//! - ` ```c lock.c ` (or `fp`, `litmus`, ...): the block is written to that file.
//! - ` ```console `: what follows `$ ` is run; the lines below it must begin lines of its output, in that order, so that
//!   times and counts after a verdict are not pinned; `...` stands for any lines. Without such lines the command has
//!   to end with 0.
//! - ` ```sh `: a script that has to end with 0; ` ```sh cluster ` is run where FENCEPOST_DOCS=cluster says that one is
//!   there.
//! - `slow` after the language: minutes; run with FENCEPOST_DOCS=all.
//! - ` ```text `: not to be run. Blocks in which a line begins with `fencepost` have to be of one of these kinds.

use crate::root;
use fencepost_samples::programs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A block of a page.
struct Block {
    line: usize,
    /// The language and what comes after it.
    info: Vec<String>,
    text: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(usize, Block)> = None;
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start();
        match &mut open {
            None if fence.starts_with("```") => {
                let info = fence.trim_start_matches('`').split_whitespace().map(str::to_string).collect();
                let indent = line.len() - fence.len();
                open = Some((indent, Block { line: number + 1, info, text: String::new() }));
            }
            None => {}
            Some(_) if fence.trim_end() == "```" => blocks.extend(open.take().map(|(_, block)| block)),
            Some((indent, block)) => {
                block.text += line.get(*indent..).unwrap_or("");
                block.text.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block that does not end");
    blocks
}

fn shell(folder: &Path, script: &str) -> std::process::Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_fencepost")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(folder).env("PATH", path).env("NO_COLOR", "1");
    command.stdin(Stdio::null()).output().expect("there is a shell")
}

/// Whether all programs that a script begins lines with are there.
fn has_programs(script: &str) -> bool {
    let foreign = ["parallel", "dot", "cbmc", "esbmc", "sbatch", "cmake", "ctest", "meson", "make"];
    let used = foreign.iter().filter(|program| script.split_whitespace().any(|word| word == **program));
    used.into_iter().all(|program| programs::has(program))
}

/// Runs the commands of a block and compares.
fn console(place: &str, folder: &Path, text: &str) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else { panic!("{place}: output before a command: {line}") };
        let mut command = first.to_string();
        while command.ends_with('\\') {
            command.pop();
            command += lines.next().unwrap_or("");
        }
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected.push(line.trim_end());
        }
        if !has_programs(&command) {
            // What comes after it in the block may need what it makes.
            println!("{place}: not run from here on, a program is missing: {command}");
            return;
        }
        let output = shell(folder, &command);
        let shown = [&output.stdout[..], &output.stderr[..]].concat();
        let shown = String::from_utf8_lossy(&shown).into_owned();
        let code = output.status.code();
        assert_ne!(code, Some(101), "{place}: a panic: {command}\n{shown}");
        if expected.is_empty() {
            assert_eq!(code, Some(0), "{place}: {command}\n{shown}");
        }
        let mut rest = shown.lines();
        for line in expected.into_iter().filter(|line| !line.is_empty() && line.trim() != "...") {
            // What is in brackets with a time is not pinned.
            let timed = line.rsplit_once(" (").filter(|(_, behind)| behind.ends_with(" s)"));
            let line = timed.map_or(line, |(verdict, _)| verdict);
            assert!(
                rest.by_ref().any(|shown| shown.starts_with(line)),
                "{place}: {command}\n  does not print, or not in this order: {line}\n  but\n{shown}"
            );
        }
    }
}

/// Follows a page.
fn follow(page: &str) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(page.replace('/', "_"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for part in ["examples", "cmake"] {
        copy(&root().join(part), &folder.join(part));
    }
    let more = std::env::var("FENCEPOST_DOCS").unwrap_or_default();
    for block in blocks(&text) {
        let place = format!("{page}:{}", block.line);
        let info: Vec<&str> = block.info.iter().map(String::as_str).collect();
        let left_out =
            info.contains(&"slow") && more != "all" || info.contains(&"cluster") && more != "cluster";
        match info[..] {
            _ if left_out => println!("{place}: left out"),
            ["console", ..] => console(&place, &folder, &block.text),
            ["sh", ..] if !has_programs(&block.text) => println!("{place}: not run, a program is missing"),
            ["sh", ..] => {
                let output = shell(&folder, &format!("set -e\n{}", block.text));
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{place}: {}\n{said}", block.text);
            }
            ["text" | "yaml" | "lua" | "elisp" | "toml" | "json" | "rust", ..] => {}
            [_, file] => std::fs::write(folder.join(file), &block.text).unwrap(),
            [] | [_] | [_, _, _, ..] => {
                let commands =
                    block.text.lines().any(|l| l.trim_start_matches("$ ").starts_with("fencepost "));
                assert!(!commands, "{place}: a block with commands is `console`, `sh` or `text`");
            }
        }
    }
}

/// Copies the files of a folder, and of folders in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => {
                std::fs::copy(&path, &target).unwrap();
            }
        }
    }
}

macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        $(#[test] fn $name() { follow($page); })*

        #[test]
        fn every_page_is_followed() {
            let pages = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
            let pages = pages.map(|name| format!("docs/{}", name.to_string_lossy()));
            for page in pages.filter(|page| page.ends_with(".md")) {
                assert!([$($page),*].contains(&page.as_str()), "{page} is not in the list of this test");
            }
        }
    };
}

pages! {
    readme: "README.md",
    auto: "docs/auto.md",
    bmc: "docs/bmc.md",
    build_systems: "docs/build-systems.md",
    c: "docs/c.md",
    c11: "docs/c11.md",
    campaigns: "docs/campaigns.md",
    ci: "docs/ci.md",
    decisions: "docs/decisions.md",
    dual: "docs/dual.md",
    editor: "docs/editor.md",
    examples: "examples/README.md",
    explicit: "docs/explicit.md",
    faq: "docs/faq.md",
    fences: "docs/fences.md",
    formats: "docs/formats.md",
    json: "docs/json.md",
    language: "docs/language.md",
    lazy: "docs/lazy.md",
    library: "docs/library.md",
    limitations: "docs/limitations.md",
    litmus: "docs/litmus.md",
    memory_models: "docs/memory-models.md",
    papers: "docs/papers.md",
    real_code: "docs/real-code.md",
    releasing: "docs/releasing.md",
    report: "docs/report.md",
    robust: "docs/robust.md",
    translate: "docs/translate.md",
    tutorial: "docs/tutorial.md",
}

//! The shell steps of `docs/ci.md` do what the text says: on a project with a broken lock and on a repaired one.

use crate::{json, root, sarif_standard};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The fenced blocks of a page in a language.
fn blocks(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let start = format!("```{language}\n");
    text.split(&start).skip(1).map(|part| part.split("```").next().unwrap().to_string()).collect()
}

/// The values of a key in a block of YAML: of one line, of a block of lines, or of a list.
fn values(yaml: &str, key: &str) -> Vec<String> {
    let lines: Vec<&str> = yaml.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(value) = line.trim_start().trim_start_matches("- ").strip_prefix(&format!("{key}:")) else {
            continue;
        };
        let inner: Vec<&str> =
            lines[i + 1..].iter().take_while(|l| indent(l) > indent(line)).map(|l| l.trim()).collect();
        match value.trim() {
            "|" => found.push(inner.join("\n")),
            "" => found.extend(inner.iter().filter_map(|l| l.strip_prefix("- ")).map(str::to_string)),
            value => found.push(value.to_string()),
        }
    }
    found
}

/// A project with programs in `verify/`.
fn project(name: &str, files: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ci").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("verify")).unwrap();
    for file in files {
        std::fs::copy(root().join("examples").join(file), folder.join("verify").join(file)).unwrap();
    }
    folder
}

/// Runs a step as CI servers do, with the binary in the path.
fn step(folder: &Path, script: &str) -> i32 {
    let binary = Path::new(env!("CARGO_BIN_EXE_fencepost")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command
        .args(["-e", "-c", script])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(std::process::Stdio::null());
    command.output().expect("bash runs").status.code().expect("it ends by itself")
}

const BROKEN: [&str; 2] = ["peterson.c", "dekker_fenced.c"];
const REPAIRED: [&str; 2] = ["peterson_fenced.c", "dekker_fenced.c"];

#[test]
fn the_github_workflow() {
    let workflow = blocks("yaml").into_iter().find(|b| b.contains("upload-sarif")).unwrap();
    let steps = values(&workflow, "run");
    let [install, report, verdicts] = &steps[..] else { panic!("three steps: {steps:?}") };
    // What needs the network is not run here.
    assert!(install.starts_with("cargo install"));
    for (name, files, results, code) in [("broken", BROKEN, 1, 1), ("repaired", REPAIRED, 0, 0)] {
        let folder = project(&format!("github-{name}"), &files);
        assert_eq!(step(&folder, report), 0, "{name}");
        let log = json(&std::fs::read_to_string(folder.join("fencepost.sarif")).unwrap());
        let run = sarif_standard::check(&log);
        assert_eq!(run["results"].as_array().unwrap().len(), results, "{name}");
        if results > 0 {
            let uri = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            assert_eq!(uri, "verify/peterson.c");
        }
        assert_eq!(step(&folder, verdicts), code, "{name}");
    }
    let folder = project("github-unreadable", &BROKEN);
    std::fs::write(folder.join("verify/wrong.c"), "int main(void) { return x; }\n").unwrap();
    assert_ne!(step(&folder, report), 0, "a file that cannot be read fails the job");
}

#[test]
fn the_gitlab_job() {
    let job = blocks("yaml").into_iter().find(|b| b.contains("junit:")).unwrap();
    let [script] = &values(&job, "script")[..] else { panic!("one step") };
    for (name, files, failures, code) in [("broken", BROKEN, 2, 1), ("repaired", REPAIRED, 0, 0)] {
        let folder = project(&format!("gitlab-{name}"), &files);
        let report = || std::fs::read_to_string(folder.join("fencepost.xml")).unwrap();
        assert_eq!(step(&folder, script), code, "{name}");
        assert_eq!(report().matches("<failure").count(), failures, "{name}: {}", report());
    }
}

#[test]
fn the_pre_commit_hooks() {
    let config = blocks("yaml").into_iter().find(|b| b.contains("hooks:")).unwrap();
    let [entry] = &values(&config, "entry")[..] else { panic!("one hook") };
    let [hook] = &blocks("sh")[..] else { panic!("one script") };
    for (name, files, good) in [("broken", BROKEN, false), ("repaired", REPAIRED, true)] {
        let folder = project(&format!("commit-{name}"), &files);
        assert_eq!(step(&folder, &format!("{entry} verify/*.c")) == 0, good, "{name}");
        let set_up =
            "git init -q . && git config user.email a@b.c && git config user.name me && git add verify";
        assert_eq!(step(&folder, set_up), 0);
        let path = folder.join(".git/hooks/pre-commit");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, hook).unwrap();
        assert_eq!(step(&folder, "chmod +x .git/hooks/pre-commit"), 0);
        assert_eq!(step(&folder, "git commit -q -m try") == 0, good, "{name}");
    }
}

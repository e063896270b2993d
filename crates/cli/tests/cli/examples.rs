//! Every example has its verdict under every model in `examples/verdicts.txt`, with and without
//! reductions; and every program in the language reference can be read.

use crate::{check, fencepost_args, json, root};
use std::collections::BTreeSet;

/// File, verdicts for SC, TSO and PSO where they are asked for, options.
fn manifest() -> Vec<(String, [String; 3], Vec<String>)> {
    let text = std::fs::read_to_string(root().join("examples/verdicts.txt")).unwrap();
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let parse = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        let [file, sc, tso, pso, options @ ..] = &words[..] else { panic!("a short line: {line}") };
        (file.clone(), [sc.clone(), tso.clone(), pso.clone()], options.to_vec())
    };
    lines.map(parse).collect()
}

#[test]
fn every_example_is_in_the_manifest() {
    let listed: BTreeSet<_> = manifest().into_iter().map(|(file, ..)| file).collect();
    let entries = std::fs::read_dir(root().join("examples")).unwrap();
    let files = entries.map(|e| e.unwrap()).filter(|e| e.file_type().unwrap().is_file());
    let names = files.map(|e| e.file_name().into_string().unwrap());
    let present: BTreeSet<_> =
        names.filter(|n| !["verdicts.txt", "fences.txt", "README.md"].contains(&n.as_str())).collect();
    assert_eq!(listed, present);
}

#[test]
fn examples_have_the_verdicts_of_the_manifest() {
    for (file, verdicts, options) in manifest() {
        let mut largest = 0;
        let mut by_search = true;
        for more in [
            &[][..],
            &["--engine", "explicit", "--no-reduction"],
            &["--engine", "explicit", "--search", "dfs"],
        ] {
            if !more.is_empty() && !by_search {
                break;
            }
            let path = format!("examples/{file}");
            let mut args = vec!["check", &path, "--format", "json"];
            let asked =
                ["sc", "tso", "pso"].into_iter().zip(&verdicts).filter(|(_, verdict)| *verdict != "-");
            let (models, verdicts): (Vec<_>, Vec<_>) = asked.unzip();
            models.iter().for_each(|model| args.extend(["--model", model]));
            args.extend(options.iter().map(String::as_str));
            args.extend(more);
            // Without reductions some examples have millions of states.
            if more.contains(&"--no-reduction") && largest > 20_000 {
                continue;
            }
            let ran = fencepost_args(&args);
            let states = ran.stdout.lines().filter_map(|l| json(l)["stats"]["states"].as_u64());
            largest = largest.max(states.max().unwrap_or(0));
            // Of any number of threads the search tries a few, with a bound for each; bmc does not.
            let instances =
                |l: &str| json(l)["engines"].as_array().unwrap().iter().any(|e| e["name"] == "bmc");
            by_search &= ran.stdout.lines().all(|l| json(l)["engine"] == "explicit" && instances(l));
            let found: Vec<_> =
                ran.stdout.lines().map(|l| json(l)["verdict"].as_str().unwrap().to_string()).collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), verdicts, "{args:?}\n{}", ran.stderr);
            let worst = ["unsafe", "unknown", "safe"].into_iter().position(|v| found.iter().any(|f| f == v));
            assert_eq!(ran.code, [1, 3, 0][worst.unwrap()], "{args:?}");
        }
    }
}

/// The fences of a fenced example are needed: without any one of them it is unsafe.
#[test]
fn each_fence_of_a_fenced_example_is_needed() {
    for (file, ..) in manifest().iter().filter(|(f, ..)| f.ends_with("_fenced.fp")) {
        let text = std::fs::read_to_string(root().join("examples").join(file)).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let fences = (0..lines.len()).filter(|&i| lines[i].trim_start().starts_with("fence"));
        let mut count = 0;
        for i in fences {
            let without = [&lines[..i], &lines[i + 1..]].concat().join("\n");
            let ran = check(&format!("without_{i}_{file}"), &without, &["--model", "tso", "--model", "pso"]);
            assert_eq!(ran.code, 1, "{file} without line {}:\n{}{}", i + 1, ran.stdout, ran.stderr);
            count += 1;
        }
        assert!(count > 0, "{file} has fences");
    }
}

#[test]
fn programs_in_the_language_reference_can_be_read() {
    let text = std::fs::read_to_string(root().join("docs/language.md")).unwrap();
    let blocks: Vec<_> = text.split("```fp\n").skip(1).map(|b| b.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 5, "the reference has programs");
    for (i, block) in blocks.iter().enumerate() {
        let ran = check(&format!("reference_{i}.fp"), block, &["--timeout", "20"]);
        assert!(ran.code != 2, "block {i}: {}\n{block}", ran.stderr);
    }
}

/// Every thread of a mutual exclusion algorithm gets to its critical section under SC, and, where it
/// loops, again: a label is put after the second visit, and forbidding it must be violated.
#[test]
fn each_thread_gets_to_its_critical_section_again() {
    let property = "at most 1 at critical;";
    let mut threads = 0;
    for (file, _, options) in manifest() {
        let text = std::fs::read_to_string(root().join("examples").join(&file)).unwrap();
        if !text.contains(property) || !text.contains("while (true)") {
            continue;
        }
        let label = text.lines().find(|l| l.trim_start().starts_with("critical:")).unwrap();
        let visited = "critical: if (again) { twice: skip; } again = true;";
        let watched = "local bool again;\n".to_string() + &text.replacen(label.trim(), visited, 1);
        let path = format!("examples/{file}");
        let mut args = vec!["check", &path, "--print", "cfg"];
        args.extend(options.iter().map(String::as_str));
        let graph = fencepost_args(&args).stdout;
        for start in graph.lines().filter_map(|l| l.strip_prefix("start \"")) {
            let name = start.split('"').next().unwrap();
            let forbidden = watched.replace(property, &format!("forbid {name} at twice;"));
            let mut args = vec!["--model", "sc", "-q"];
            args.extend(options.iter().map(String::as_str));
            let ran = check(&format!("again_{file}"), &forbidden, &args);
            let parameterized = start.contains(" any ");
            assert!(
                ran.code == 1 || parameterized && ran.code == 3,
                "{file}: {name}: {}{}",
                ran.stdout,
                ran.stderr
            );
            threads += 1;
        }
    }
    assert!(threads > 40, "{threads} threads were looked at");
}

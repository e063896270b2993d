//! `fencepost robust` and `check --engine lazy` from outside.

use crate::{check, fencepost, fencepost_args, json, root, scratch};
use fencepost_samples::effort::every;
use serde_json::Value;
use std::collections::BTreeSet;

fn robust(file: &str, more: &[&str]) -> (i32, Value) {
    let ran = fencepost_args(&[&["robust", "--format", "json", file], more].concat());
    (ran.code, json(ran.stdout.lines().next().expect("one line")))
}

/// Thread, line of the store and line of the load of each attack.
fn attacks(answer: &Value) -> Vec<(String, u64, u64)> {
    let list = answer["attacks"].as_array().unwrap();
    let line = |a: &Value, key: &str| a[key]["line"].as_u64().unwrap();
    list.iter()
        .map(|a| (a["thread"].as_str().unwrap().to_string(), line(a, "store"), line(a, "load")))
        .collect()
}

#[test]
fn attacks_of_known_algorithms() {
    let (code, answer) = robust("examples/peterson.fp", &[]);
    assert_eq!((code, answer["verdict"].as_str()), (1, Some("not_robust")));
    assert_eq!(attacks(&answer), [("peterson(0)".into(), 11, 12), ("peterson(1)".into(), 11, 12)]);
    for file in ["clh.fp", "mcs.fp", "stack.fp", "peterson_fenced.fp", "treiber.c", "peterson_fenced.c"] {
        let (code, answer) = robust(&format!("examples/{file}"), &[]);
        assert_eq!((code, answer["verdict"].as_str()), (0, Some("robust")), "{file}");
        assert_eq!(answer["attacks"].as_array().map(Vec::len), Some(0), "{file}");
    }
    let (_, answer) = robust("examples/peterson.c", &[]);
    let threads: BTreeSet<_> = attacks(&answer).into_iter().map(|a| a.0).collect();
    assert_eq!(threads.len(), 2, "both threads of the C program: {threads:?}");
}

/// The numbers of fences that the literature gives: for each thread the fewest places between instructions that
/// stop all its attacks. Here one fence before a load stops all attacks of one thread at that load.
#[test]
fn attacks_need_as_many_fences_as_the_literature_says() {
    let fences = |file: &str| {
        let (_, answer) = robust(file, &[]);
        assert_eq!(answer["complete"], Value::Bool(true), "{file}");
        let places: BTreeSet<_> = attacks(&answer).into_iter().map(|(t, _, load)| (t, load)).collect();
        places.len()
    };
    for (file, expected) in [
        ("examples/peterson.fp", 2),
        ("examples/dekker.fp", 4),
        ("examples/lazy_fig7.fp", 6),
        ("examples/clh.fp", 0),
        ("examples/mcs.fp", 0),
        ("examples/stack.fp", 0),
        ("examples/cilk_thieves.fp", 3),
        ("examples/nbw_w_wr.fp", 1),
    ] {
        assert_eq!(fences(file), expected, "{file}");
    }
}

#[test]
fn an_attack_has_a_run_and_a_cycle() {
    let (_, answer) = robust("examples/sb.fp", &[]);
    for attack in answer["attacks"].as_array().unwrap() {
        let steps = attack["trace"].as_array().unwrap();
        let cycle = attack["cycle"].as_array().unwrap();
        assert!(cycle.len() >= 2, "{attack}");
        for event in cycle {
            let step = event["step"].as_u64().unwrap() as usize;
            assert!(steps[step - 1]["step"].as_u64() == Some(step as u64), "{attack}");
        }
        let relations: BTreeSet<_> = cycle.iter().map(|e| e["next"].as_str().unwrap()).collect();
        assert_eq!(relations, BTreeSet::from(["cf", "po"]));
    }
    let text = fencepost("robust examples/sb.fp").stdout;
    assert!(text.contains("what happens before itself"), "{text}");
    assert!(text.contains("-po->") && text.contains("-cf->"), "{text}");
}

#[test]
fn codes_and_limits() {
    assert_eq!(fencepost("robust --model pso examples/sb.fp").code, 2);
    assert_eq!(fencepost("robust examples/no_such_file.fp").code, 2);
    assert_eq!(fencepost("robust examples/sb_template.fp").code, 3);
    assert_eq!(fencepost("robust --allow-unknown examples/sb_template.fp").code, 0);
    assert_eq!(fencepost("robust --threads 2 examples/sb_template.fp").code, 1);
    assert_eq!(fencepost("robust examples/sb.fp examples/mp.fp").code, 1);
    let ran = fencepost("robust -q examples/sb.fp");
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
}

/// A triangular race that is not an attack: the writer never touches what was stored.
#[test]
fn triangular_races_are_stricter() {
    let text = "shared bool x, y;\nthread t1 { bool r; x = true; r = y; }\nthread t2 { y = true; }\n";
    let path = scratch("race.fp", text);
    let path = path.to_str().unwrap();
    let (code, answer) = robust(path, &[]);
    assert_eq!((code, answer["verdict"].as_str()), (0, Some("robust")));
    let (code, answer) = robust(path, &["--criterion", "trf"]);
    assert_eq!((code, answer["verdict"].as_str()), (1, Some("not_robust")));
    assert_eq!(attacks(&answer), [("t1".into(), 2, 2)]);
    assert_eq!(answer["attacks"][0]["write"]["line"].as_u64(), Some(3));
    // Not with a fence, and not where the load is of what was stored.
    for text in [
        "shared bool x, y;\nthread t1 { bool r; x = true; fence; r = y; }\nthread t2 { y = true; }\n",
        "shared bool x;\nthread t1 { bool r; x = true; r = x; }\nthread t2 { x = true; }\n",
    ] {
        let path = scratch("no_race.fp", text);
        let (code, _) = robust(path.to_str().unwrap(), &["--criterion", "trf"]);
        assert_eq!(code, 0, "{text}");
    }
}

/// The lazy engine has the verdicts of the manifest wherever it has one.
#[test]
fn the_lazy_engine_agrees_with_the_manifest() {
    let manifest = std::fs::read_to_string(root().join("examples/verdicts.txt")).unwrap();
    let mut answered = 0;
    let lines = manifest.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#'));
    for line in lines.step_by(every(1)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (file, tso) = (words[0], words[2]);
        let path = format!("examples/{file}");
        let limit = if words[4..].contains(&"--timeout") { &[][..] } else { &["--timeout", "2"] };
        let args = ["check", &path, "--engine", "lazy", "--format", "json"];
        let ran = fencepost_args(&[&args[..], limit, &words[4..]].concat());
        let line = ran.stdout.lines().next();
        let answer = json(line.unwrap_or_else(|| panic!("{file}: {}", ran.stderr)));
        let verdict = answer["verdict"].as_str().unwrap();
        if verdict != "unknown" {
            answered += 1;
            assert!(tso == verdict || ["unknown", "-"].contains(&tso), "{file}: {verdict}, not {tso}");
            assert_eq!(answer["engine"].as_str(), Some("lazy"));
        }
    }
    assert!(answered > 60 / every(1), "the lazy engine answers {answered} examples");
}

#[test]
fn lazy_says_what_it_cannot() {
    let ran =
        check("lazy_sc.fp", "shared bool x;\nthread t { x = true; assert(x); }\n", &["--engine", "lazy"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let ran = fencepost("check --engine lazy --model pso examples/sb.fp");
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let ran = fencepost("check --engine lazy --iterations 2 examples/lazy_fig12.fp");
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let ran = fencepost("check --engine lazy --unwind 3 --format json examples/lazy_fig12.fp");
    assert_eq!(
        (ran.code, &json(&ran.stdout)["scope"]),
        (0, &serde_json::json!({"unwind": 3})),
        "{}",
        ran.stdout
    );
    let ran = fencepost("check --engine lazy --unwind 3 --format json examples/sb_fenced.fp");
    assert_eq!((ran.code, json(&ran.stdout)["scope"].as_str()), (0, Some("complete")), "no loops to unroll");
    let ran = fencepost("check --engine lazy --unwind 1 examples/peterson.fp");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let ran = fencepost("check --engine lazy --unwind 2 examples/recursion.fp");
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let ran = fencepost("check --print extended examples/sb.fp");
    assert!(ran.code == 0 && ran.stdout.contains("%waiting"), "{}", ran.stdout);
    let ran = fencepost("check --print extended --iterations 0 examples/sb.fp");
    assert!(ran.code == 0 && !ran.stdout.contains("%waiting"), "{}", ran.stdout);
}

const PUBLICATION: &str = "shared 0..1 data, flag;\nthread writer { data@relaxed = 1; flag@release = 1; }\n\
    thread reader { 0..1 f, d;\nf = flag@acquire;\nd = data@relaxed;\n}\n";

#[test]
fn against_the_model_of_the_language() {
    let asked = |name: &str, text: &str| {
        let file = scratch(&format!("robust-c11/{name}.fp"), text);
        robust(file.to_str().unwrap(), &["--model", "c11"])
    };
    let (code, answer) = asked("right", PUBLICATION);
    assert_eq!(
        (code, answer["verdict"].as_str(), answer["model"].as_str()),
        (0, Some("robust"), Some("c11"))
    );
    assert_eq!(answer["notes"].as_array().map(Vec::len), Some(0));

    let (code, answer) = asked("relaxed", &PUBLICATION.replace("release", "relaxed"));
    assert_eq!((code, answer["verdict"].as_str()), (1, Some("not_robust")));
    let departure = &answer["departure"];
    assert_eq!((departure["thread"].as_str(), departure["cell"].as_str()), (Some("reader"), Some("data")));
    assert_eq!((departure["access"]["line"].as_u64(), departure["value"].as_i64()), (Some(5), Some(0)));
    let missing: Vec<_> = departure["path"].as_array().unwrap().iter().collect();
    let missing: Vec<_> = missing.iter().filter(|link| link["happens_before"] == false).collect();
    assert!(matches!(missing[..], [link] if link["next"] == "rf"), "{departure}");

    let plain = PUBLICATION.replace("release", "relaxed").replace("data@relaxed", "data");
    let (code, answer) = asked("race", &plain);
    assert_eq!((code, answer["verdict"].as_str()), (1, Some("race")));
    let lines = answer["race"]["accesses"].as_array().unwrap().iter().map(|a| a["line"].as_u64().unwrap());
    assert_eq!(lines.collect::<Vec<_>>(), [2, 5]);

    // A relaxed load before a relaxed store to another cell: machines may swap them.
    let swapped = "shared 0..1 x, y;\nthread a { 0..1 r; r = x@relaxed;\ny@relaxed = 1; }\n";
    let (code, answer) = asked("swapped", swapped);
    assert_eq!((code, answer["verdict"].as_str()), (0, Some("robust")));
    assert!(answer["notes"][0].as_str().unwrap().contains("relaxed load"), "{answer}");
}

#[test]
fn examples_against_the_model_of_the_language() {
    for (file, expected) in [
        ("treiber_fenced.c", "robust"),
        ("treiber.c", "race"),
        ("peterson.c", "not_robust"),
        ("work_queue.c", "robust"),
        ("sense_barrier_fenced.c", "race"),
        ("spinlock_any.c", "unknown"),
    ] {
        let (_, answer) = robust(&format!("examples/{file}"), &["--model", "c11"]);
        assert_eq!(answer["verdict"].as_str(), Some(expected), "{file}");
    }
}

#[test]
fn what_is_not_for_the_model_of_the_language() {
    let test = "X86_64 SB\n{ uint64_t x; uint64_t y; }\n P0          | P1          ;\n movq $1,(x) | movq $1,(y) ;\nexists (x=1)\n";
    let file = scratch("robust-c11/x86.litmus", test);
    let (code, answer) = robust(file.to_str().unwrap(), &["--model", "c11"]);
    assert_eq!(code, 3);
    assert!(answer["reason"].as_str().unwrap().contains("no memory orders"), "{answer}");
    for refused in ["--report r.html", "--svg r.svg", "--criterion trf", "--format sarif"] {
        let ran = fencepost(&format!("robust --model c11 {refused} examples/sb.fp"));
        assert_eq!(ran.code, 2, "{refused}");
        assert!(ran.stderr.contains(refused.split(" r.").next().unwrap()), "{refused}: {}", ran.stderr);
    }
    let ran = fencepost("robust --model c11 --format junit examples/sb.fp");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("examples/sb.fp against C11"), "{}", ran.stdout);
}

//! Every example has its verdict under every model in `examples/verdicts.txt`, with and without
//! reductions; and every program in the language reference can be read.

use crate::{check, fencepost_args, json, root};
use fencepost_samples::effort::{Effort, effort, seconds};
use std::collections::BTreeSet;

/// File, verdicts for SC, TSO and PSO where they are asked for, options.
type Line = (String, [String; 3], Vec<String>);

fn manifest() -> Vec<Line> {
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

/// Without reductions some examples have millions of states: those that have more with reductions are not tried.
fn most_states() -> u64 {
    match effort() {
        Effort::Quick => 1_000,
        Effort::Full | Effort::All => 20_000,
    }
}

/// An example has the verdicts of its line in the manifest; by explicit search also without reductions, and in another order.
fn check_example((file, verdicts, options): Line) {
    let mut largest = 0;
    let mut by_search = true;
    for more in
        [&[][..], &["--engine", "explicit", "--no-reduction"], &["--engine", "explicit", "--search", "dfs"]]
    {
        if !more.is_empty() && !by_search {
            break;
        }
        let path = format!("examples/{file}");
        let mut args = vec!["check", &path, "--format", "json"];
        let asked = ["sc", "tso", "pso"].into_iter().zip(&verdicts).filter(|(_, verdict)| *verdict != "-");
        let (models, verdicts): (Vec<_>, Vec<_>) = asked.unzip();
        models.iter().for_each(|model| args.extend(["--model", model]));
        args.extend(options.iter().map(String::as_str));
        args.extend(more);
        let unreduced = more.contains(&"--no-reduction");
        if unreduced && largest > most_states() {
            continue;
        }
        // Few states may be very many without reductions: there a search that does not end says so.
        if unreduced {
            args.extend(["--timeout", "20", "--memory", "1000"]);
        }
        let ran = fencepost_args(&args);
        let states = ran.stdout.lines().filter_map(|l| json(l)["stats"]["states"].as_u64());
        largest = largest.max(states.max().unwrap_or(0));
        // Of any number of threads the search tries a few, with a bound for each; bmc does not.
        let instances = |l: &str| json(l)["engines"].as_array().unwrap().iter().any(|e| e["name"] == "bmc");
        by_search &= ran.stdout.lines().all(|l| json(l)["engine"] == "explicit" && instances(l));
        let found: Vec<_> =
            ran.stdout.lines().map(|l| json(l)["verdict"].as_str().unwrap().to_string()).collect();
        let agrees =
            |(found, verdict): (&String, &&String)| found == *verdict || unreduced && found == "unknown";
        let all_agree = found.len() == verdicts.len() && found.iter().zip(&verdicts).all(agrees);
        assert!(all_agree, "{args:?}: {found:?}, not {verdicts:?}\n{}", ran.stderr);
        let worst = ["unsafe", "unknown", "safe"].into_iter().position(|v| found.iter().any(|f| f == v));
        assert_eq!(ran.code, [1, 3, 0][worst.unwrap()], "{args:?}");
    }
}

/// A test for each example, so that they share the cores. Those without a line here are tried by the last one.
macro_rules! examples {
    ($($name:ident: $file:literal,)*) => {
        mod verdicts_of {
            use super::{check_example, manifest};

            $(#[test] fn $name() {
                let lines: Vec<_> = manifest().into_iter().filter(|(file, ..)| file == $file).collect();
                assert!(!lines.is_empty(), "{} has a line in the manifest", $file);
                lines.into_iter().for_each(check_example);
            })*

            #[test]
            fn all_others() {
                let others = manifest().into_iter().filter(|(file, ..)| ![$($file),*].contains(&file.as_str()));
                others.for_each(check_example);
            }
        }
    };
}

examples! {
    bakery_c: "bakery.c",
    bakery_fp: "bakery.fp",
    bakery_fenced_c: "bakery_fenced.c",
    bakery_fenced_fp: "bakery_fenced.fp",
    barrier_fp: "barrier.fp",
    barrier_fenced_fp: "barrier_fenced.fp",
    burns_c: "burns.c",
    burns2_fp: "burns2.fp",
    burns2_fenced_fp: "burns2_fenced.fp",
    burns3_fp: "burns3.fp",
    burns3_fenced_fp: "burns3_fenced.fp",
    burns4_fp: "burns4.fp",
    burns4_fenced_fp: "burns4_fenced.fp",
    burns_fenced_c: "burns_fenced.c",
    chaselev_c: "chaselev.c",
    chaselev_fenced_c: "chaselev_fenced.c",
    cilk_fp: "cilk.fp",
    cilk_fenced_fp: "cilk_fenced.fp",
    cilk_thieves_fp: "cilk_thieves.fp",
    clh_fp: "clh.fp",
    clh_fenced_fp: "clh_fenced.fp",
    clhlock_c: "clhlock.c",
    clhlock_fenced_c: "clhlock_fenced.c",
    dekker_c: "dekker.c",
    dekker_fp: "dekker.fp",
    dekker_fenced_c: "dekker_fenced.c",
    dekker_fenced_fp: "dekker_fenced.fp",
    dijkstra_c: "dijkstra.c",
    dijkstra_fp: "dijkstra.fp",
    dijkstra_fenced_c: "dijkstra_fenced.c",
    dijkstra_fenced_fp: "dijkstra_fenced.fp",
    fibonacci5_safe_c: "fibonacci5_safe.c",
    fibonacci5_unsafe_c: "fibonacci5_unsafe.c",
    fibonacci6_safe_c: "fibonacci6_safe.c",
    fibonacci6_unsafe_c: "fibonacci6_unsafe.c",
    handoff_template_fp: "handoff_template.fp",
    handoff_template_broken_fp: "handoff_template_broken.fp",
    hash_insert_c: "hash_insert.c",
    hash_insert_fenced_c: "hash_insert_fenced.c",
    iriw_fp: "iriw.fp",
    isa2_fp: "isa2.fp",
    isa2_fenced_fp: "isa2_fenced.fp",
    lamport_c: "lamport.c",
    lamport2_fp: "lamport2.fp",
    lamport2_fenced_fp: "lamport2_fenced.fp",
    lamport3_fp: "lamport3.fp",
    lamport3_fenced_fp: "lamport3_fenced.fp",
    lamport_fenced_c: "lamport_fenced.c",
    lazy_fig12_fp: "lazy_fig12.fp",
    lazy_fig7_fp: "lazy_fig7.fp",
    lazy_fig8_fp: "lazy_fig8.fp",
    lazy_fig9_fp: "lazy_fig9.fp",
    lb_fp: "lb.fp",
    leader_c: "leader.c",
    leader_fenced_c: "leader_fenced.c",
    mcs_fp: "mcs.fp",
    mcs_fenced_fp: "mcs_fenced.fp",
    mcslock_c: "mcslock.c",
    mcslock_fenced_c: "mcslock_fenced.c",
    mp_fp: "mp.fp",
    mp_fenced_fp: "mp_fenced.fp",
    msqueue_c: "msqueue.c",
    msqueue_fenced_c: "msqueue_fenced.c",
    nbw_fp: "nbw.fp",
    nbw_fenced_fp: "nbw_fenced.fp",
    nbw_w_wr_fp: "nbw_w_wr.fp",
    park_c: "park.c",
    park_fenced_c: "park_fenced.c",
    parker_fp: "parker.fp",
    parker_fenced_fp: "parker_fenced.fp",
    peterson_c: "peterson.c",
    peterson_fp: "peterson.fp",
    peterson_fenced_c: "peterson_fenced.c",
    peterson_fenced_fp: "peterson_fenced.fp",
    recursion_fp: "recursion.fp",
    recursion_broken_fp: "recursion_broken.fp",
    rwc_fp: "rwc.fp",
    rwc_fenced_fp: "rwc_fenced.fp",
    rwlock_c: "rwlock.c",
    rwlock_fenced_c: "rwlock_fenced.c",
    rwlock_template_fp: "rwlock_template.fp",
    rwlock_template_broken_fp: "rwlock_template_broken.fp",
    sb_fp: "sb.fp",
    sb_fenced_fp: "sb_fenced.fp",
    sb_template_fp: "sb_template.fp",
    sb_template_fenced_fp: "sb_template_fenced.fp",
    sense_barrier_c: "sense_barrier.c",
    sense_barrier_fenced_c: "sense_barrier_fenced.c",
    seqlock_c: "seqlock.c",
    seqlock_fenced_c: "seqlock_fenced.c",
    spawn_fp: "spawn.fp",
    spawn_racy_fp: "spawn_racy.fp",
    spinlock_c: "spinlock.c",
    spinlock_fp: "spinlock.fp",
    spinlock_any_c: "spinlock_any.c",
    spinlock_any_broken_c: "spinlock_any_broken.c",
    spinlock_broken_fp: "spinlock_broken.fp",
    spinlock_fenced_c: "spinlock_fenced.c",
    spinlock_fenced_fp: "spinlock_fenced.fp",
    spinlock_template_fp: "spinlock_template.fp",
    stack_fp: "stack.fp",
    stack_aba_fp: "stack_aba.fp",
    szymanski_c: "szymanski.c",
    szymanski_fp: "szymanski.fp",
    szymanski_fenced_c: "szymanski_fenced.c",
    szymanski_fenced_fp: "szymanski_fenced.fp",
    ticket_fp: "ticket.fp",
    ticket_fenced_fp: "ticket_fenced.fp",
    ticket_template_fp: "ticket_template.fp",
    ticket_template_broken_fp: "ticket_template_broken.fp",
    ticketlock_c: "ticketlock.c",
    ticketlock_fenced_c: "ticketlock_fenced.c",
    treiber_c: "treiber.c",
    treiber_fenced_c: "treiber_fenced.c",
    trylock_c: "trylock.c",
    trylock_fenced_c: "trylock_fenced.c",
    ttas_c: "ttas.c",
    ttas_fenced_c: "ttas_fenced.c",
    two_plus_two_w_fp: "two_plus_two_w.fp",
    two_plus_two_w_fenced_fp: "two_plus_two_w_fenced.fp",
    w_rwc_fp: "w_rwc.fp",
    w_rwc_fenced_fp: "w_rwc_fenced.fp",
    work_queue_c: "work_queue.c",
    work_queue_broken_c: "work_queue_broken.c",
    wrc_fp: "wrc.fp",
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
    let limit = seconds(20).to_string();
    for (i, block) in blocks.iter().enumerate() {
        let ran = check(&format!("reference_{i}.fp"), block, &["--timeout", &limit]);
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

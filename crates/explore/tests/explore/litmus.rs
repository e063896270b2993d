//! Litmus tests: hand-written ones for everything the format has, with whole sets of final states as
//! golden facts; all generated ones up to size 6; the named families with their known verdicts; recorded
//! answers of herd where they are beside the repository. On every loop-free test the operational models
//! and the axioms have to agree.
//!
//! `UPDATE_EXPECT=1` writes the golden file anew; read the difference before you commit it.

use expect_test::expect_file;
use fencepost_explore::{Explicit, Finals};
use fencepost_ir::cfg::{Observable, Program, Reg};
use fencepost_litmus::generate::{Cycle, all_cycles, test};
use fencepost_litmus::{Arch, Test, read_test};
use fencepost_memory::axiom;
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_task::{Bounds, Budget, Model, Reason, Task};
use std::collections::BTreeSet;
use std::fmt::Write;

type Outcomes = BTreeSet<Vec<i64>>;

fn read(text: &str) -> (Test, Program) {
    let test = read_test("test.litmus", text).unwrap_or_else(|(_, d)| panic!("{d:?}\n{text}"));
    let mut program = pipeline::lower(test.program.clone());
    test.observe(&mut program);
    (test, program)
}

fn searched(test: &Test, program: &Program, model: Model) -> Outcomes {
    let task = Task { program, model, bounds: Bounds::default(), budget: Budget::default() };
    let observables = test.observables(program);
    let mut outcomes = BTreeSet::new();
    let finals = Explicit::default().final_states(&task, &mut |state| {
        let value = |o: &Observable| match *o {
            Observable::Cell(loc) => state.read(loc),
            Observable::Register(start, Reg::Local(slot)) => {
                let thread = &state.threads[start.index()];
                thread.registers[(thread.frames[0].base + slot) as usize]
            }
            Observable::Register(_, Reg::Thread(_)) => unreachable!("litmus tests have none"),
        };
        let held: Vec<i64> = observables.iter().map(value).collect();
        outcomes.insert(test.values(program, &held));
    });
    assert_eq!(finals, Finals::All);
    outcomes
}

/// The outcomes, after comparing them with the axioms where those can be asked.
fn agreed(test: &Test, program: &Program, model: Model) -> Outcomes {
    let operational = searched(test, program, model);
    let observables = test.observables(program);
    match axiom::outcomes(program, model, &observables, &Budget::default()) {
        Ok(axiomatic) => {
            let axiomatic: Outcomes = axiomatic.iter().map(|held| test.values(program, held)).collect();
            assert_eq!(operational, axiomatic, "{} under {model:?}", test.name);
        }
        Err(Reason::NotApplicable(why)) => {
            let is_known = why.contains("loops") || why.contains("calls");
            assert!(is_known, "{}: {why}", test.name);
        }
        Err(other) => panic!("{}: {other}", test.name),
    }
    operational
}

fn is_reached(test: &Test, program: &Program, model: Model) -> bool {
    agreed(test, program, model).iter().any(|values| test.observation.satisfied(values))
}

#[test]
fn hand_written_tests_have_their_final_states() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/litmus/");
    let inputs = std::fs::read_to_string(format!("{folder}hand_written.txt")).unwrap();
    let mut actual = String::new();
    for case in inputs.split("==== ").skip(1) {
        let (title, text) = case.split_once('\n').unwrap();
        let (test, program) = read(text);
        let _ = writeln!(actual, "==== {title}\n{} {}", test.name, test.observation.condition());
        let mut before: Option<Vec<String>> = None;
        for model in Model::ALL {
            let outcomes = agreed(&test, &program, model);
            let kept = outcomes.iter().filter(|v| test.observation.passes_filter(v));
            let mut lines = Vec::new();
            for values in kept {
                assert_eq!(test.observation.fault(values), None, "{title}");
                let mark = if test.observation.satisfied(values) { "+" } else { "-" };
                lines.push(format!("  {mark} {}", test.observation.show(values)));
            }
            let same = before.as_ref() == Some(&lines);
            let _ = writeln!(actual, "{}{}", model.name(), if same { ": the same" } else { "" });
            if !same {
                let _ = writeln!(actual, "{}", lines.join("\n"));
            }
            before = Some(lines);
        }
    }
    expect_file!["../litmus/hand_written.expected"].assert_eq(&actual);
}

#[test]
fn all_generated_tests_agree_and_none_is_reached_under_sc() {
    let cycles = all_cycles(6);
    assert_eq!(cycles.len(), 2065);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for core in 0..cores {
            let mine = cycles.iter().skip(core).step_by(cores);
            scope.spawn(move || {
                for cycle in mine {
                    let mut verdicts = Vec::new();
                    for arch in [Arch::X86_64, Arch::X86] {
                        let text = test(cycle, arch).unwrap().text;
                        let (test, program) = read(&text);
                        verdicts.push(Model::ALL.map(|m| is_reached(&test, &program, m)));
                    }
                    assert_eq!(verdicts[0], verdicts[1], "{cycle}: both orders of operands mean the same");
                    let [sc, tso, pso] = verdicts[0];
                    assert!(!sc, "{cycle} is reached under SC");
                    assert!(pso || !tso, "{cycle} is reached under TSO but not under PSO");
                }
            });
        }
    });
}

/// A test in which two or three threads access a word of 8 bytes in all widths, wherever they are aligned.
fn mixed_sizes(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let thread = |rng: &mut Rng| {
        let access = |rng: &mut Rng, register: &str| {
            let (width, suffix, name) = rng.pick(&[
                (1, "b", ["%al", "%bl"]),
                (2, "w", ["%ax", "%bx"]),
                (4, "l", ["%eax", "%ebx"]),
                (8, "q", ["%rax", "%rbx"]),
            ]);
            let offset = rng.below(8 / width) * width;
            let name = name[usize::from(register == "b")];
            let value = rng.below(100) + 1;
            match rng.below(7) {
                0..3 => format!("mov{suffix} ${value},{offset}(x)"),
                3..6 => format!("mov{suffix} {offset}(x),{name}"),
                _ => format!("xchg{suffix} {name},{offset}(x)"),
            }
        };
        let mut lines = vec![access(rng, "a"), access(rng, "b")];
        if rng.one_in(3) {
            lines.insert(1, rng.pick(&["mfence", "sfence", "movl $1,(y)", "movl (y),%ecx"]).to_string());
        }
        lines.resize(3, String::new());
        lines
    };
    let threads = 2 + usize::from(rng.one_in(20));
    let columns: Vec<Vec<String>> = (0..threads).map(|_| thread(&mut rng)).collect();
    let row = |cells: Vec<&str>| format!(" {} ;\n", cells.join(" | "));
    let rows: Vec<String> = (0..3).map(|i| row(columns.iter().map(|c| c[i].as_str()).collect())).collect();
    let heads = row(["P0", "P1", "P2"][..threads].to_vec());
    let registers: Vec<String> = (0..threads).map(|t| format!("{t}:rax; {t}:rbx; {t}:rcx;")).collect();
    let locations = format!("locations [x; y; {}]", registers.concat());
    format!("X86_64 mixed\n{{ uint64_t x=0x0807060504030201; }}\n{heads}{}{locations}\n", rows.concat())
}

#[test]
fn random_tests_of_mixed_sizes_agree() {
    let seeds = effort::seeds(600);
    let mut weak = 0;
    for seed in 0..seeds {
        let text = mixed_sizes(seed);
        let (test, program) = read(&text);
        let [sc, tso, pso] = Model::ALL.map(|model| agreed(&test, &program, model).len());
        weak += usize::from(sc < tso || tso < pso);
    }
    assert!(weak > seeds as usize / 10, "only {weak} tests tell models apart");
}

/// Families and whether their outcome is reached under TSO and under PSO.
const FAMILIES: &[(&str, &str, bool, bool)] = &[
    ("SB", "PodWR Fre PodWR Fre", true, true),
    ("SB+mfence+po", "MFencedWR Fre PodWR Fre", true, true),
    ("SB+mfences", "MFencedWR Fre MFencedWR Fre", false, false),
    ("MP", "PodWW Rfe PodRR Fre", false, true),
    ("MP+mfence+po", "MFencedWW Rfe PodRR Fre", false, false),
    ("MP+po+mfence", "PodWW Rfe MFencedRR Fre", false, true),
    ("MP+sfence+po", "SFencedWW Rfe PodRR Fre", false, false),
    ("LB", "PodRW Rfe PodRW Rfe", false, false),
    ("S", "PodWW Rfe PodRW Coe", false, true),
    ("R", "PodWW Coe PodWR Fre", true, true),
    ("R+po+mfence", "PodWW Coe MFencedWR Fre", false, true),
    ("R+mfence+po", "MFencedWW Coe PodWR Fre", true, true),
    ("R+mfences", "MFencedWW Wse MFencedWR Fre", false, false),
    ("2+2W", "PodWW Wse PodWW Wse", false, true),
    ("2+2W+mfence+po", "MFencedWW Coe PodWW Coe", false, true),
    ("2+2W+mfences", "MFencedWW Coe MFencedWW Coe", false, false),
    ("WRC", "Rfe PodRW Rfe PodRR Fre", false, false),
    ("WWC", "Rfe PodRW Rfe PodRW Coe", false, false),
    ("ISA2", "PodWW Rfe PodRW Rfe PodRR Fre", false, true),
    ("RWC", "Rfe PodRR Fre PodWR Fre", true, true),
    ("RWC+po+mfence", "Rfe PodRR Fre MFencedWR Fre", false, false),
    ("W+RWC", "PodWW Rfe PodRR Fre PodWR Fre", true, true),
    ("WRW+WR", "Rfe PodRW Coe PodWR Fre", true, true),
    ("WRR+2W", "Rfe PodRR Fre PodWW Coe", false, true),
    ("WRW+2W", "Rfe PodRW Coe PodWW Coe", false, true),
    ("IRIW", "Rfe PodRR Fre Rfe PodRR Fre", false, false),
    ("IRRWIW", "Rfe PodRR Fre Rfe PodRW Coe", false, false),
    ("IRWIW", "Rfe PodRW Coe Rfe PodRW Coe", false, false),
    ("3.SB", "PodWR Fre PodWR Fre PodWR Fre", true, true),
    ("3.LB", "PodRW Rfe PodRW Rfe PodRW Rfe", false, false),
    ("3.2W", "PodWW Coe PodWW Coe PodWW Coe", false, true),
    ("Z6.0", "PodWW Rfe PodRW Coe PodWR Fre", true, true),
    ("Z6.1", "PodWW Coe PodWW Rfe PodRW Coe", false, true),
    ("Z6.2", "PodWW Rfe PodRW Rfe PodRW Coe", false, true),
    ("Z6.3", "PodWW Coe PodWW Rfe PodRR Fre", false, true),
    ("Z6.4", "PodWW Coe PodWR Fre PodWR Fre", true, true),
    ("Z6.5", "PodWW Coe PodWW Coe PodWR Fre", true, true),
    ("CoRR", "Rfe PosRR Fre", false, false),
    ("CoRW2", "Rfe PosRW Coe", false, false),
    ("CoWR", "PosWR Fre Coe", false, false),
    ("SB+rfi-pos", "Rfi PodRR Fre Rfi PodRR Fre", true, true),
    ("W+RR+WR+WW+po+mfence+po", "Rfe PodRR Fre MFencedWR Fre PodWW Coe", false, true),
    ("SB+mfence+po-mfence-mfence", "MFencedWR Fre PodWR MFencedRW MFencedWR Fre", false, false),
];

#[test]
fn named_families_have_their_known_verdicts() {
    for &(name, cycle, tso, pso) in FAMILIES {
        let cycle = Cycle::parse(cycle).unwrap();
        assert_eq!(test(&cycle, Arch::X86_64).unwrap().name, name);
        // However the cycle is turned, it is the same test, perhaps with its threads in another order.
        for rotation in cycle.rotations() {
            let generated = test(&rotation, Arch::X86_64).unwrap();
            let (test, program) = read(&generated.text);
            let verdicts = Model::ALL.map(|m| is_reached(&test, &program, m));
            assert_eq!(verdicts, [false, tso, pso], "{name}\n{}", generated.text);
        }
    }
}

/// The folder of recorded answers, if it is there.
fn recorded() -> Option<std::path::PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/litmus");
    let found = folder.join("x86").is_dir();
    if !found {
        println!("skipped: no recorded answers at ../shared/litmus");
    }
    found.then_some(folder)
}

#[test]
fn recorded_tests_agree_and_have_the_names_of_their_cycles() {
    let Some(folder) = recorded() else { return };
    let mut compared = 0;
    for group in std::fs::read_dir(folder.join("x86")).unwrap() {
        let group = group.unwrap().path();
        if !group.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(&group).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let (recorded, program) = read(&text);
            let outcomes = Model::ALL.map(|m| agreed(&recorded, &program, m));
            compared += 1;
            // The tests of single locations ask for more than their cycle.
            let numbered = recorded.name.ends_with(|c: char| c.is_ascii_digit());
            let Some(cycle) = text.lines().find_map(|l| l.strip_prefix("Orig=")) else { continue };
            if numbered || path.to_string_lossy().contains("CO") {
                continue;
            }
            let Ok(cycle) = Cycle::parse(cycle) else { continue };
            let ours = test(&cycle, Arch::X86_64).unwrap();
            assert_eq!(ours.name, recorded.name, "{cycle}");
            let (ours, program) = read(&ours.text);
            for (model, recorded_outcomes) in Model::ALL.into_iter().zip(&outcomes) {
                let reached = recorded_outcomes.iter().any(|v| recorded.observation.satisfied(v));
                assert_eq!(is_reached(&ours, &program, model), reached, "{cycle} under {model:?}");
            }
        }
    }
    assert!(compared > 200, "only {compared} recorded tests");
}

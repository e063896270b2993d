//! Certificates of the dual engine are accepted; certificates that somebody has changed are not.

use fencepost_certify::{Part, check_certificate};
use fencepost_cover::Dual;
use fencepost_ir::cfg::{Arith, BinaryOp, Count, Expr, Program, Property, Reg};
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_samples::random::{Config, program};
use fencepost_samples::tiny::Tiny;
use fencepost_task::certificate::{CertifiedMessage, CertifiedOp};
use fencepost_task::{Answer, Bounds, Budget, Certificate, Engine, Model, Task, Verdict};
use std::time::{Duration, Instant};

fn read(name: &str, text: &str) -> Program {
    let tree = fencepost_models::fp::read(name, text).unwrap_or_else(|(_, d)| panic!("{name}: {d:?}"));
    pipeline::lower(tree)
}

fn answer(program: &Program, milliseconds: u64) -> Answer {
    let deadline = Instant::now() + Duration::from_millis(milliseconds);
    let budget = Budget::default().until(deadline);
    let task = Task { program, model: Model::Tso, bounds: Bounds::default(), budget };
    Dual.check(&task, &mut |_| {})
}

/// The certificate, if the engine finds the program safe in time.
fn certificate(program: &Program, milliseconds: u64) -> Option<Certificate> {
    let answer = answer(program, milliseconds);
    match answer.verdict {
        Verdict::Safe { .. } => Some(*answer.certificate.expect("a safe verdict has a certificate")),
        Verdict::Unsafe { .. } | Verdict::Unknown { .. } => None,
    }
}

fn example(name: &str) -> Program {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    read(name, &std::fs::read_to_string(path).unwrap())
}

#[test]
fn certificates_of_the_examples_are_accepted() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let manifest = std::fs::read_to_string(format!("{folder}/verdicts.txt")).unwrap();
    let safe = manifest.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [file, _, "safe", ..] = words[..] else { return None };
        file.ends_with(".fp").then_some(file)
    });
    let mut accepted = 0;
    let mut failures = Vec::new();
    for name in safe {
        let program = example(name);
        let began = Instant::now();
        let Some(certificate) = certificate(&program, 3_000) else { continue };
        let searched = began.elapsed();
        let began = Instant::now();
        let result = check_certificate(&program, &certificate);
        let (size, checked) = (certificate.basis.len(), began.elapsed());
        println!("{name}: basis of {size}, found in {searched:?}, checked in {checked:?}");
        match result {
            Ok(()) => accepted += 1,
            Err(unproven) => failures.push(format!("{name}: {unproven}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(accepted >= 30, "{accepted} certificates");
}

/// Small enough to be changed everywhere.
const SMALL: [&str; 10] = [
    "sb_fenced.fp",
    "dekker_fenced.fp",
    "mp.fp",
    "lb.fp",
    "wrc.fp",
    "peterson_fenced.fp",
    "spinlock.fp",
    "spinlock_template.fp",
    "handoff_template.fp",
    "rwlock_template.fp",
];

/// Changes each certificate in all the ways given; how many changed ones are rejected, and accepted.
fn tamper(changes: impl Fn(&Certificate) -> Vec<(String, Certificate)>) -> (usize, Vec<String>) {
    let (mut rejected, mut accepted) = (0, Vec::new());
    for name in SMALL {
        let program = example(name);
        let original = certificate(&program, 20_000).unwrap_or_else(|| panic!("{name} is proved"));
        for (what, changed) in changes(&original) {
            match check_certificate(&program, &changed) {
                Ok(()) => accepted.push(format!("{name}: {what}")),
                Err(_) => rejected += 1,
            }
        }
    }
    (rejected, accepted)
}

/// Checks that all changes are rejected, and counts them.
fn all_rejected(least: usize, changes: impl Fn(&Certificate) -> Vec<(String, Certificate)>) {
    let (rejected, accepted) = tamper(changes);
    assert!(accepted.is_empty(), "accepted: {accepted:#?}");
    assert!(rejected >= least, "{rejected} changes");
}

/// The engine leaves no element that another one makes superfluous, so each is needed.
#[test]
fn without_any_one_element_the_basis_is_rejected() {
    all_rejected(50, |original| {
        let without = |i| {
            let mut changed = original.clone();
            let element = changed.basis.remove(i);
            (format!("without {element:?}"), changed)
        };
        (0..original.basis.len()).map(without).collect()
    });
}

/// The invariant is the least one, so each element and each readable value is needed.
#[test]
fn with_less_the_invariant_is_rejected() {
    all_rejected(200, |original| {
        let mut all = Vec::new();
        let count = original.invariant.len();
        for (i, element) in original.invariant.iter().enumerate().filter(|_| count > 1) {
            let mut changed = original.clone();
            changed.invariant.remove(i);
            all.push((format!("without {element:?}"), changed));
            for (t, cells) in element.readable.iter().enumerate() {
                for (x, values) in cells.iter().enumerate() {
                    for v in 0..values.len() {
                        let mut changed = original.clone();
                        changed.invariant[i].readable[t][x].remove(v);
                        all.push((format!("thread {t} reads less of {x} in {element:?}"), changed));
                    }
                }
            }
        }
        all
    });
}

#[test]
fn without_any_one_transition_or_pair_the_automata_are_rejected() {
    all_rejected(200, |original| {
        let mut all = Vec::new();
        for (g, group) in original.groups.iter().enumerate() {
            for t in 0..group.transitions.len() {
                let mut changed = original.clone();
                let transition = changed.groups[g].transitions.remove(t);
                all.push((format!("group {g} without {transition:?}"), changed));
            }
            for r in 0..group.relation.len() {
                let mut changed = original.clone();
                let pair = changed.groups[g].relation.remove(r);
                all.push((format!("group {g} without {pair:?}"), changed));
            }
        }
        all
    });
}

#[test]
fn other_cells_and_threads_are_rejected() {
    all_rejected(150, |original| {
        let mut all = Vec::new();
        let mut change = |what: String, change: &dyn Fn(&mut Certificate)| {
            let mut changed = original.clone();
            change(&mut changed);
            all.push((what, changed));
        };
        for (x, variable) in original.variables.iter().enumerate() {
            for i in 0..variable.values.len() {
                change(format!("cell {x} without value {i}"), &|c| {
                    c.variables[x].values.remove(i);
                });
                change(format!("cell {x} with another value {i}"), &|c| c.variables[x].values[i] += 1);
            }
            change(format!("cell {x} reversed"), &|c| c.variables[x].values.reverse());
            change(format!("cell {x} with more initial values"), &|c| c.variables[x].initial += 1);
            change(format!("cell {x} with more values"), &|c| c.variables[x].values.push(7));
        }
        change("without the last cell".into(), &|c| {
            c.variables.pop();
        });
        for (g, group) in original.groups.iter().enumerate() {
            change(format!("without group {g}"), &|c| {
                c.groups.remove(g);
            });
            change(format!("group {g} twice"), &|c| c.groups.push(c.groups[g].clone()));
            change(format!("group {g} without states"), &|c| c.groups[g].states = 0);
            change(format!("group {g} of one thread more"), &|c| {
                c.groups[g].count = Some(group.count.unwrap_or(0) + 1);
            });
        }
        all
    });
}

/// Numbers out of range are found before they are used.
#[test]
fn wild_numbers_are_rejected() {
    let wild = [u32::MAX, 1 << 31, 4711];
    all_rejected(500, |original| {
        let mut all = Vec::new();
        let mut change = |what: &str, change: &dyn Fn(&mut Certificate)| {
            let mut changed = original.clone();
            change(&mut changed);
            all.push((what.to_string(), changed));
        };
        for wild in wild {
            change("a start", &|c| c.groups[0].starts[0] = wild);
            change("a from", &|c| c.groups[0].transitions[0].0 = wild);
            change("a to", &|c| c.groups[0].transitions[0].2 = wild);
            for op in [
                CertifiedOp::Read(wild, 0),
                CertifiedOp::Read(0, wild),
                CertifiedOp::Write(wild, 0),
                CertifiedOp::Write(0, wild),
                CertifiedOp::Atomic(vec![(wild, 0)], vec![]),
                CertifiedOp::Atomic(vec![], vec![(0, wild)]),
            ] {
                change("an operation", &|c| c.groups[0].transitions[0].1 = op.clone());
            }
            change("a related state", &|c| c.groups[0].relation[0].1 = wild);
            change("a procedure", &|c| c.groups[0].relation[0].0.frames[0].procedure = wild);
            change("a node", &|c| c.groups[0].relation[0].0.frames[0].node = wild);
            change("a call", &|c| c.groups[0].relation[0].0.frames[0].call = Some(wild));
            change("a held cell", &|c| c.groups[0].relation[0].0.held = vec![wild]);
            if !original.invariant.is_empty() {
                change("a reachable state", &|c| c.invariant[0].states[0] = wild);
                change("a reachable memory cell", &|c| c.invariant[0].memory[0] = wild);
                change("a readable value", &|c| c.invariant[0].readable[0][0].push(wild));
            }
            if original.basis.is_empty() {
                continue;
            }
            change("a group", &|c| c.basis[0].processes[0].group = wild);
            change("a state", &|c| c.basis[0].processes[0].state = wild);
            change("a memory cell", &|c| c.basis[0].memory[0] = Some(wild));
            for (variable, value, own) in
                [(wild, Some(0), true), (0, Some(wild), true), (wild, None, true), (0, None, false)]
            {
                let message = CertifiedMessage { variable, value, own };
                change("a message", &|c| c.basis[0].processes[0].buffer = vec![message]);
            }
        }
        change("no frames", &|c| c.groups[0].relation[0].0.frames.clear());
        change("another register", &|c| c.groups[0].relation[0].0.registers.push(0));
        change("no start", &|c| c.groups[0].starts.clear());
        if let Some(element) = original.basis.first() {
            let mut shorter = element.clone();
            shorter.memory.pop();
            change("a shorter memory", &|c| c.basis[0] = shorter.clone());
        }
        if let Some(element) = original.invariant.first() {
            let mut shorter = [element.clone(), element.clone(), element.clone()];
            shorter[0].states.pop();
            shorter[1].memory.pop();
            shorter[2].readable[0].pop();
            for element in shorter {
                change("a shorter element", &|c| c.invariant[0] = element.clone());
            }
        }
        all
    });
}

#[test]
fn a_proof_of_another_program_is_rejected() {
    let programs: Vec<_> = SMALL.iter().map(|name| (name, example(name))).collect();
    for (name, program) in &programs {
        let certificate = certificate(program, 20_000).unwrap();
        for (other, program) in programs.iter().filter(|(other, _)| other != name) {
            let result = check_certificate(program, &certificate);
            assert!(result.is_err(), "the proof of {name} passes for {other}");
        }
    }
}

/// The fences matter: a proof of the program with them is none for the program without one.
#[test]
fn a_proof_of_the_program_with_its_fences_is_rejected_without_one() {
    let mut tried = 0;
    for name in
        ["sb_fenced.fp", "peterson_fenced.fp", "dekker_fenced.fp", "burns2_fenced.fp", "w_rwc_fenced.fp"]
    {
        let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let certificate = certificate(&read(name, &text), 20_000).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for i in (0..lines.len()).filter(|&i| lines[i].trim_start().starts_with("fence")) {
            let without = read(name, &[&lines[..i], &[""], &lines[i + 1..]].concat().join("\n"));
            let unproven = check_certificate(&without, &certificate).expect_err("it is unsafe");
            assert!(matches!(unproven.part, Part::Shape | Part::Simulation), "{name}: {unproven}");
            tried += 1;
        }
    }
    assert!(tried >= 9, "{tried} fences");
}

#[test]
fn certificates_of_random_programs_are_accepted() {
    let seeds = effort::seeds(600);
    let mut accepted = 0;
    for seed in 0..seeds {
        let config = Config { storing_loops: seed % 2 == 0, ..Config::default() };
        let text = program(seed, config).to_string();
        let program = read("random.fp", &text);
        let Some(certificate) = certificate(&program, 400) else { continue };
        if let Err(unproven) = check_certificate(&program, &certificate) {
            panic!("seed {seed}: {unproven}\n{text}");
        }
        accepted += 1;
    }
    println!("{accepted} certificates");
    assert!(accepted > seeds / 10, "{accepted}");
}

/// The same programs with any number of each thread.
#[test]
fn certificates_of_random_templates_are_accepted() {
    let seeds = effort::seeds(300);
    let mut accepted = 0;
    for seed in 0..seeds {
        let text = program(seed, Config { statements: 3, ..Config::default() }).to_string();
        let mut program = read("random.fp", &text);
        program.threads.iter_mut().for_each(|t| t.count = Count::Any);
        program.properties.retain(|p| matches!(p, Property::Forbid { .. }));
        let Some(certificate) = certificate(&program, 200) else { continue };
        if let Err(unproven) = check_certificate(&program, &certificate) {
            panic!("seed {seed}: {unproven}\n{text}");
        }
        accepted += 1;
    }
    println!("{accepted} certificates");
    assert!(accepted > seeds / 20, "{accepted}");
}

/// Tiny programs that must not end in some way that they do not: final conditions on everything.
#[test]
fn certificates_of_final_conditions_are_accepted() {
    let mut rng = Rng::new(5);
    let mut accepted = 0;
    for tiny in Tiny::all(3).step_by(293) {
        let mut program = tiny.program();
        let Some(Property::Final { observed, condition, .. }) = program.properties.first_mut() else {
            panic!("tiny programs observe everything")
        };
        let equal = |i: usize, v: usize| {
            let (left, right) = (Expr::Reg(Reg::Local(i as u32)), Expr::Const(v as i64));
            Expr::Binary(BinaryOp::Eq, Arith::Exact, Box::new(left), Box::new(right))
        };
        let both = |a, b| Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(a), Box::new(b));
        *condition =
            (0..observed.len()).map(|i| equal(i, rng.below(3))).reduce(both).unwrap_or(Expr::Const(1));
        let Some(certificate) = certificate(&program, 5_000) else { continue };
        check_certificate(&program, &certificate).unwrap_or_else(|unproven| panic!("{tiny}: {unproven}"));
        accepted += 1;
    }
    assert!(accepted > 100, "{accepted}");
}

/// A statement is taken out of a safe program. If that makes it unsafe, the old proof is rejected.
#[test]
fn a_proof_is_rejected_when_a_change_makes_the_program_unsafe() {
    let seeds = effort::seeds(200);
    let mut rejected = 0;
    for seed in 0..seeds {
        let text = program(seed, Config::default()).to_string();
        let Some(proof) = certificate(&read("random.fp", &text), 200) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        for i in (0..lines.len()).filter(|&i| lines[i].ends_with(';')) {
            // The line stays, so that all others keep their places.
            let without = [&lines[..i], &[""], &lines[i + 1..]].concat().join("\n");
            let Ok(tree) = fencepost_models::fp::read("random.fp", &without) else { continue };
            let changed = pipeline::lower(tree);
            let accepted = check_certificate(&changed, &proof).is_ok();
            if let Verdict::Unsafe { .. } = answer(&changed, 200).verdict {
                assert!(!accepted, "seed {seed} without line {}\n{text}", i + 1);
                rejected += 1;
            }
        }
    }
    assert!(rejected > seeds / 20, "{rejected}");
}

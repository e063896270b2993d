//! Small programs against the reference: tiny ones outcome by outcome, litmus tests by their conditions, with the
//! stamped abstractions and with queues; and how formulas grow.

use fencepost_bmc::{Abstraction, Bmc};
use fencepost_certify::replay;
use fencepost_explore::Explicit;
use fencepost_ir::Span;
use fencepost_ir::cfg::{
    Arith, BinaryOp, Expr, Loc, Observable, Program, Property, Quantifier, Reg, StartId,
};
use fencepost_litmus::read_test;
use fencepost_memory::{Machine, reachable, with_memory};
use fencepost_passes::pipeline;
use fencepost_samples::effort;
use fencepost_samples::tiny::Tiny;
use fencepost_task::{Bounds, Budget, Engine, Model, Scope, Task, Verdict};
use std::collections::BTreeSet;

fn task(program: &Program, model: Model) -> Task<'_> {
    Task { program, model, bounds: Bounds::default(), budget: Budget::default() }
}

/// Whether the engine says unsafe. Safe is complete, but for programs that need more than a dozen rounds.
fn is_unsafe(engine: &Bmc, program: &Program, model: Model, name: &str) -> bool {
    match engine.check(&task(program, model), &mut |_| {}).verdict {
        Verdict::Unsafe { trace } => {
            if let Err(rejection) = replay(program, &trace) {
                panic!("{name} under {model:?}: {rejection}");
            }
            true
        }
        Verdict::Safe(cleared)
            if matches!(cleared.scope(), Scope::Complete | Scope::UpTo(Bounds { rounds: Some(12), .. })) =>
        {
            false
        }
        other => panic!("{name} under {model:?}: {other:?}"),
    }
}

/// Memory and all registers of a tiny program.
fn observables(program: &Program) -> Vec<Observable> {
    let cells = (0..program.cell_bases()[program.objects.len()]).map(|i| Observable::Cell(Loc::cell(i)));
    let registers = program.threads.iter().enumerate().flat_map(|(i, start)| {
        let registers = program.procedure(start.procedure).registers.len() as u32;
        (0..registers).map(move |r| Observable::Register(StartId(i as u32), Reg::Local(r)))
    });
    cells.chain(registers).collect()
}

fn ends_with(program: &Program, values: &[i64]) -> Program {
    let mut asked = program.clone();
    let equal = |(i, v): (usize, &i64)| {
        let register = Box::new(Expr::Reg(Reg::Local(i as u32)));
        Expr::Binary(BinaryOp::Eq, Arith::Exact, register, Box::new(Expr::Const(*v)))
    };
    let both = |a, b| Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(a), Box::new(b));
    let condition = values.iter().enumerate().map(equal).reduce(both).unwrap_or(Expr::Const(1));
    let observed = observables(program);
    let quantifier = Quantifier::Exists;
    asked.properties = vec![Property::Final { quantifier, observed, condition, span: Span::NONE }];
    asked
}

#[test]
fn tiny_programs_end_as_they_should() {
    let engines = [
        Bmc { clock: Some(7), rounds: Some(8), ..Bmc::default() },
        Bmc { abstraction: Abstraction::Queues, queue: Some(3), rounds: Some(8), ..Bmc::default() },
    ];
    let mut different = 0;
    // Prime steps, so that the slice is not a pattern of the enumeration.
    for tiny in Tiny::all(2).step_by(211).chain(Tiny::all(3).step_by(9973)) {
        let program = tiny.program();
        let outcomes = Model::ALL.map(|model| {
            let machine = Machine::new(&program).unwrap();
            let found = with_memory!(model, memory => reachable(&machine, memory, usize::MAX)).unwrap();
            let finals = found.states.iter().filter(|s| s.is_final());
            let registers = |s: &fencepost_memory::State| {
                s.threads.iter().flat_map(|t| t.registers.clone()).collect::<Vec<_>>()
            };
            finals.map(|s| [s.cells.clone(), registers(s)].concat()).collect::<BTreeSet<_>>()
        });
        different += usize::from(outcomes[0] != outcomes[2]);
        for outcome in &outcomes[2] {
            let asked = ends_with(&program, outcome);
            for (model, reached) in Model::ALL.into_iter().zip(&outcomes) {
                for engine in &engines {
                    let found = is_unsafe(engine, &asked, model, &tiny.to_string());
                    assert_eq!(found, reached.contains(outcome), "{tiny} under {model:?}: {outcome:?}");
                }
            }
        }
    }
    assert!(different > 0, "some of them must show the models apart");
}

fn litmus(text: &str) -> (String, Program) {
    let test = read_test("test.litmus", text).unwrap_or_else(|_| panic!("{text}"));
    let program = pipeline::lower(test.program.clone());
    (test.name.clone(), program)
}

fn agrees_on(text: &str) {
    let (name, program) = litmus(text);
    for model in Model::ALL {
        let explicit = Explicit::default().check(&task(&program, model), &mut |_| {}).verdict;
        let expected = match explicit {
            Verdict::Unsafe { .. } => true,
            Verdict::Safe { .. } => false,
            Verdict::Unknown { .. } => continue,
        };
        assert_eq!(is_unsafe(&Bmc::default(), &program, model, &name), expected, "{name} under {model:?}");
    }
}

#[test]
fn recorded_litmus_tests_have_the_same_verdicts() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/litmus/x86");
    if !folder.is_dir() {
        println!("skipped: no recorded tests at ../shared/litmus");
        return;
    }
    let step = effort::every(7);
    let groups = std::fs::read_dir(folder).unwrap().map(|g| g.unwrap().path()).filter(|g| g.is_dir());
    let mut files: Vec<_> =
        groups.flat_map(|g| std::fs::read_dir(g).unwrap().map(|f| f.unwrap().path())).collect();
    files.sort();
    let mut compared = 0;
    for path in files.iter().step_by(step) {
        agrees_on(&std::fs::read_to_string(path).unwrap());
        compared += 1;
    }
    assert!(compared * step > 200, "only {compared} recorded tests");
}

#[test]
fn well_known_litmus_tests() {
    for text in [
        "X86_64 SB\n{ }\nP0 | P1 ;\nmovl $1,(x) | movl $1,(y) ;\nmovl (y),%eax | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)",
        "X86_64 SB+mfences\n{ }\nP0 | P1 ;\nmovl $1,(x) | movl $1,(y) ;\nmfence | mfence ;\nmovl (y),%eax | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)",
        "X86_64 MP\n{ }\nP0 | P1 ;\nmovl $1,(x) | movl (y),%eax ;\nmovl $1,(y) | movl (x),%ebx ;\nexists (1:rax=1 /\\ 1:rbx=0)",
        "X86_64 IRIW\n{ }\nP0 | P1 | P2 | P3 ;\nmovl $1,(x) | movl $1,(y) | movl (x),%eax | movl (y),%eax ;\n | | movl (y),%ebx | movl (x),%ebx ;\nexists (2:rax=1 /\\ 2:rbx=0 /\\ 3:rax=1 /\\ 3:rbx=0)",
    ] {
        agrees_on(text);
    }
}

/// Clauses for a program of two threads that take turns in storing what they compute and loading, `length` times.
fn clauses(compute: fn(usize) -> String, length: usize, rounds: u32) -> u64 {
    let thread = |own: &str, other: &str| {
        let body: String =
            (0..length).map(|i| format!("{own} = {}; r = {other};\n", compute(i % 3))).collect();
        format!("thread t{own} {{ int r = 0; {body} assert(r != 3); }}\n")
    };
    let text = format!("shared int x, y;\n{}{}", thread("x", "y"), thread("y", "x"));
    let tree = fencepost_models::fp::read("size.fp", &text)
        .unwrap_or_else(|_| panic!("the text does not parse:\n{text}"));
    let program = pipeline::lower(tree);
    let engine = Bmc { unwind: Some(1), rounds: Some(rounds), clock: Some(2), ..Bmc::default() };
    // The size is of interest, not the answer.
    let budget = Budget::default().until(std::time::Instant::now() + std::time::Duration::from_millis(300));
    let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget };
    engine.check(&task, &mut |_| {}).stats.clauses
}

#[test]
fn formulas_grow_with_rounds_and_length_and_no_faster() {
    // Words of two bits, and of all bits.
    let computations: [fn(usize) -> String; 2] = [|i| format!("(r + {i}) % 4"), |i| format!("r * 5 + {i}")];
    for compute in computations {
        let by_length = [60, 120, 240].map(|length| clauses(compute, length, 3));
        for pair in by_length.windows(2) {
            assert!(
                pair[1] * 10 <= pair[0] * 23,
                "twice the length, more than twice the clauses: {by_length:?}"
            );
        }
        let by_rounds = [3, 6, 12].map(|rounds| clauses(compute, 40, rounds));
        for pair in by_rounds.windows(2) {
            assert!(
                pair[1] * 10 <= pair[0] * 23,
                "twice the rounds, more than twice the clauses: {by_rounds:?}"
            );
        }
    }
}

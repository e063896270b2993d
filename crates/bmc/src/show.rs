//! The program after each pass of the engine, as text: calls inlined, loops unrolled, visible statements numbered, and
//! made sequential.
//!
//! A line is a step from one place to another, with the procedure it belongs to and its place in the source. After
//! `inline` loops are still there; after `unroll` places are in topological order, steps that nothing leads to are left
//! out, and what goes beyond the bound leads to `cut`; after `number` the visible statements of each thread have the
//! numbers at which it can stop.

use crate::c::{Sequentialization, numbers, sequentialize};
use fencepost_analysis::bounded::{Bounded, Loops, Place, Unrolled, all_loops, unroll};
use fencepost_ir::cfg::{Instr, Names, ProcId, Program};
use fencepost_task::{Budget, Pace};
use std::collections::BTreeSet;

/// Names of the passes, in order.
pub const PASSES: [&str; 4] = ["inline", "unroll", "number", "sequentialize"];

/// The program after one of [`PASSES`]; or why it does not get there.
pub fn after(program: &Program, pass: &str, wanted: &Sequentialization) -> Result<String, String> {
    match pass {
        "inline" => inlined(program, wanted.unwind),
        "unroll" => threads(program, wanted, Numbers::Without),
        "number" => threads(program, wanted, Numbers::With),
        "sequentialize" => sequentialize(program, wanted),
        _ => panic!("`{pass}` is none of the passes"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Without,
    With,
}

/// Every procedure that a thread runs, with its calls inlined; recursion goes as deep as loops are repeated.
fn inlined(program: &Program, unwind: u32) -> Result<String, String> {
    let no_loops: Vec<_> = program.procedures.iter().map(Loops::none).collect();
    let mut started: BTreeSet<ProcId> = program.threads.iter().map(|t| t.procedure).collect();
    let edges = program.procedures.iter().flat_map(|p| p.edges());
    started.extend(edges.filter_map(|e| match e.instr {
        Instr::Spawn(_, procedure, ..) => Some(procedure),
        _ => None,
    }));
    let mut text = String::new();
    for procedure in started {
        let code = unroll(program, &no_loops, procedure, unwind, &mut Pace::new(&Budget::default()));
        let code = code.ok().flatten().ok_or("the program is too large")?;
        text += &format!("procedure {}\n", program.procedure(procedure).name);
        text += &steps(program, &code, |_| true, |_| None);
    }
    Ok(text)
}

fn threads(program: &Program, wanted: &Sequentialization, which: Numbers) -> Result<String, String> {
    let loops = all_loops(program, &Budget::default()).expect("nothing stops this");
    let analysis = Bounded::new(program, &loops, wanted.unwind, wanted.block, &Budget::default());
    let mut analysis = analysis.map_err(|refusal| refusal.to_string())?;
    let numbers = match which {
        Numbers::With => numbers(&mut analysis, wanted.model)?,
        Numbers::Without => Vec::new(),
    };
    let mut text = String::new();
    for (thread, instance) in analysis.instances.iter().enumerate() {
        text += &format!("thread {thread} {}\n", program.procedure(instance.procedure).name);
        let number = |place: usize| numbers.get(thread).and_then(|of| of[place]);
        text += &steps(program, &instance.code, |step| instance.facts[step].reachable, number);
    }
    Ok(text)
}

/// A line for every step.
fn steps(
    program: &Program,
    code: &Unrolled<'_>,
    reachable: impl Fn(usize) -> bool,
    number: impl Fn(usize) -> Option<usize>,
) -> String {
    let place = |place: usize| match code.places[place] {
        Place::At { .. } => place.to_string(),
        Place::End => "end".into(),
        Place::Cut => "cut".into(),
    };
    let mut text = String::new();
    let mut last = usize::MAX;
    for (_, step) in code.steps.iter().enumerate().filter(|(i, _)| reachable(*i)) {
        let procedure = program.procedure(code.frames[step.frame].procedure);
        let names = Names { program, locals: &procedure.registers };
        if last != step.from
            && let Some(number) = number(step.from)
        {
            text += &format!("  visible {number}:\n");
        }
        last = step.from;
        text += &format!(
            "  {} -> {} {}: {}  ; {}\n",
            place(step.from),
            place(step.to),
            procedure.name,
            names.instr(&step.edge.instr),
            program.sources.place(step.edge.span)
        );
    }
    text
}

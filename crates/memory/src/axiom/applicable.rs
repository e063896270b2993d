//! Which programs the axioms are asked about: loop-free code of threads that are there from the beginning.

use fencepost_ir::cfg::{Edge, Instr, Procedure, Program};
use fencepost_task::Reason;

/// What the oracle says of what it does not take.
pub fn refusal(what: &str) -> Reason {
    Reason::NotApplicable(format!("the axiomatic oracle does not take {what}"))
}

/// Why a thread's code is not for the oracle.
pub fn unsupported(program: &Program, procedure: &Procedure) -> Option<Reason> {
    let place = |edge: &Edge| program.sources.place(edge.span).to_string();
    for edge in procedure.edges() {
        let what = match &edge.instr {
            Instr::Nop
            | Instr::Choose
            | Instr::Assign(..)
            | Instr::Load(..)
            | Instr::Store(..)
            | Instr::Rmw(..)
            | Instr::Fence(_)
            | Instr::Assume(_)
            | Instr::Assert(..)
            | Instr::Return(_)
            | Instr::Exit(_) => continue,
            Instr::Havoc(_, choices) if choices.count() <= 64 => continue,
            Instr::Havoc(..) => "choices among so many values",
            Instr::Lock(_) | Instr::Unlock(_) => "mutexes",
            Instr::Spawn(..) | Instr::Join(..) => "threads that are started later",
            Instr::Call(..) => "calls",
            Instr::Own(_) => "threads that ask for their handles",
            Instr::Allocate { .. } | Instr::Reallocate { .. } | Instr::Free(..) => "allocated memory",
            Instr::AtomicBegin(_) | Instr::AtomicEnd(_) => "atomic sections",
            Instr::Halt => "ending the program",
        };
        return Some(refusal(&format!("{what}, as at {}", place(edge))));
    }
    let looping = back_edge(procedure)?;
    Some(refusal(&format!("loops, as at {}", place(looping))))
}

/// An edge that closes a loop.
fn back_edge(procedure: &Procedure) -> Option<&Edge> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; procedure.nodes as usize];
    // Each node twice: to be opened, and to be closed when all after it is done.
    let mut work = vec![(procedure.entry(), false)];
    while let Some((node, close)) = work.pop() {
        let mark = &mut marks[node.index()];
        if close {
            *mark = Mark::Done;
            continue;
        }
        if *mark != Mark::New {
            continue;
        }
        *mark = Mark::Open;
        work.push((node, true));
        for (_, edge) in procedure.out(node) {
            match marks[edge.to.index()] {
                Mark::Open => return Some(edge),
                Mark::New => work.push((edge.to, false)),
                Mark::Done => {}
            }
        }
    }
    None
}

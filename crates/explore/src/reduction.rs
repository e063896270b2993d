//! Which steps have to be tried in a state: partial-order reduction by local steps.
//!
//! A step is local when it touches only its thread's registers, control and the young end of
//! its buffer: assignments, branches, choices, calls, and under TSO and PSO stores, whose entry
//! into the buffer nobody else sees. Local steps of a thread commute with all steps of other
//! threads and with flushes, and neither disables the other. So in a state where some thread can
//! do local steps only, it is enough to try that thread's steps (an ample set), if
//!
//! - they change no property: neither end of the step has a label that a property speaks of;
//! - no thread is put off forever: every cycle of local steps passes a node where its thread is
//!   never chosen, the head of a loop or the entry of a recursive procedure.
//!
//! A store waits while the buffer is at its bound; then its thread is not chosen, whatever else it
//! could do. All this keeps every violation and every final state, which is tested against the
//! unreduced search.

use fencepost_ir::cfg::{Edge, Instr, NodeId, ProcId, Procedure, Program, Property};
use fencepost_memory::State;
use fencepost_task::Model;

/// The nodes where a thread's steps are all local.
pub struct LocalSteps {
    /// For each procedure and node.
    local: Vec<Vec<bool>>,
    /// Nodes that properties speak of.
    watched: Vec<Vec<bool>>,
}

impl LocalSteps {
    /// Analyses a program.
    pub fn new(program: &Program, model: Model) -> LocalSteps {
        let mut watched: Vec<_> = program.procedures.iter().map(|p| vec![false; p.nodes as usize]).collect();
        for property in &program.properties {
            let Property::Forbid { together, .. } = property else { continue };
            for requirement in together.iter().flatten() {
                let node = program.procedure(requirement.procedure).label(&requirement.label);
                let node = node.expect("the validator asks for the label");
                watched[requirement.procedure.index()][node.index()] = true;
            }
        }
        let local = (0..program.procedures.len() as u32)
            .map(|id| local_nodes(program, ProcId(id), model, &watched))
            .collect();
        LocalSteps { local, watched }
    }

    /// Whether all steps of the thread, but for flushes, are local in this state.
    pub fn is_local(&self, state: &State, thread: usize) -> bool {
        let thread = &state.threads[thread];
        let top = thread.top();
        if !self.local[top.procedure.index()][top.node.index()] || thread.ended {
            return false;
        }
        // A return may lead to a watched node of the caller.
        match thread.frames.len() {
            1 => true,
            n => {
                let caller = thread.frames[n - 2];
                !self.watched[caller.procedure.index()][caller.node.index()]
            }
        }
    }
}

fn local_nodes(program: &Program, id: ProcId, model: Model, watched: &[Vec<bool>]) -> Vec<bool> {
    let procedure = program.procedure(id);
    let outermost = program.threads.iter().any(|t| t.procedure == id)
        || program
            .procedures
            .iter()
            .any(|p| p.edges().iter().any(|e| matches!(e.instr, Instr::Spawn(_, s, ..) if s == id)));
    let is_local = |edge: &Edge| match &edge.instr {
        Instr::Nop
        | Instr::Choose
        | Instr::Assign(..)
        | Instr::Assume(_)
        | Instr::Assert(_)
        | Instr::Own(_)
        | Instr::Havoc(..) => true,
        Instr::Store(..) => model != Model::Sc,
        Instr::Fence(kind) => *kind == fencepost_ir::cfg::FenceKind::StoreStore,
        Instr::Call(_, callee, _) => !watched[callee.index()][0],
        // A return that may end a thread waits for its buffer.
        Instr::Return(_) => !outermost,
        Instr::Load(..)
        | Instr::Rmw(..)
        | Instr::Lock(_)
        | Instr::Unlock(_)
        | Instr::Spawn(..)
        | Instr::Join(..)
        | Instr::Allocate { .. }
        | Instr::Free(..)
        | Instr::Exit(_)
        | Instr::Halt
        | Instr::AtomicBegin(_)
        | Instr::AtomicEnd(_) => false,
    };
    let mut local: Vec<_> = (0..procedure.nodes)
        .map(|n| {
            let invisible = |e: &Edge| is_local(e) && !watched[id.index()][e.to.index()];
            !watched[id.index()][n as usize]
                && procedure.out(NodeId(n)).all(|(_, e)| invisible(e))
                && procedure.out(NodeId(n)).next().is_some()
        })
        .collect();
    for head in loop_heads(procedure) {
        local[head.index()] = false;
    }
    if is_recursive(program, id) {
        local[procedure.entry().index()] = false;
    }
    local
}

/// Targets of edges that close a cycle in a depth-first search: every cycle has one.
fn loop_heads(procedure: &Procedure) -> Vec<NodeId> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; procedure.nodes as usize];
    let mut heads = Vec::new();
    for root in 0..procedure.nodes {
        if marks[root as usize] != Mark::New {
            continue;
        }
        marks[root as usize] = Mark::Open;
        let mut stack = vec![(NodeId(root), 0)];
        while let Some((node, next)) = stack.last_mut() {
            match procedure.out(*node).nth(*next) {
                Some((_, edge)) => {
                    *next += 1;
                    match marks[edge.to.index()] {
                        Mark::New => {
                            marks[edge.to.index()] = Mark::Open;
                            stack.push((edge.to, 0));
                        }
                        Mark::Open => heads.push(edge.to),
                        Mark::Done => {}
                    }
                }
                None => {
                    marks[node.index()] = Mark::Done;
                    stack.pop();
                }
            }
        }
    }
    heads
}

fn is_recursive(program: &Program, id: ProcId) -> bool {
    let callees = |p: ProcId| {
        program.procedure(p).edges().iter().filter_map(|e| match e.instr {
            Instr::Call(_, callee, _) => Some(callee),
            _ => None,
        })
    };
    let mut seen = vec![false; program.procedures.len()];
    let mut work: Vec<_> = callees(id).collect();
    while let Some(p) = work.pop() {
        if !std::mem::replace(&mut seen[p.index()], true) {
            work.extend(callees(p));
        }
    }
    seen[id.index()]
}

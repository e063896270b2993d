//! Places where a fence may go: edges of the control-flow graph that do nothing, or are a fence.
//!
//! One graph serves all queries. It is made from a program with a fence at every place, and each of these
//! edges is then what a query wants it to be: an empty step or a fence of some kind. The numbers of edges
//! never change, so a run of one query can be tried on another.
//!
//! Two candidates of which all runs pass both, with nothing in between that memory or a property could
//! tell, are one: [`Candidates::distinct`] keeps the first. Where no store can be waiting a fence does
//! nothing; those places are left out, too.

use fencepost_ir::cfg::{Edge, EdgeId, FenceKind, Instr, NodeId, ProcId, Procedure, Program, Property};
use fencepost_ir::{Sources, Span};
use fencepost_memory::{Memory, Tso};

/// A place where a fence may go.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Candidate {
    /// Its edges: several where one place of the source is lowered several times, none where no thread
    /// comes to it.
    pub edges: Vec<(ProcId, EdgeId)>,
}

/// A fence at a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Fence {
    /// Number of the candidate.
    pub candidate: usize,
    /// Its kind.
    pub kind: FenceKind,
}

/// A program with places for fences.
#[derive(Clone, Debug)]
pub struct Candidates {
    program: Program,
    candidates: Vec<Candidate>,
}

impl Candidates {
    /// Takes a program in which a fence is at every candidate; `number` says which edge belongs to
    /// which of the `count` candidates.
    pub fn new(
        program: Program,
        count: usize,
        number: impl Fn(ProcId, &Edge) -> Option<usize>,
    ) -> Candidates {
        let mut candidates = vec![Candidate::default(); count];
        for (p, procedure) in program.procedures.iter().enumerate() {
            for (e, edge) in procedure.edges().iter().enumerate() {
                let id = ProcId(p as u32);
                if let (Instr::Fence(_), Some(i)) = (&edge.instr, number(id, edge)) {
                    candidates[i].edges.push((id, EdgeId(e as u32)));
                }
            }
        }
        Candidates { program, candidates }
    }

    /// Moves everything to other places in the source: the user's, where the program was read from a text
    /// that has the fences in it.
    pub fn relocate(&mut self, sources: Sources, place: impl Fn(Span) -> Span) {
        let program = &mut self.program;
        program.sources = sources;
        let procedures = std::mem::take(&mut program.procedures).into_iter();
        program.procedures = procedures
            .map(|procedure| {
                let mut parts = procedure.into_parts();
                parts.edges.iter_mut().for_each(|e| e.span = place(e.span));
                parts.span = place(parts.span);
                Procedure::new(parts)
            })
            .collect();
        for property in &mut program.properties {
            let (Property::Forbid { span, .. } | Property::Final { span, .. }) = property;
            *span = place(*span);
        }
    }

    /// The program, with a fence at every candidate.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The candidates, by their numbers.
    pub fn all(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The program with these fences, and an empty step at all other candidates.
    pub fn with(&self, fences: &[Fence]) -> Program {
        let mut chosen = vec![Instr::Nop; self.candidates.len()];
        for fence in fences {
            // A full fence does all that a store-store fence does.
            if chosen[fence.candidate] != Instr::Fence(FenceKind::Full) {
                chosen[fence.candidate] = Instr::Fence(fence.kind);
            }
        }
        let mut program = self.program.clone();
        let procedures = std::mem::take(&mut program.procedures).into_iter().enumerate();
        program.procedures = procedures
            .map(|(p, procedure)| {
                let mut parts = procedure.into_parts();
                for (candidate, instr) in self.candidates.iter().zip(&chosen) {
                    for (_, edge) in candidate.edges.iter().filter(|(id, _)| id.index() == p) {
                        parts.edges[edge.index()].instr = instr.clone();
                    }
                }
                Procedure::new(parts)
            })
            .collect();
        program
    }

    /// The program with a full fence at every candidate.
    pub fn with_all(&self) -> Program {
        let full = |candidate| Fence { candidate, kind: FenceKind::Full };
        self.with(&(0..self.candidates.len()).map(full).collect::<Vec<_>>())
    }

    /// The candidate that an edge belongs to.
    pub fn at(&self, procedure: ProcId, edge: EdgeId) -> Option<usize> {
        self.candidates.iter().position(|c| c.edges.contains(&(procedure, edge)))
    }

    /// For each candidate whether a fence there can do anything that one at an earlier candidate does
    /// not do as well.
    pub fn distinct(&self) -> Vec<bool> {
        let waiting = may_wait(&self.with(&[]));
        let can_wait = |c: &Candidate| {
            c.edges.iter().any(|(p, e)| {
                let from = self.program.procedure(*p).edge(*e).from;
                waiting[p.index()][from.index()]
            })
        };
        let mut keep: Vec<bool> = self.candidates.iter().map(can_wait).collect();
        for (i, candidate) in self.candidates.iter().enumerate() {
            if let [(procedure, edge)] = candidate.edges[..]
                && keep[i]
            {
                self.same_from(procedure, edge).into_iter().for_each(|same| keep[same] = false);
            }
        }
        keep
    }

    /// The candidates that are passed right after an edge, by the same runs, before anything happens that
    /// could be told.
    fn same_from(&self, id: ProcId, edge: EdgeId) -> Vec<usize> {
        let procedure = self.program.procedure(id);
        let mut entries = vec![0; procedure.nodes as usize];
        entries[procedure.entry().index()] += 1;
        procedure.edges().iter().for_each(|e| entries[e.to.index()] += 1);
        let labelled = |node: NodeId| procedure.labels.iter().any(|(_, n)| *n == node);
        let mut same = Vec::new();
        let mut node = procedure.edge(edge).to;
        for _ in 0..procedure.nodes {
            let mut out = procedure.out(node);
            let (Some((next, step)), None) = (out.next(), out.next()) else { break };
            if entries[node.index()] != 1 || labelled(node) || next == edge {
                break;
            }
            match self.at(id, next) {
                Some(candidate) if self.candidates[candidate].edges.len() == 1 => same.push(candidate),
                Some(_) => break,
                None if is_local(&step.instr) && !step.instr.can_fail(&self.program) => {}
                None => break,
            }
            node = step.to;
        }
        same
    }
}

/// Whether an instruction touches nothing but the thread's own registers.
fn is_local(instr: &Instr) -> bool {
    match instr {
        Instr::Nop
        | Instr::Choose
        | Instr::Assign(..)
        | Instr::Assume(_)
        | Instr::Havoc(..)
        | Instr::Own(_) => true,
        Instr::Load(..)
        | Instr::Store(..)
        | Instr::Rmw(..)
        | Instr::Fence(_)
        | Instr::Assert(..)
        | Instr::Lock(_)
        | Instr::Unlock(_)
        | Instr::Spawn(..)
        | Instr::Join(..)
        | Instr::Call(..)
        | Instr::Return(_)
        | Instr::AtomicBegin(_)
        | Instr::AtomicEnd(_)
        | Instr::Allocate { .. }
        | Instr::Reallocate { .. }
        | Instr::Free(..)
        | Instr::Exit(_)
        | Instr::Halt => false,
    }
}

/// For each procedure and node whether a store of the thread can be waiting there: forward data flow,
/// through calls without telling callers apart.
fn may_wait(program: &Program) -> Vec<Vec<bool>> {
    let mut waits: Vec<Vec<bool>> =
        program.procedures.iter().map(|p| vec![false; p.nodes as usize]).collect();
    // Whether a store can be waiting when a procedure returns.
    let mut at_return = vec![false; program.procedures.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (p, procedure) in program.procedures.iter().enumerate() {
            for edge in procedure.edges() {
                let before = waits[p][edge.from.index()];
                let mut set = |flag: &mut bool, value: bool| {
                    changed |= value && !*flag;
                    *flag |= value;
                };
                match &edge.instr {
                    Instr::Call(_, callee, _) => {
                        let entry = program.procedure(*callee).entry();
                        set(&mut waits[callee.index()][entry.index()], before);
                        set(&mut waits[p][edge.to.index()], at_return[callee.index()]);
                    }
                    Instr::Return(_) => set(&mut at_return[p], before),
                    instr => {
                        let stores = matches!(instr, Instr::Store(..));
                        let after = stores || before && !Tso.drains(instr, false);
                        set(&mut waits[p][edge.to.index()], after);
                    }
                }
            }
        }
    }
    waits
}

//! Which of a program's own fences are needed: each is taken away alone, and the goal checked.
//!
//! A fence without which the goal is still met is not needed, and the check is the proof; else the run is
//! shown. Fences that are not needed one by one may be needed together, so the program without all of them
//! is checked, too.

use super::{Candidates, Fence, Finding, Goal, Run};
use fencepost_ir::cfg::FenceKind;
use fencepost_task::{Reason, Scope};

/// What a fence is good for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Need {
    /// Without it the goal is missed, as the run shows.
    Needed(Run),
    /// Without it the goal is met.
    NotNeeded(Scope),
    /// Not known.
    Unknown(Reason),
}

/// What an audit found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Audited {
    /// The program as it is.
    pub as_it_is: Finding,
    /// For each fence whether it is needed; empty if the goal is not met as it is.
    pub fences: Vec<Need>,
    /// Without all that are not needed, if there are several.
    pub without_unneeded: Option<Finding>,
}

/// Audits fences: candidates that are all there, with their kinds.
pub fn audit(candidates: &Candidates, kinds: &[FenceKind], goal: &mut dyn Goal) -> Audited {
    let all: Vec<Fence> =
        kinds.iter().enumerate().map(|(candidate, &kind)| Fence { candidate, kind }).collect();
    let as_it_is = goal.check(&candidates.with(&all));
    if !matches!(as_it_is, Finding::Holds(_)) {
        return Audited { as_it_is, fences: Vec::new(), without_unneeded: None };
    }
    let mut fences = Vec::new();
    for fence in &all {
        let rest: Vec<Fence> = all.iter().copied().filter(|f| f != fence).collect();
        fences.push(match goal.check(&candidates.with(&rest)) {
            Finding::Holds(scope) => Need::NotNeeded(scope),
            Finding::Broken(mut runs) => Need::Needed(runs.swap_remove(0)),
            Finding::Unknown(reason) => Need::Unknown(reason),
        });
    }
    let unneeded = |f: &&Fence| !matches!(fences[f.candidate], Need::NotNeeded(_));
    let rest: Vec<Fence> = all.iter().filter(unneeded).copied().collect();
    let without_unneeded = (rest.len() + 1 < all.len()).then(|| goal.check(&candidates.with(&rest)));
    Audited { as_it_is, fences, without_unneeded }
}

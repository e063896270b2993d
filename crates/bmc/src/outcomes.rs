//! All final states of a program without endless loops: the formula of all its runs, asked again and again for a
//! final state that has not been seen.
//!
//! The bounds are those that cut nothing off, so the set is complete. Each state is the end of a run by the formula; runs
//! are not replayed.

use crate::query::{Query, Said};
use crate::{Bmc, decode, property};
use fencepost_analysis::bounded::{Bounded, all_loops};
use fencepost_ir::Span;
use fencepost_ir::cfg::{Expr, Observable, Property, Quantifier};
use fencepost_task::{Reason, Task};
use std::collections::BTreeSet;

/// Repetitions that are tried one after the other.
const UNWINDS: [u32; 4] = [1, 2, 4, 8];

/// What can be observed when all threads have ended, or why that cannot be said.
pub fn final_states(task: &Task<'_>, observed: &[Observable]) -> Result<BTreeSet<Vec<i64>>, Reason> {
    let mut program = task.program.clone();
    // So that what is observed is known to be looked at.
    program.properties = vec![Property::Final {
        quantifier: Quantifier::Exists,
        observed: observed.to_vec(),
        condition: Expr::Const(1),
        span: Span::NONE,
    }];
    let loops = all_loops(&program, &task.budget)?;
    for unwind in UNWINDS {
        let query = |clock| {
            let analysis = Bounded::new(&program, &loops, unwind, unwind, &task.budget)?;
            Query::new(&Bmc::default(), analysis, &program, task.model, clock, &task.budget)
        };
        let needs = query(1)?.needs();
        let mut query = query(needs.clock)?;
        for _ in 0..needs.rounds {
            query.add_round()?;
        }
        let ends = query.ends();
        match (query.ask(ends.cut), query.ask(ends.outsized)) {
            (Said::No, Said::No) if !query.cuts_sections() => {}
            (Said::Stopped(stop), _) | (_, Said::Stopped(stop)) => return Err(stop.into()),
            _ => continue,
        }
        match query.ask(ends.limit) {
            Said::No => return query.all(observed),
            Said::Yes => return Err(Reason::BoundReached("a run comes to what is not modelled".into())),
            Said::Stopped(stop) => return Err(stop.into()),
        }
    }
    Err(Reason::BoundReached(format!(
        "a loop may go on, or an object be larger, for more than {} repetitions",
        UNWINDS[UNWINDS.len() - 1]
    )))
}

impl Query<'_> {
    fn all(&mut self, observed: &[Observable]) -> Result<BTreeSet<Vec<i64>>, Reason> {
        let ended = property::all_ended(&self.analysis, &mut self.code, &self.rounds);
        let observe = |o| property::observe(&self.analysis, &self.sharing, &mut self.code, o);
        let words: Vec<_> = observed.iter().map(observe).collect();
        // Equal bits of different words, and constants, need not be told apart.
        let mut bits: Vec<_> = words.iter().flat_map(|w| w.bits().to_vec()).collect();
        bits.retain(|bit| bit.as_constant().is_none());
        bits.sort_unstable();
        bits.dedup();
        self.flush(&bits);
        let mut found = BTreeSet::new();
        loop {
            match self.ask(ended) {
                Said::No => return Ok(found),
                Said::Stopped(stop) => return Err(stop.into()),
                Said::Yes => {}
            }
            let nodes = self.model();
            found.insert(words.iter().map(|w| decode::number(w, &nodes)).collect());
            let other: Vec<_> = bits.iter().map(|bit| if bit.value(&nodes) { !*bit } else { *bit }).collect();
            if other.is_empty() {
                return Ok(found);
            }
            self.code.circuit.require(&other);
        }
    }
}

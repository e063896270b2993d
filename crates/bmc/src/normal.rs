//! One schedule of all that are the same run: no step is taken in a later turn than need be.
//!
//! Take a step that is the first of its thread in a turn, and has been possible since the thread's last turn. If nobody has
//! touched in between what it touches (nobody written what it reads, nobody accessed what it writes), and the clock has
//! not advanced, then it might as well have been the last step of the last turn: all threads do and see the same. So it is
//! required that somebody has, or that the clock has. Each such move makes the run's rounds smaller, so every run has a form
//! without any, with the same steps of each thread and the same memory at the end, in no more rounds.
//!
//! Steps that wait for other threads or end the program stay where they are, and so do atomic sections, for they
//! would have to be moved whole. Where a property asks which places threads are at *together*, nothing is required at all.
//!
//! The clauses are not needed for the answer, but spare the solver most of the schedules.

use crate::circuit::{Circuit, Lit};
use crate::code::{Touch, Visible};
use crate::sma::{CellId, Memory};
use std::collections::BTreeMap;

/// What happens to a cell in a turn.
#[derive(Clone, Copy)]
struct Touched {
    at_all: Lit,
    written: Lit,
}

struct Turn {
    thread: usize,
    cells: BTreeMap<CellId, Touched>,
}

/// All turns so far, the last one continuing.
pub struct Turns {
    turns: Vec<Turn>,
    /// The number of each thread's last turn before the one that continues.
    last: Vec<Option<usize>>,
}

impl Turns {
    /// None yet.
    pub fn new(threads: usize) -> Turns {
        Turns { turns: Vec::new(), last: vec![None; threads] }
    }

    /// A thread's turn begins.
    pub fn begin(&mut self, thread: usize) {
        if let Some(ended) = self.turns.len().checked_sub(1) {
            self.last[self.turns[ended].thread] = Some(ended);
        }
        self.turns.push(Turn { thread, cells: BTreeMap::new() });
    }

    /// A step that is taken in this turn, if `active`, must have had a reason not to be taken in the last; `waited` says that
    /// the thread was at its place by then.
    pub fn require_cause(
        &self,
        c: &mut Circuit,
        memory: &dyn Memory,
        step: &Visible,
        waited: Lit,
        active: Lit,
    ) {
        let thread = self.turns.last().expect("a turn has begun").thread;
        let (Some(last), Some(access)) = (self.last[thread], step.access) else { return };
        if !step.switch || !step.movable || waited == Lit::FALSE {
            return;
        }
        let between = &self.turns[last + 1..self.turns.len() - 1];
        let mut causes = vec![!active, !waited, memory.has_waited(c, access)];
        for touch in &step.touches {
            let touched = between.iter().filter_map(|turn| turn.cells.get(&touch.cell));
            let conflicts = touched.map(|t| if touch.writes { t.at_all } else { t.written });
            if touch.meant == Lit::TRUE {
                causes.extend(conflicts);
            } else {
                let conflict = c.any(conflicts.collect::<Vec<_>>());
                causes.push(c.and(touch.meant, conflict));
            }
        }
        c.require(&causes);
    }

    /// A step touches cells in this turn, if it is active.
    pub fn touch(&mut self, c: &mut Circuit, touches: &[Touch], active: Lit) {
        let turn = self.turns.last_mut().expect("a turn has begun");
        for touch in touches {
            let none = Touched { at_all: Lit::FALSE, written: Lit::FALSE };
            let touched = turn.cells.entry(touch.cell).or_insert(none);
            let here = c.and(touch.meant, active);
            touched.at_all = c.or(touched.at_all, here);
            if touch.writes {
                touched.written = c.or(touched.written, here);
            }
        }
    }
}

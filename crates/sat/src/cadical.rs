//! CaDiCaL behind [`Solve`].

use crate::{Outcome, Solve, Stop};
use cadical_sys::{CaDiCal, Status, Terminator};
use std::path::Path;

struct Ask(Stop);

impl Terminator for Ask {
    fn terminated(&mut self) -> bool {
        (self.0)()
    }
}

pub(crate) struct Cadical {
    solver: CaDiCal,
    proof: bool,
}

impl Cadical {
    pub(crate) fn new() -> Cadical {
        let mut solver = CaDiCal::new();
        // Most questions of bounded model checking are answered by no; on those this takes half the time.
        solver.configure("unsat");
        Cadical { solver, proof: false }
    }
}

impl Solve for Cadical {
    fn add(&mut self, clause: &[i32]) {
        clause.iter().for_each(|&l| self.solver.add(l));
        self.solver.add(0);
    }

    fn solve(&mut self, assumptions: &[i32]) -> Outcome {
        assumptions.iter().for_each(|&l| self.solver.assume(l));
        match self.solver.solve() {
            Status::SATISFIABLE => Outcome::Satisfiable,
            Status::UNSATISFIABLE => Outcome::Unsatisfiable,
            Status::UNKNOWN => Outcome::Stopped,
        }
    }

    fn value(&mut self, literal: i32) -> bool {
        self.solver.val(literal) == literal
    }

    fn set_stop(&mut self, stop: Stop) {
        self.solver.connect_terminator(Ask(stop));
    }

    fn write_proof(&mut self, file: &Path) -> Result<(), String> {
        let name = file.to_str().ok_or("the name of the proof file is no text")?;
        self.solver.set("binary", 0);
        self.proof = self.solver.trace_proof2(name);
        if self.proof { Ok(()) } else { Err(format!("{name} cannot be written")) }
    }

    fn finish_proof(&mut self) {
        if std::mem::take(&mut self.proof) {
            self.solver.flush_proof_trace(false);
            self.solver.close_proof_trace(false);
        }
    }
}

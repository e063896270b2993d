//! BatSat behind [`Solve`].

use crate::{Outcome, Solve, Stop};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::cell::RefCell;
use std::path::Path;

/// Asks whether to stop.
#[derive(Default)]
struct Ask(Option<RefCell<Stop>>);

impl Callbacks for Ask {
    fn stop(&self) -> bool {
        self.0.as_ref().is_some_and(|stop| (stop.borrow_mut())())
    }
}

pub(crate) struct Batsat {
    solver: Solver<Ask>,
    variables: Vec<Var>,
}

impl Batsat {
    pub(crate) fn new() -> Batsat {
        Batsat { solver: Solver::new(SolverOpts::default(), Ask::default()), variables: Vec::new() }
    }

    fn literal(&mut self, literal: i32) -> Lit {
        let number = literal.unsigned_abs() as usize;
        while self.variables.len() < number {
            self.variables.push(self.solver.new_var_default());
        }
        Lit::new(self.variables[number - 1], literal > 0)
    }
}

impl Solve for Batsat {
    fn add(&mut self, clause: &[i32]) {
        let mut literals: Vec<_> = clause.iter().map(|&l| self.literal(l)).collect();
        self.solver.add_clause_reuse(&mut literals);
    }

    fn solve(&mut self, assumptions: &[i32]) -> Outcome {
        let assumptions: Vec<_> = assumptions.iter().map(|&l| self.literal(l)).collect();
        let answer = self.solver.solve_limited(&assumptions);
        if answer == lbool::TRUE {
            Outcome::Satisfiable
        } else if answer == lbool::FALSE {
            Outcome::Unsatisfiable
        } else {
            Outcome::Stopped
        }
    }

    fn value(&mut self, literal: i32) -> bool {
        let literal = self.literal(literal);
        self.solver.value_lit(literal) == lbool::TRUE
    }

    fn set_stop(&mut self, stop: Stop) {
        self.solver.cb_mut().0 = Some(RefCell::new(stop));
    }

    fn write_proof(&mut self, _file: &Path) -> Result<(), String> {
        Err("this build's solver writes no proofs".to_string())
    }

    fn finish_proof(&mut self) {}
}

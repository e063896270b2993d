//! Satisfiability of clauses: the trait [`Solve`] over the linked solver, and the DIMACS form of a
//! [`Formula`].
//!
//! The solver is CaDiCaL (cargo feature `cadical`, the default), or BatSat, in Rust alone, with
//! `--no-default-features --features batsat`; only the first writes proofs. Nobody else in the workspace
//! names a solver.
//!
//! Literals are as in DIMACS: variables are numbered from 1, a negative number is the negation.
//!
//! ```
//! use fencepost_sat::{Outcome, linked};
//!
//! let mut solver = linked();
//! solver.add(&[1, 2]);
//! solver.add(&[-1]);
//! assert_eq!(solver.solve(&[]), Outcome::Satisfiable);
//! assert!(solver.value(2));
//! assert_eq!(solver.solve(&[-2]), Outcome::Unsatisfiable);
//! ```

#[cfg(feature = "batsat")]
mod batsat;
#[cfg(feature = "cadical")]
mod cadical;
mod formula;

use std::path::Path;

pub use formula::Formula;

/// What a solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There is a model; [`Solve::value`] reads it.
    Satisfiable,
    /// There is none under the assumptions.
    Unsatisfiable,
    /// It was stopped.
    Stopped,
}

/// Asked now and then while a solver works; true ends the work.
pub type Stop = Box<dyn FnMut() -> bool>;

/// A solver that keeps its clauses from call to call.
pub trait Solve {
    /// Adds a clause.
    fn add(&mut self, clause: &[i32]);

    /// Looks for a model in which the assumptions hold.
    fn solve(&mut self, assumptions: &[i32]) -> Outcome;

    /// Whether the literal holds in the model that was found last.
    fn value(&mut self, literal: i32) -> bool;

    /// Who can end the work.
    fn set_stop(&mut self, stop: Stop);

    /// From now on, which is the beginning, every step is written to a file, so that
    /// unsatisfiability without assumptions can be checked by others (DRAT).
    fn write_proof(&mut self, file: &Path) -> Result<(), String>;

    /// The proof is complete.
    fn finish_proof(&mut self);
}

/// The linked solver.
pub fn linked() -> Box<dyn Solve> {
    #[cfg(feature = "cadical")]
    return Box::new(cadical::Cadical::new());
    #[cfg(all(feature = "batsat", not(feature = "cadical")))]
    return Box::new(batsat::Batsat::new());
    #[cfg(not(any(feature = "cadical", feature = "batsat")))]
    compile_error!("choose a solver: the feature `cadical` or `batsat`");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pigeonhole principle: n + 1 pigeons in n holes.
    fn pigeons(n: i32) -> Vec<Vec<i32>> {
        let at = |pigeon: i32, hole: i32| pigeon * n + hole + 1;
        let mut clauses: Vec<Vec<i32>> = (0..=n).map(|p| (0..n).map(|h| at(p, h)).collect()).collect();
        for hole in 0..n {
            for p in 0..=n {
                clauses.extend((0..p).map(|q| vec![-at(p, hole), -at(q, hole)]));
            }
        }
        clauses
    }

    fn solvers() -> Vec<Box<dyn Solve>> {
        vec![
            #[cfg(feature = "cadical")]
            Box::new(cadical::Cadical::new()),
            #[cfg(feature = "batsat")]
            Box::new(batsat::Batsat::new()),
        ]
    }

    #[test]
    fn models_satisfy_and_assumptions_are_forgotten() {
        for mut solver in solvers() {
            solver.add(&[1, 2]);
            solver.add(&[-1, 3]);
            assert_eq!(solver.solve(&[-2]), Outcome::Satisfiable);
            assert!(solver.value(1) && solver.value(3) && solver.value(-2));
            assert_eq!(solver.solve(&[-2, -3]), Outcome::Unsatisfiable);
            solver.add(&[-1]);
            assert_eq!(solver.solve(&[]), Outcome::Satisfiable);
            assert!(solver.value(2) && !solver.value(1));
        }
    }

    #[test]
    fn pigeons_do_not_fit() {
        for mut solver in solvers() {
            pigeons(6).iter().for_each(|c| solver.add(c));
            assert_eq!(solver.solve(&[]), Outcome::Unsatisfiable);
        }
    }

    #[test]
    fn a_solver_that_is_told_to_stop_stops() {
        for mut solver in solvers() {
            pigeons(11).iter().for_each(|c| solver.add(c));
            solver.set_stop(Box::new(|| true));
            assert_eq!(solver.solve(&[]), Outcome::Stopped);
        }
    }
}

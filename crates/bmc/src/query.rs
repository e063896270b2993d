//! The formula of a program within bounds on repetitions and clock, to which rounds are added.

use crate::circuit::{Circuit, Lit};
use crate::code::{Code, Plan, encode, initial_word};
use crate::decode::{Decoded, Encoded, decode};
use crate::property::{Ends, ends, resting_places};
use crate::rounds::Rounds;
use crate::sharing::{Sharing, add_lives, sharing};
use crate::sma::Memory;
use crate::sma::queue::Queues;
use crate::sma::stamped::{Stamped, StoreOrder};
use crate::{Abstraction, Bmc};
use fencepost_analysis::bounded::{Bounded, Place, Refusal, Unrolled};
use fencepost_ir::cfg::{Instr, Program};
use fencepost_sat::{Formula, Outcome, Solve, linked};
use fencepost_task::{Budget, Model, Pace, Stop};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

/// Entries of store queues where no length is given.
pub const DEFAULT_QUEUE: u32 = 3;

/// A growing formula and its solver.
pub struct Query<'p> {
    pub(crate) analysis: Bounded<'p>,
    pub(crate) sharing: Sharing,
    pub(crate) code: Code,
    pub(crate) rounds: Rounds,
    full: &'p Program,
    model: Model,
    solver: Box<dyn Solve>,
    /// What was given to the solver, if it is to be written down.
    written: Option<Written>,
    budget: Budget,
    pace: Pace,
    /// Number of clauses.
    pub clauses: u64,
}

/// A formula that goes to files.
struct Written {
    formula: Formula,
    dimacs: Option<PathBuf>,
    proof: Option<PathBuf>,
}

fn solver_within(budget: &Budget) -> Box<dyn Solve> {
    let mut solver = linked();
    let budget = budget.clone();
    solver.set_stop(Box::new(move || budget.look(0).is_err()));
    solver
}

/// What bounds a program needs, so that they cut nothing off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Rounds.
    pub rounds: u32,
    /// Times.
    pub clock: u32,
}

/// What a query says.
pub enum Said {
    /// There is a run.
    Yes,
    /// There is none.
    No,
    /// The budget stopped the solver.
    Stopped(Stop),
}

impl<'p> Query<'p> {
    /// A formula without rounds; or why there is none.
    pub fn new(
        engine: &Bmc,
        mut analysis: Bounded<'p>,
        full: &'p Program,
        model: Model,
        clock: u32,
        budget: &Budget,
    ) -> Result<Query<'p>, Refusal> {
        let freed: BTreeSet<usize> = add_lives(&mut analysis);
        let sharing = sharing(&analysis, &freed, budget)?;
        let rests = resting_places(&analysis);
        let plan = Plan { analysis: &analysis, sharing: &sharing, freed: &freed, model, rests: &rests };
        let mut circuit = Circuit::default();
        let mut chosen = Vec::new();
        let mut initial = Vec::new();
        for loc in &sharing.shared {
            let (word, is_choice) = initial_word(&mut circuit, &plan, *loc);
            if is_choice {
                chosen.push((*loc, word.clone()));
            }
            initial.push(word);
        }
        let order = if model == Model::Pso { StoreOrder::PerCell } else { StoreOrder::Total };
        let clock = if model == Model::Sc { 1 } else { clock as usize };
        let memory: Box<dyn Memory> = match engine.abstraction {
            _ if model == Model::Sc => Box::new(Stamped::new(order, 1, initial, sharing.stores.clone())),
            Abstraction::Stamped => Box::new(Stamped::new(order, clock, initial, sharing.stores.clone())),
            Abstraction::Queues => {
                let length = engine.queue.unwrap_or(DEFAULT_QUEUE) as usize;
                Box::new(Queues::new(order, length, initial, sharing.stores.clone()))
            }
        };
        let mut pace = Pace::new(budget);
        let code = encode(&plan, circuit, memory, chosen, &mut pace)?;
        let rounds = Rounds::new(&analysis);
        let solver = solver_within(budget);
        let written = (engine.dimacs.is_some() || engine.proof.is_some()).then(|| Written {
            formula: Formula::default(),
            dimacs: engine.dimacs.clone(),
            proof: engine.proof.clone(),
        });
        let budget = budget.clone();
        Ok(Query { analysis, sharing, code, rounds, full, model, solver, written, budget, pace, clauses: 0 })
    }

    /// Adds a round.
    pub fn add_round(&mut self) -> Result<(), Stop> {
        self.rounds.add(&self.analysis, &mut self.code, &mut self.pace)
    }

    /// What runs of the rounds so far can come to.
    pub fn ends(&mut self) -> Ends {
        ends(&self.analysis, &self.sharing, &mut self.code, &self.rounds)
    }

    /// Gates of the circuit, and variables of the solver.
    pub fn size(&self) -> (usize, i32) {
        (self.code.circuit.size(), self.code.circuit.variables())
    }

    pub(crate) fn flush(&mut self, roots: &[Lit]) {
        let (solver, written, clauses) = (&mut self.solver, &mut self.written, &mut self.clauses);
        self.code.circuit.flush(roots, &mut |clause| {
            *clauses += 1;
            solver.add(clause);
            if let Some(written) = written {
                written.formula.add(clause);
            }
        });
    }

    /// Whether there is a run that comes to an end.
    pub fn ask(&mut self, end: Lit) -> Said {
        if end == Lit::FALSE {
            return Said::No;
        }
        self.flush(&[end]);
        let assumption = self.code.circuit.variable(end);
        let outcome = self.solver.solve(&[assumption]);
        self.said(outcome)
    }

    /// The same, with the formula and the proof written to the files that were asked for.
    pub fn ask_and_write(&mut self, end: Lit) -> Result<Said, String> {
        let Some(written) = &mut self.written else { return Ok(self.ask(end)) };
        self.code.circuit.flush(&[end], &mut |clause| {
            self.clauses += 1;
            self.solver.add(clause);
            written.formula.add(clause);
        });
        // A formula of its own, in which the end is required and not just assumed.
        let mut solver = solver_within(&self.budget);
        let mut formula = written.formula.clone();
        formula.add(&[self.code.circuit.variable(end)]);
        if let Some(file) = &written.dimacs {
            let failed = |e: std::io::Error| format!("{}: {e}", file.display());
            let mut out = BufWriter::new(File::create(file).map_err(failed)?);
            formula
                .write("satisfiable if there is a violation within the bounds", &mut out)
                .map_err(failed)?;
            out.flush().map_err(failed)?;
        }
        if let Some(file) = &written.proof {
            solver.write_proof(file)?;
        }
        formula.each(|clause| solver.add(clause));
        let outcome = solver.solve(&[]);
        solver.finish_proof();
        // Its formula is for this question alone: what is asked next must not have the end in it.
        match self.said(outcome) {
            Said::Yes => Ok(self.ask(end)),
            other => Ok(other),
        }
    }

    fn said(&self, outcome: Outcome) -> Said {
        match outcome {
            Outcome::Satisfiable => Said::Yes,
            Outcome::Unsatisfiable => Said::No,
            Outcome::Stopped => Said::Stopped(self.budget.close(Stop::Cancelled)),
        }
    }

    /// The run of the model that was found last.
    pub fn decode(&mut self) -> Decoded {
        let nodes = self.model();
        let encoded = Encoded {
            analysis: &self.analysis,
            sharing: &self.sharing,
            code: &self.code,
            rounds: &self.rounds,
            program: self.full,
            model: self.model,
        };
        decode(&encoded, &nodes)
    }

    pub(crate) fn model(&mut self) -> Vec<bool> {
        let solver = &mut self.solver;
        self.code.circuit.evaluate(|variable| solver.value(variable))
    }

    /// Excludes the model that was found last, and no other: whatever a run depends on, be it schedule, choices, initial values
    /// or when stores reach memory, is decided by inputs. Also by those that the solver does not know yet: of a formula that
    /// holds whatever they are, one run has been looked at, and not all.
    pub fn exclude_model(&mut self) {
        let nodes = self.model();
        let circuit = &mut self.code.circuit;
        let clause: Vec<Lit> =
            circuit.inputs().map(|lit| if lit.value(&nodes) { !lit } else { lit }).collect();
        circuit.require(&clause);
    }

    /// Bounds that cut nothing off: an upper estimate.
    pub fn needs(&self) -> Needs {
        let threads = self.analysis.instances.iter().zip(&self.code.threads);
        let switches: Vec<u32> = threads
            .clone()
            .map(|(instance, code)| {
                longest(&instance.code, |step| {
                    let step = code.steps[step].as_ref();
                    step.is_some_and(|s| s.visible.as_ref().is_some_and(|v| v.switch))
                })
            })
            .collect();
        let stores = threads.map(|(instance, code)| {
            longest(&instance.code, |step| {
                code.steps[step].is_some() && matches!(instance.code.steps[step].edge.instr, Instr::Store(..))
            })
        });
        let total: u32 = switches.iter().sum();
        // A new round begins where a thread with a smaller number follows: strictly falling sequences need
        // no fewer than the steps of the thread with most of them.
        let most = switches.iter().copied().max().unwrap_or(0);
        Needs { rounds: total - most + 1, clock: stores.sum::<u32>() + 1 }
    }

    /// Whether an object may have a size that is not tracked.
    pub fn leaves_out_sizes(&self) -> bool {
        let facts = self.analysis.instances.iter().flat_map(|instance| &instance.facts);
        facts.into_iter().any(|facts| facts.reachable && facts.leaves_out_sizes)
    }

    /// Whether a thread may come to the bound on repetitions, or on sizes, inside an atomic section.
    pub fn cuts_sections(&self) -> bool {
        self.analysis.instances.iter().zip(&self.code.threads).any(|(instance, code)| {
            instance.code.steps.iter().enumerate().any(|(number, step)| {
                code.steps[number].as_ref().is_some_and(|code| {
                    instance.code.places[step.to] == Place::Cut || code.outsized != Lit::FALSE
                }) && code.depth[step.from] > 0
            })
        })
    }
}

/// The largest number of such steps on a way through the code.
fn longest(code: &Unrolled<'_>, counts: impl Fn(usize) -> bool) -> u32 {
    let mut most = vec![0; code.places.len()];
    for (number, step) in code.steps.iter().enumerate() {
        let here = most[step.from] + u32::from(counts(number));
        most[step.to] = most[step.to].max(here);
    }
    most.into_iter().max().unwrap_or(0)
}

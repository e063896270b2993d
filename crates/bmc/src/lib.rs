//! Bounded model checking by lazy sequentialization over shared-memory abstractions (Tomasco, Nguyen,
//! Inverso, Fischer, La Torre, Parlato: Lazy Sequentialization for TSO and PSO via Shared Memory
//! Abstractions, FMCAD 2016), with a formula where the paper has a sequential program.
//!
//! [`fencepost_analysis::bounded`] takes loops and calls away and finds out what threads can do at most, `sharing` which cells they share, `code` encodes each thread's code, `rounds` who
//! steps when (`normal`: and no later than need be), [`mod@sma`] what memory does, `property` what is looked for; `decode` makes a
//! run of a model. `growth` chooses the bounds. [`mod@c`] writes the same sequentialization as C.
//!
//! Guarantees: a violation is a run of the program, replayed at full widths. "None" holds for all runs within
//! the bounds on repetitions, rounds, clock and sizes that the verdict names, and for all runs where the bounds
//! cut nothing off.
//!
//! Deviations from the paper: a thread that comes to the bound on repetitions stops there, others continue;
//! code is encoded once and not once for each round (`code/`); stores' lists are indexed by stamps
//! (`sma/stamped.rs`).
//!
//! ```
//! use fencepost_bmc::Bmc;
//! use fencepost_task::{Bounds, Budget, Engine, Model, Task, Verdict};
//!
//! let text = "shared int x, y; thread a { x = 1; y = 1; } thread b { int r = y; assert(r == 0 || x == 1); }";
//! let program = fencepost_passes::pipeline::lower(fencepost_models::fp::read("mp.fp", text).expect("it is a model"));
//! let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget: Budget::default() };
//! assert!(matches!(Bmc::default().check(&task, &mut |_| {}).verdict, Verdict::Safe(_)));
//! ```

pub mod c;
pub mod circuit;
mod code;
mod decode;
pub mod expression;
mod growth;
mod normal;
mod numbering;
pub mod outcomes;
mod property;
pub mod query;
mod rounds;
mod sharing;
pub mod show;
pub mod sma;
mod vacuous;
mod width;
pub mod word;

use fencepost_task::{Answer, Engine, EngineId, Progress, Task};
use std::path::PathBuf;

/// Which shared-memory abstraction is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// Stamps for TSO and PSO, none for SC.
    Stamped,
    /// Queues, as the models are defined.
    Queues,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Bmc {
    /// How often loops are repeated at most; grown if not given.
    pub unwind: Option<u32>,
    /// Rounds; grown if not given.
    pub rounds: Option<u32>,
    /// Times at which stores can reach memory; grown if not given.
    pub clock: Option<u32>,
    /// Entries of each store queue.
    pub queue: Option<u32>,
    /// Bits of integers.
    pub width: Option<u8>,
    /// Elements of objects whose size is not known; grown if not given.
    pub block: Option<u32>,
    /// The abstraction.
    pub abstraction: Abstraction,
    /// Where the formula of the last bounds is written to.
    pub dimacs: Option<PathBuf>,
    /// Where the proof that it has no model is written to.
    pub proof: Option<PathBuf>,
}

impl Default for Bmc {
    fn default() -> Bmc {
        Bmc {
            unwind: None,
            rounds: None,
            clock: None,
            queue: None,
            width: None,
            block: None,
            abstraction: Abstraction::Stamped,
            dimacs: None,
            proof: None,
        }
    }
}

impl Engine for Bmc {
    fn id(&self) -> EngineId {
        EngineId::Bmc
    }

    fn check(&self, task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
        growth::check(self, task, progress)
    }
}

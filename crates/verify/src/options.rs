//! What is wanted: how a text becomes a program, and how a program is checked. Every field has a default.

use fencepost_bmc::{Abstraction, Bmc};
use fencepost_c::{DataModel, FenceWord};
use fencepost_explore::{Explicit, Reduction, Strategy};
use fencepost_robust::c11::ReleaseSequences;
use fencepost_robust::lazy::Lazy;
use fencepost_task::{Asked, Bounds, Budget, EngineChoice, EngineId, Model};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How a text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Litmus tests.
    Litmus,
    /// The modelling language.
    Fp,
    /// Memorax.
    Memorax,
    /// Trencher.
    Trencher,
    /// C, with pthreads and C11 atomics.
    C,
}

/// How a text becomes a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// How texts are read, whatever their names.
    pub format: Option<Format>,
    /// Threads for each template; any number where there is none.
    pub threads: Option<u32>,
    /// Any number of threads for each process of a Memorax or Trencher file.
    pub any_threads: bool,
    /// How C is preprocessed and what its types are.
    pub c: COptions,
    /// What is asked of the program.
    pub asked: Asked,
}

/// How C is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct COptions {
    /// Folders where headers are looked for.
    pub include_dirs: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folder of a `compile_commands.json`; the file's own where there is none.
    pub commands: Option<PathBuf>,
    /// More flags for the preprocessor.
    pub flags: Vec<String>,
    /// The compiler to preprocess with, and its options; `cc` where there is none.
    pub preprocessor: Option<String>,
    /// Widths of types.
    pub data_model: DataModel,
    /// Words of the program's command line after its name.
    pub args: Vec<String>,
    /// What fences that are put in are called; the program's own words, or C11's, where none is given.
    pub fence: Vec<FenceWord>,
    /// Whether functions without a body do nothing and give any value.
    pub havoc_externs: bool,
}

/// How a program is checked. With `Default::default()` the engines that fit work side by side, without bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// Who answers.
    pub engine: EngineChoice,
    /// Bounds; a safe verdict then holds up to them only. Threads are bounded when the program is read.
    pub bounds: Bounds,
    /// How the explicit search continues.
    pub search: Strategy,
    /// Whether it leaves out what changes nothing.
    pub reduction: Reduction,
    /// Extensions that the lazy engine tries.
    pub iterations: u32,
    /// How bounded model checking encodes memory; by stamps where there is none.
    pub sma: Option<Sma>,
    /// Where its last formula is written to.
    pub dimacs: Option<PathBuf>,
    /// Where the proof that it has no model is written to.
    pub proof: Option<PathBuf>,
    /// What belongs to a release sequence under C11.
    pub release_sequences: ReleaseSequences,
    /// Cores for engines side by side; all where there is none. With one, the same program gives the same run every time.
    pub jobs: Option<u32>,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        let Explicit { strategy, reduction } = Explicit::default();
        CheckOptions {
            engine: EngineChoice::Auto,
            bounds: Bounds::default(),
            search: strategy,
            reduction,
            iterations: Lazy::default().iterations,
            sma: None,
            dimacs: None,
            proof: None,
            release_sequences: ReleaseSequences::default(),
            jobs: None,
        }
    }
}

/// Shared-memory abstractions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sma {
    /// No buffers: SC.
    Sc,
    /// Queues: TSO, the reference.
    Tso,
    /// Queues: PSO, the reference.
    Pso,
    /// Stamped stores: TSO.
    Etso,
    /// Stamped stores: PSO.
    Epso,
}

impl Sma {
    /// The model that it is for.
    fn model(self) -> Model {
        match self {
            Sma::Sc => Model::Sc,
            Sma::Tso | Sma::Etso => Model::Tso,
            Sma::Pso | Sma::Epso => Model::Pso,
        }
    }

    fn abstraction(self) -> Abstraction {
        match self {
            Sma::Sc | Sma::Etso | Sma::Epso => Abstraction::Stamped,
            Sma::Tso | Sma::Pso => Abstraction::Queues,
        }
    }
}

/// Why options do not fit the program or the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// The abstraction is for another model.
    #[error("the abstraction is for {}, and the model is {}", wanted.name(), model.name())]
    Abstraction {
        /// The model that it is for.
        wanted: Model,
        /// The model that was asked for.
        model: Model,
    },
}

/// The abstraction that is meant; or that it does not fit the model.
pub fn abstraction(sma: Option<Sma>, model: Model) -> Result<Abstraction, Misfit> {
    match sma {
        None => Ok(Abstraction::Stamped),
        Some(sma) if sma.model() == model => Ok(sma.abstraction()),
        Some(sma) => Err(Misfit::Abstraction { wanted: sma.model(), model }),
    }
}

impl CheckOptions {
    /// Explicit search as it is wanted.
    pub fn explicit(&self) -> Explicit {
        Explicit { strategy: self.search, reduction: self.reduction }
    }

    /// The lazy engine as it is wanted.
    pub fn lazy(&self) -> Lazy {
        Lazy { iterations: self.iterations }
    }

    /// Bounded model checking as it is wanted.
    pub fn bmc(&self, model: Model) -> Result<Bmc, Misfit> {
        let Bounds { unwind, rounds, clock, queue, width, block, .. } = self.bounds;
        Ok(Bmc {
            unwind,
            rounds,
            clock,
            queue,
            width: width.map(|bits| bits.min(64) as u8),
            block,
            abstraction: abstraction(self.sma, model)?,
            dimacs: self.dimacs.clone(),
            proof: self.proof.clone(),
        })
    }

    /// What a verdict depends on besides the program, the model and limits, as a text.
    pub fn method(&self) -> String {
        format!("{:?}", CheckOptions { jobs: None, ..self.clone() })
    }

    /// Whether safe up to bounds is what was asked for, also where these are smaller than the given ones: the engine that was
    /// named is a bounded one, or has a bound.
    pub fn asks_for_bounds(&self) -> bool {
        match self.engine {
            EngineChoice::Auto => self.is_bounded(),
            EngineChoice::Only(EngineId::Rounds | EngineId::Age | EngineId::Bmc) => true,
            EngineChoice::Only(EngineId::Explicit) => self.bounds.buffer.is_some(),
            EngineChoice::Only(EngineId::Lazy) => self.bounds.unwind.is_some(),
            EngineChoice::Only(EngineId::Dual) => false,
        }
    }

    /// Whether the user gave a bound, so that safe up to it is an answer.
    pub fn is_bounded(&self) -> bool {
        let Bounds { buffer, threads: _, unwind, rounds, age: _, clock, queue, width, block, reuse: _ } =
            self.bounds;
        [buffer, unwind, rounds, clock, queue, width, block].iter().any(Option::is_some)
    }
}

/// Time and memory.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Limits {
    /// Seconds.
    pub seconds: Option<f64>,
    /// Megabytes; most of the machine's where there are none.
    pub megabytes: Option<u64>,
}

impl Limits {
    /// So many seconds.
    pub fn seconds(seconds: f64) -> Limits {
        Limits { seconds: Some(seconds), megabytes: None }
    }

    /// A budget that begins now, and ends early where the flag is set.
    pub fn budget(&self, cancelled: &Arc<AtomicBool>) -> Budget {
        let mut budget = Budget::default().cancelled_by(cancelled.clone());
        if let Some(bytes) = self.megabytes.map(|mb| mb.saturating_mul(1 << 20)).or_else(default_memory) {
            budget = budget.within(bytes).within_process(bytes);
        }
        // A time beyond all times is no limit.
        match self.seconds.and_then(|s| Instant::now().checked_add(Duration::try_from_secs_f64(s).ok()?)) {
            Some(deadline) => budget.until(deadline),
            None => budget,
        }
    }
}

/// 80 % of the machine's memory, where it can be found out.
fn default_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024 / 10 * 8)
}

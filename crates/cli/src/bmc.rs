//! What `--engine bmc` and its options mean.

use crate::options::{BmcOptions, CheckOptions, SmaName};
use fencepost_bmc::c::{Dialect, Sequentialization};
use fencepost_bmc::{Abstraction, Bmc};
use fencepost_task::Model;

/// The engine that the options describe; or why they do not fit the model.
pub fn engine(options: &BmcOptions, model: Model) -> Result<Bmc, String> {
    let abstraction = abstraction(options.sma, model)?;
    let BmcOptions { unwind, rounds, clock, queue, width, block, dimacs, proof, .. } = options.clone();
    Ok(Bmc { unwind, rounds, clock, queue, width, block, abstraction, dimacs, proof })
}

/// The abstraction of a name; or why it does not fit the model.
pub fn abstraction(name: Option<SmaName>, model: Model) -> Result<Abstraction, String> {
    let (wanted, abstraction) = match name {
        None => return Ok(Abstraction::Stamped),
        Some(SmaName::Sc) => (Model::Sc, Abstraction::Stamped),
        Some(SmaName::Etso) => (Model::Tso, Abstraction::Stamped),
        Some(SmaName::Epso) => (Model::Pso, Abstraction::Stamped),
        Some(SmaName::Tso) => (Model::Tso, Abstraction::Queues),
        Some(SmaName::Pso) => (Model::Pso, Abstraction::Queues),
    };
    if wanted != model {
        return Err(format!(
            "this --sma is for --model {}, and the model is {}",
            wanted.name(),
            model.name()
        ));
    }
    Ok(abstraction)
}

/// Whether the user gave any bound.
pub fn is_bounded(options: &BmcOptions) -> bool {
    options.unwind.is_some()
        || options.rounds.is_some()
        || options.clock.is_some()
        || options.queue.is_some()
        || options.width.is_some()
        || options.block.is_some()
}

/// What `--print` shows of the passes: the first model, and small bounds where none are given.
pub fn sequentialization(options: &CheckOptions) -> Sequentialization {
    Sequentialization {
        model: options.models[0].into(),
        unwind: options.bmc.unwind.unwrap_or(1),
        rounds: options.bmc.rounds.unwrap_or(2),
        clock: options.bmc.clock.unwrap_or(2),
        block: options.bmc.block.or(options.bmc.unwind).unwrap_or(2),
        queue: None,
        dialect: Dialect::Cprover,
    }
}

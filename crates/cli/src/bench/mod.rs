//! `fencepost bench`: reproduces measured tables, with other tools in the same run where they are
//! installed. Counts do not depend on the machine; times compare within one run only.

mod auto;
mod bmc;
mod dual;
mod explore;
mod families;
mod lazy;
mod lazy_families;
mod litmus;
mod memorax;
mod peer;
mod promela;
mod translate;

use crate::options::{BenchName, BenchOptions};
use crate::{Exit, output};

pub fn run(options: &BenchOptions) -> Exit {
    if !options.files.is_empty() && options.name != BenchName::Auto {
        output::complain("error: only `bench auto` takes files; the other tables have their own programs");
        return Exit::Wrong;
    }
    let done = match options.name {
        BenchName::Auto => auto::run(options),
        BenchName::Bmc => bmc::run(options),
        BenchName::Dual => dual::run(options),
        BenchName::Explore => explore::run(options),
        BenchName::Litmus => litmus::run(options),
        BenchName::Lazy => lazy::run(options),
        BenchName::Translate => translate::run(options),
    };
    match done {
        Ok(()) => Exit::Good,
        Err(message) => {
            output::complain(format!("error: {message}"));
            Exit::Wrong
        }
    }
}

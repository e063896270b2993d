//! `--print`: an intermediate form instead of a verdict.

use crate::options::CheckOptions;
use crate::{Exit, output};
use fencepost_bmc::c::{Dialect, Sequentialization};
use fencepost_ir::tree;
use fencepost_passes::pipeline::{self, Stage};
use fencepost_robust::lazy;
use fencepost_task::{AnyModel, Bounds, Model, Task};
use fencepost_verify::Limits;
use std::sync::Arc;

/// Prints the form that was asked for.
pub fn stage(options: &CheckOptions, tree: tree::Program, what: &str) -> Exit {
    if what == "tree" {
        output::text(&tree);
        return Exit::Good;
    }
    if what == "automata" {
        let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
        return match fencepost_cover::dot(&program) {
            Ok(picture) => {
                output::text(picture);
                Exit::Good
            }
            Err(reason) => {
                output::complain(format!("no automata: {reason}"));
                Exit::Unknown
            }
        };
    }
    if what == "extended" {
        let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
        let budget = Limits::default().budget(&Arc::default());
        let bounds = Bounds { unwind: options.bmc.unwind, ..Bounds::default() };
        let task = Task { program: &program, model: Model::Tso, bounds, budget };
        output::text(lazy::extended(&task, options.iterations));
        return Exit::Good;
    }
    if let Some(pass) = what.strip_prefix("after:").filter(|pass| fencepost_bmc::show::PASSES.contains(pass))
    {
        let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
        return match fencepost_bmc::show::after(&program, pass, &sequentialization(options)) {
            Ok(text) => {
                output::text(text);
                Exit::Good
            }
            Err(refusal) => {
                output::complain(format!("nothing after {pass}: {refusal}"));
                Exit::Unknown
            }
        };
    }
    let pass = match what {
        "cfg" => "compact",
        _ => match what.strip_prefix("after:") {
            Some(pass) if pipeline::passes().any(|known| known == pass) => pass,
            _ => {
                let passes = pipeline::passes().chain(fencepost_bmc::show::PASSES);
                let passes: Vec<_> = passes.map(|p| format!("after:{p}")).collect();
                let passes = passes.join(", ");
                output::complain(format!(
                    "error: --print takes tree, cfg, automata, extended, {passes}; not `{what}`"
                ));
                return Exit::Wrong;
            }
        },
    };
    pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |name, stage| {
        if name == pass {
            match stage {
                Stage::Tree(program) => output::text(program),
                Stage::Cfg(program) => output::text(program),
            }
        }
    });
    Exit::Good
}

/// What `--print` shows of the passes: the first model, and small bounds where none are given.
fn sequentialization(options: &CheckOptions) -> Sequentialization {
    Sequentialization {
        model: match options.models()[0] {
            AnyModel::Machine(model) => model,
            AnyModel::C11 => Model::Sc,
        },
        unwind: options.bmc.unwind.unwrap_or(1),
        rounds: options.bmc.rounds.unwrap_or(2),
        clock: options.bmc.clock.unwrap_or(2),
        block: options.bmc.block.or(options.bmc.unwind).unwrap_or(2),
        queue: None,
        dialect: Dialect::Cprover,
    }
}

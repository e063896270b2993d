//! `fencepost replay`: a saved trace, step by step, each step checked.

use crate::options::ReplayOptions;
use crate::{Exit, input, output};
use fencepost_certify::replay_claims;
use fencepost_passes::pipeline;
use fencepost_report::{results, text};
use fencepost_task::Budget;
use fencepost_verify::read;

pub fn run(options: &ReplayOptions) -> Exit {
    let tree = match read::read(&options.file, &options.input.meant()) {
        Ok(tree) => tree,
        Err(error) => {
            input::complain(&error);
            return Exit::Wrong;
        }
    };
    let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
    let read = |text: String| results::read_run(&text).map_err(|error| error.to_string());
    let saved = match read::read_text(&options.trace).and_then(read) {
        Ok(saved) => saved,
        Err(message) => {
            output::complain(format!("error: {}: {message}", options.trace.display()));
            return Exit::Wrong;
        }
    };
    if program.is_parameterized() && saved.instances.len() != program.threads.len() {
        output::complain(
            "error: the program has any number of threads; give the number of the trace with --threads N",
        );
        return Exit::Wrong;
    }
    let rejected = |reason: String| {
        output::line(format!(
            "rejected: {} is not a run of {}: {reason}",
            options.trace.display(),
            options.file.display()
        ));
        Exit::Bad
    };
    match replay_claims(&program, saved.model, &saved.instances, &saved.init, &saved.claims) {
        Err(rejection) => rejected(rejection.to_string()),
        Ok(mut replay) => {
            replay.shortest = saved.shortest;
            let property = replay.property(&program);
            if saved.property.as_ref().is_some_and(|claimed| *claimed != property) {
                return rejected(format!("it violates the {property}, not what it claims"));
            }
            let style = output::style(if options.verbose { text::Detail::All } else { text::Detail::Steps });
            let model = saved.model.name().to_uppercase();
            output::line(format!("replayed: {} under {model}: {property}", options.file.display()));
            let run = text::run(&program, &replay, style, &Budget::default());
            output::text(run.expect("nothing stops this"));
            Exit::Good
        }
    }
}

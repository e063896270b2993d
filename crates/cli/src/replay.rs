//! `fencepost replay`: a saved trace, step by step, each step checked.

use crate::options::ReplayOptions;
use crate::{Exit, input, output};
use fencepost_certify::{replay_claims, replay_claims_c11};
use fencepost_report::{results, text};
use fencepost_task::{AnyModel, Budget};
use fencepost_verify::{lower, lower_for_language, read};

pub fn run(options: &ReplayOptions) -> Exit {
    let tree = match read::read(&options.file, &options.input.meant()) {
        Ok(tree) => tree,
        Err(error) => {
            input::complain(&error);
            return Exit::Wrong;
        }
    };
    let read = |text: String| results::read_run(&text).map_err(|error| error.to_string());
    let saved = match read::read_text(&options.trace).and_then(read) {
        Ok(saved) => saved,
        Err(message) => {
            output::complain(format!("error: {}: {message}", options.trace.display()));
            return Exit::Wrong;
        }
    };
    // A race by happens-before is shown by a run of the program for the language.
    let raced = saved.property.as_ref().is_some_and(|property| property.starts_with("data race"));
    let of_language = saved.model == AnyModel::C11 || raced;
    let program = match of_language {
        false => lower(tree, &options.input.meant()),
        true => lower_for_language(tree, &options.input.meant()),
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
    let replayed = match saved.model {
        AnyModel::Machine(model) if !of_language => {
            replay_claims(&program, model, &saved.instances, &saved.init, &saved.claims)
        }
        AnyModel::Machine(_) | AnyModel::C11 => replay_claims_c11(&program, &saved.init, &saved.claims),
    };
    match replayed {
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

//! `fencepost sequentialize`: a program within bounds as one sequential C file, for other bounded model checkers.

use crate::meant::misfit;
use crate::options::{DialectName, SequentializeOptions};
use crate::{Exit, input, output, outputs};
use fencepost_bmc::Abstraction;
use fencepost_bmc::c::{Dialect, Sequentialization, sequentialize};
use fencepost_bmc::query::DEFAULT_QUEUE;
use fencepost_passes::pipeline;
use fencepost_verify::compiler::databases;
use fencepost_verify::options::abstraction;
use fencepost_verify::{Sma, nothing_to_check, read};

pub fn run(options: &SequentializeOptions) -> Exit {
    let abstraction = match abstraction(options.sma.map(Sma::from), options.model.into()) {
        Ok(abstraction) => abstraction,
        Err(why) => return output::refuse(misfit(why)),
    };
    if options.queue.is_some() && abstraction != Abstraction::Queues {
        output::complain("error: --queue is for --sma tso and --sma pso");
        return Exit::Wrong;
    }
    let read = std::slice::from_ref(&options.file);
    let files = outputs::Files::default()
        .reads("the program", read)
        .reads("the compile commands", databases(read, options.input.commands.as_deref()));
    let files = match files.writes(&[("-o", options.output.as_deref())]) {
        Ok(files) => files,
        Err(message) => return output::refuse(message),
    };
    let tree = match read::read(&options.file, &options.input.meant()) {
        Ok(tree) => tree,
        Err(error) => {
            input::complain(&error);
            return Exit::Wrong;
        }
    };
    if let Err(message) = files.check_sources(&tree.sources) {
        return output::refuse(message);
    }
    let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
    if !program.has_property() {
        input::complain(&nothing_to_check(&program));
        return Exit::Wrong;
    }
    let wanted = Sequentialization {
        model: options.model.into(),
        unwind: options.unwind,
        rounds: options.rounds,
        clock: options.clock,
        block: options.block,
        queue: (abstraction == Abstraction::Queues).then(|| options.queue.unwrap_or(DEFAULT_QUEUE)),
        dialect: match options.dialect {
            DialectName::Cprover => Dialect::Cprover,
            DialectName::Verifier => Dialect::Verifier,
        },
    };
    match sequentialize(&program, &wanted) {
        Ok(text) => output::program(options.output.as_deref(), &text),
        Err(refusal) => {
            output::complain(format!(
                "error: {} cannot be made sequential: {refusal}",
                options.file.display()
            ));
            Exit::Wrong
        }
    }
}

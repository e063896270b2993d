//! `fencepost lsp`: the language server, whose settings are options of `check`.

use crate::Exit;
use crate::options::{Cli, Command};
use clap::Parser;
use fencepost_lsp::{Ended, Wanted};
use fencepost_task::AnyModel;

pub fn run() -> Exit {
    match fencepost_lsp::run(wanted) {
        Ended::ShutDown => Exit::Good,
        Ended::Abandoned => Exit::Bad,
    }
}

/// What options of `check` mean; or what is wrong with them.
fn wanted(options: Vec<String>) -> Result<Wanted, String> {
    let words = ["fencepost", "check"].map(str::to_string).into_iter().chain(options);
    let options = match Cli::try_parse_from(words.chain(["-".to_string()])) {
        Ok(Cli { command: Command::Check(options), .. }) => options,
        Ok(_) => return Err("`arguments` are options of `fencepost check`".to_string()),
        Err(error) => return Err(first_line(&error.to_string())),
    };
    if options.input.link || options.files.len() > 1 || options.print.is_some() {
        return Err("`arguments` are options for one file, without --link and --print".to_string());
    }
    let machine = |model: AnyModel| match model {
        AnyModel::Machine(model) => Ok(model),
        AnyModel::C11 => Err("the model is sc, tso or pso here".to_string()),
    };
    Ok(Wanted {
        models: options.models().into_iter().map(machine).collect::<Result<_, _>>()?,
        read: options.input.meant(),
        check: options.meant(),
        limits: options.limits(),
    })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string()
}

#[cfg(test)]
mod tests {
    use super::wanted;
    use fencepost_task::Model;

    #[test]
    fn options_of_check_are_understood() {
        let read = |text: &str| wanted(text.split_whitespace().map(str::to_string).collect());
        assert_eq!(read("").unwrap().models, [Model::Tso]);
        let given = read("--model sc --model pso --engine explicit --timeout 2.5 -I include -D N=2").unwrap();
        assert_eq!(given.models, [Model::Sc, Model::Pso]);
        assert_eq!((given.limits.seconds, given.read.c.defines.len()), (Some(2.5), 1));
        for wrong in ["--model arm", "--model c11", "--nonsense", "--link", "other.c"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

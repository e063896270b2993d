//! `fencepost translate`: a program whose SC behaviour is the TSO behaviour of another one, within a bound.

use crate::options::{DialectName, InputFormat, TranslateOptions};
use crate::{Exit, compiler, input, output, outputs};
use fencepost_ir::tree;
use fencepost_passes::pipeline;
use fencepost_text::Diagnostic;
use fencepost_translate::{Bound, Dialect, Language, Unsupported, translate};

pub fn run(options: &TranslateOptions) -> Exit {
    let read = std::slice::from_ref(&options.file);
    let files = outputs::Files::default()
        .reads("the program", read)
        .reads("the compile commands", compiler::databases(read, &options.input));
    let files = match files.writes(&[("-o", options.output.as_deref())]) {
        Ok(files) => files,
        Err(message) => return output::refuse(message),
    };
    let (mut tree, format) = match input::read_with_format(&options.file, &options.input) {
        Ok(read) => read,
        Err(error) => {
            input::complain(&error);
            return Exit::Wrong;
        }
    };
    if let Err(message) = files.check_sources(&tree.sources) {
        return output::refuse(message);
    }
    pipeline::on_tree(&mut tree, pipeline::Options { threads: options.input.threads });
    let bound = match (options.rounds, options.age) {
        (Some(rounds), _) => Bound::Rounds(rounds),
        (None, Some(age)) => Bound::Age(age),
        (None, None) => unreachable!("one of them is required"),
    };
    let dialect = match options.dialect {
        Some(DialectName::Cprover) => Dialect::Cprover,
        Some(DialectName::Verifier) | None => Dialect::Verifier,
    };
    if options.dialect.is_some() && format != InputFormat::C {
        output::complain("error: --dialect is for C files");
        return Exit::Wrong;
    }
    let text = match translate(&tree, bound, language(format, dialect)) {
        Ok(translation) => translation.text,
        Err(unsupported) => {
            input::complain(&refusal(&tree, unsupported));
            return Exit::Wrong;
        }
    };
    output::program(options.output.as_deref(), &text)
}

/// The language that a file of a format is translated to.
pub fn language(format: InputFormat, dialect: Dialect) -> Language {
    match format {
        InputFormat::C => Language::C(dialect),
        InputFormat::Litmus | InputFormat::Fp | InputFormat::Memorax | InputFormat::Trencher => {
            Language::Model
        }
    }
}

fn refusal(tree: &tree::Program, unsupported: Unsupported) -> input::InputError {
    let Unsupported { span, what, help } = unsupported;
    let help = help.unwrap_or(
        "the translation takes programs over shared variables and arrays; `docs/translate.md` says which",
    );
    let diagnostic = Diagnostic::new(span, format!("{what} cannot be translated")).help(help);
    input::InputError::Text(tree.sources.clone(), vec![diagnostic])
}

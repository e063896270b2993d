//! `fencepost translate`: a program whose SC behaviour is the TSO behaviour of another one, within a bound.

use crate::options::{DialectName, TranslateOptions};
use crate::{Exit, input, output, outputs};
use fencepost_ir::tree;
use fencepost_ir::tree::c::Dialect;
use fencepost_passes::pipeline;
use fencepost_text::Diagnostic;
use fencepost_translate::{Bound, Unsupported, translate};
use fencepost_verify::compiler::databases;
use fencepost_verify::translation::{c_text, model_text};
use fencepost_verify::{Format, InputError, read};

pub fn run(options: &TranslateOptions) -> Exit {
    let read = std::slice::from_ref(&options.file);
    let files = outputs::Files::default()
        .reads("the program", read)
        .reads("the compile commands", databases(read, options.input.commands.as_deref()));
    let files = match files.writes(&[("-o", options.output.as_deref())]) {
        Ok(files) => files,
        Err(message) => return output::refuse(message),
    };
    let (mut tree, format) = match read::read_with_format(&options.file, &options.input.meant()) {
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
    if options.dialect.is_some() && format != Format::C {
        output::complain("error: --dialect is for C files");
        return Exit::Wrong;
    }
    let text = translate(&tree, bound).and_then(|translated| match format {
        Format::C => c_text(&translated, dialect),
        Format::Litmus | Format::Fp | Format::Memorax | Format::Trencher => model_text(&translated.program),
    });
    let text = match text {
        Ok(text) => text,
        Err(unsupported) => {
            input::complain(&refusal(&tree, unsupported));
            return Exit::Wrong;
        }
    };
    output::program(options.output.as_deref(), &text)
}

fn refusal(tree: &tree::Program, unsupported: Unsupported) -> InputError {
    let Unsupported { span, what, help } = unsupported;
    let help = help.unwrap_or(
        "the translation takes programs over shared variables and arrays; `docs/translate.md` says which",
    );
    let diagnostic = Diagnostic::new(span, format!("{what} cannot be translated")).help(help);
    InputError::Text(tree.sources.clone(), vec![diagnostic])
}

//! What is told of a verdict besides its line: files with pages, drawings and witnesses.

use crate::options::{CheckOptions, DataModelName};
use crate::{output, outputs};
use fencepost_c::outline::outline;
use fencepost_ir::FileId;
use fencepost_report::digest::sha256;
use fencepost_report::page::{self, Recheck};
use fencepost_report::picture::{Form, Frame, Picture, document};
use fencepost_report::witness::{self, Provenance};
use fencepost_report::{Outcome, Shown};
use fencepost_task::{AnyModel, EngineChoice, EngineId, Model, Reason};
use fencepost_verify::read;
use std::path::PathBuf;
use std::time::SystemTime;

/// Writes the page and the drawing that were asked for.
pub fn write(files: &[PathBuf], options: &CheckOptions, outcome: &Outcome<'_>) -> Result<(), ()> {
    if let Some(path) = &options.report {
        outputs::write(path, &page::check(outcome, &recheck(files, outcome)))?;
    }
    let Some(path) = &options.svg else { return Ok(()) };
    let Shown::Unsafe(replay) = &outcome.verdict else {
        output::complain(format!("no drawing: the verdict is {}", outcome.verdict.kind()));
        return Ok(());
    };
    let model = outcome.model.name().to_uppercase();
    let title = format!("{} under {model}", outcome.file);
    let frame = Frame { title: Some(&title), legend: true, ..Frame::default() };
    let program = replay.instance(outcome.program);
    let drawn = Picture::new(&program, replay, &outcome.telling)
        .and_then(|picture| picture.drawing(Form::Wide, frame, &outcome.telling));
    match drawn {
        Ok(drawing) => outputs::write(path, &document(&drawing)),
        Err(stop) => {
            output::complain(format!("no drawing: {}", Reason::from(stop)));
            Ok(())
        }
    }
}

/// Writes the witness that was asked for.
pub fn witness(options: &CheckOptions, outcome: &Outcome<'_>) -> Result<(), ()> {
    let Some(path) = &options.witness else { return Ok(()) };
    let Shown::Unsafe(replay) = &outcome.verdict else {
        output::complain(format!("no witness: the verdict is {}", outcome.verdict.kind()));
        return Ok(());
    };
    let program = &*replay.instance(outcome.program);
    let sources = &program.sources;
    let name = sources.name(FileId(0));
    // The program was read with these, so they can be found.
    let c_options =
        read::c_options(&[std::path::Path::new(name)], &options.input.meant()).unwrap_or_default();
    let outline = outline(name, sources.text(FileId(0)), &c_options);
    let bytes = options.files.first().map(std::fs::read).and_then(Result::ok).unwrap_or_default();
    let from = Provenance {
        hash: sha256(&bytes),
        version: env!("CARGO_PKG_VERSION"),
        command: command(),
        at: SystemTime::now(),
        data_model: match options.input.data_model {
            DataModelName::Lp64 => "LP64",
            DataModelName::Ilp32 => "ILP32",
        },
    };
    match witness::witness(program, replay, &outline, &from, &outcome.telling) {
        Ok(text) => outputs::write(path, &text),
        Err(reason) => {
            output::complain(format!("no witness: {reason}"));
            Ok(())
        }
    }
}

/// What was typed, as a shell reads it.
fn command() -> String {
    let words = std::env::args().skip(1).map(|a| quote(&a));
    std::iter::once("fencepost".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// What was proved, and the commands that check it again.
fn recheck(files: &[PathBuf], outcome: &Outcome<'_>) -> Recheck {
    let quoted: Vec<String> = files.iter().map(|f| quote(&f.display().to_string())).collect();
    let file = quoted.join(" ");
    let model = outcome.model.name();
    let mut commands = vec![command()];
    let mut proof = Vec::new();
    match &outcome.verdict {
        Shown::Unsafe(_) => {
            commands.push(format!("fencepost check --model {model} --trace bug.json {file}"));
            commands.push(format!("fencepost replay {file} bug.json"));
        }
        Shown::Safe { scope, .. } => {
            if let EngineChoice::Only(engine) = outcome.engine {
                proof = fencepost_report::proof::proof(engine, &outcome.stats, *scope);
            }
            let by_search = outcome.engine == EngineChoice::Only(EngineId::Explicit);
            if by_search && !outcome.program.is_parameterized() {
                commands
                    .push(format!("fencepost check --model {model} --engine explicit --no-reduction {file}"));
            }
            if outcome.model == AnyModel::Machine(Model::Tso) {
                commands.push(format!("fencepost check --engine dual --certificate proof.json {file}"));
                commands.push(format!("fencepost certify {file} proof.json"));
            }
        }
        Shown::Unknown { .. } => {}
    }
    Recheck { proof, commands }
}

/// A word as a shell reads it.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:+,@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

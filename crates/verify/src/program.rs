//! A program, read and ready to be checked.

use crate::decide::{Decided, decide};
use crate::options::{CheckOptions, Format, Misfit, ReadOptions};
use crate::read::{self, InputError};
use fencepost_ir::{Checks, Span, cfg, tree};
use fencepost_passes::{claims, pipeline};
use fencepost_task::{Asked, Budget, Model};
use fencepost_text::Diagnostic;
use std::path::Path;

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// What messages call it: its files.
    pub name: String,
    /// As it was written.
    pub tree: tree::Program,
    /// As engines take it, with what is looked for in it.
    pub graph: cfg::Program,
    /// Threads of each template, where that was said.
    pub threads: Option<u32>,
}

impl Program {
    /// Reads a text. The name says how, unless the options do.
    pub fn from_text(name: &str, text: &str, options: &ReadOptions) -> Result<Program, InputError> {
        let format = read::format(Path::new(name), options, text)?;
        Ok(Program::new(name, read::parse(format, name, text, options)?, options))
    }

    /// Reads a file.
    pub fn from_file(path: &Path, options: &ReadOptions) -> Result<(Program, Format), InputError> {
        let (tree, format) = read::read_with_format(path, options)?;
        Ok((Program::new(&path.display().to_string(), tree, options), format))
    }

    /// The program of a tree.
    pub fn new(name: &str, tree: tree::Program, options: &ReadOptions) -> Program {
        Program::of(name, tree, options, graph)
    }

    /// The program of a tree for the language's own model, C11.
    pub fn for_language(name: &str, tree: tree::Program, options: &ReadOptions) -> Program {
        let program = Program::of(name, tree, options, lower_for_language);
        // That model looks for races in any case, and by happens-before.
        let checks = Checks { races: false, ..program.graph.checks };
        Program { graph: cfg::Program { checks, ..program.graph }, ..program }
    }

    fn of(
        name: &str,
        tree: tree::Program,
        options: &ReadOptions,
        lower: impl FnOnce(tree::Program, &ReadOptions) -> cfg::Program,
    ) -> Program {
        let tree = claims::run(tree, &options.asked.checks, &options.asked.reach);
        let mut graph = lower(tree.clone(), options);
        graph.checks = options.asked.checks.clone();
        Program { name: name.to_string(), tree, graph, threads: options.threads }
    }

    /// Checks it under a memory model; or says why the options do not fit.
    pub fn check(&self, model: Model, options: &CheckOptions, budget: &Budget) -> Result<Decided, Misfit> {
        decide(self, model, options, budget, &mut |_| {})
    }

    /// Refuses a program without any property, or without a name that must not be reached.
    pub fn require_property(&self, asked: &Asked) -> Result<(), InputError> {
        if let Some(name) = asked.reach.iter().find(|name| !self.mentions(name)) {
            let message = format!("{}: there is no function or label `{name}`", self.name);
            return Err(InputError::File(message));
        }
        match self.graph.has_property() {
            true => Ok(()),
            false => Err(nothing_to_check(&self.graph)),
        }
    }
}

impl Program {
    /// Whether a word stands in the texts.
    fn mentions(&self, word: &str) -> bool {
        let sources = &self.graph.sources;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        sources.files().any(|file| sources.text(file).split(|c| !is_part(c)).any(|part| part == word))
    }
}

/// The graph of a tree as it was read.
pub fn lower(tree: tree::Program, options: &ReadOptions) -> cfg::Program {
    graph(claims::run(tree, &options.asked.checks, &options.asked.reach), options)
}

/// The graph of a tree.
fn graph(tree: tree::Program, options: &ReadOptions) -> cfg::Program {
    pipeline::run(tree, pipeline::Options { threads: options.threads }, |_, _| {})
}

/// The graph of a tree for the language's own model, C11.
pub fn lower_for_language(tree: tree::Program, options: &ReadOptions) -> cfg::Program {
    pipeline::for_language(tree, pipeline::Options { threads: options.threads })
}

/// What is said of a program without any property.
pub fn nothing_to_check(program: &cfg::Program) -> InputError {
    let span = program.threads.first().map_or(Span { line: 1, column: 1, ..Span::NONE }, |t| t.span);
    let diagnostic = Diagnostic::new(span, "there is nothing to check").help(
        "a property is an `assert`, `forbid`, `at most` or `final` condition; in Memorax files a `forbidden` line, \
         in Trencher files a `final` state in every thread",
    );
    InputError::Text(program.sources.clone(), vec![diagnostic])
}

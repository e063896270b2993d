//! A program, read and ready to be checked.

use crate::decide::{Decided, decide};
use crate::options::{CheckOptions, Format, Misfit, ReadOptions};
use crate::read::{self, InputError};
use fencepost_ir::{Check, Checks, Span, cfg, tree};
use fencepost_passes::pipeline;
use fencepost_task::{Budget, Model};
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
        let graph = lower(tree.clone(), options);
        Program::of(name, tree, graph, options)
    }

    /// The program of a tree for the language's own model, C11.
    pub fn for_language(name: &str, tree: tree::Program, options: &ReadOptions) -> Program {
        let graph = lower_for_language(tree.clone(), options);
        let program = Program::of(name, tree, graph, options);
        // That model looks for races in any case, and by happens-before.
        let checks = Checks { races: false, ..program.graph.checks };
        Program { graph: cfg::Program { checks, ..program.graph }, ..program }
    }

    fn of(name: &str, tree: tree::Program, mut graph: cfg::Program, options: &ReadOptions) -> Program {
        graph.checks = options.checks.clone();
        if !graph.checks.reports(Check::Assertion) {
            graph.drop_assertions();
        }
        Program { name: name.to_string(), tree, graph, threads: options.threads }
    }

    /// Checks it under a memory model; or says why the options do not fit.
    pub fn check(&self, model: Model, options: &CheckOptions, budget: &Budget) -> Result<Decided, Misfit> {
        decide(self, model, options, budget, &mut |_| {})
    }

    /// Refuses a program without any property.
    pub fn require_property(&self) -> Result<(), InputError> {
        match self.graph.has_property() {
            true => Ok(()),
            false => Err(nothing_to_check(&self.graph)),
        }
    }
}

/// The graph of a tree.
pub fn lower(tree: tree::Program, options: &ReadOptions) -> cfg::Program {
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

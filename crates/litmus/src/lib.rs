//! Litmus tests in herd's format: `X86` (destination first), `X86_64` (destination last) and `C`.
//!
//! Text goes through [`header`], [`lexer`] and [`parser`] (to [`ast`]), then [`layout`] finds the
//! locations, [`pieces`] cuts those that are accessed in several sizes, [`constants`] the addresses that are known, [`code`] makes a process of each column and
//! [`observe`] finds out what the test looks at. `C` tests have [`functions`] for threads, which the C front end
//! lowers. The way back, from a cycle of relations to the text of a
//! test, is [`generate`].
//!
//! The format is that of the herdtools7 documentation; docs/litmus.md says what is read and what it
//! means here.

mod arithmetic;
mod ast;
mod code;
mod constants;
mod expression;
mod fences;
mod flags;
mod functions;
pub mod generate;
mod header;
mod instruction;
mod layout;
mod lexer;
mod lower;
mod observe;
mod parser;
mod pieces;
mod register;

pub use ast::Arch;
pub use fences::Fences;
pub use observe::{Observation, Slot};

use fencepost_ir::{Sources, cfg, tree};
use fencepost_text::Diagnostic;

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// What it is written for.
    pub arch: Arch,
    /// The threads; the condition is a property.
    pub program: tree::Program,
    /// What the test looks at.
    pub observation: Observation,
}

impl Test {
    /// What the test looks at, in the graph that was made of [`Test::program`].
    pub fn observables(&self, program: &cfg::Program) -> Vec<cfg::Observable> {
        let bases = program.cell_bases();
        let observable = |slot| match slot {
            Slot::Register(thread, local) => {
                let code = self.program.procedure(self.program.threads[thread.0].procedure);
                let registers = &program.procedure(program.threads[thread.0].procedure).registers;
                // The first local of a name has that name as a register, too.
                let slot = registers.iter().position(|r| r.name == code.locals[local.0].name);
                let slot = slot.expect("what a test looks at is in registers");
                cfg::Observable::Register(cfg::StartId(thread.0 as u32), cfg::Reg::Local(slot as u32))
            }
            Slot::Cell(shared, cell) => cfg::Observable::Cell(cfg::Loc::cell(bases[shared.0] + cell)),
        };
        self.observation.slots().map(observable).collect()
    }

    /// Makes the graph's first final condition look at everything that the test looks at, so that no
    /// engine forgets it.
    pub fn observe(&self, program: &mut cfg::Program) {
        let all = self.observables(program);
        for property in &mut program.properties {
            if let cfg::Property::Final { observed, .. } = property {
                let new: Vec<_> = all.iter().copied().filter(|o| !observed.contains(o)).collect();
                observed.extend(new);
                return;
            }
        }
    }
}

/// Reads a test.
pub fn read_test(name: &str, text: &str) -> Result<Test, (Sources, Vec<Diagnostic>)> {
    let sources = Sources::single(name, text);
    match parse(text) {
        Ok(mut test) => {
            test.program.sources = sources;
            debug_assert_eq!(tree::validate(&test.program), Ok(()), "the reader makes valid trees");
            Ok(test)
        }
        Err(diagnostics) => Err((sources, diagnostics)),
    }
}

/// Reads a test as a program with its condition as the property.
pub fn read(name: &str, text: &str) -> Result<tree::Program, (Sources, Vec<Diagnostic>)> {
    read_test(name, text).map(|test| test.program)
}

fn parse(text: &str) -> Result<Test, Vec<Diagnostic>> {
    let mut scanner = lexer::Scanner::new(text);
    let (arch, name) = header::read(&mut scanner).map_err(|d| vec![d])?;
    let (program, observation) = match arch {
        Arch::C => functions::read(&mut scanner)?,
        Arch::X86 | Arch::X86_64 => columns(arch, &name, scanner).map_err(|d| vec![d])?,
    };
    Ok(Test { name, arch, program, observation })
}

fn columns(
    arch: Arch,
    name: &str,
    scanner: lexer::Scanner<'_>,
) -> Result<(tree::Program, Observation), Diagnostic> {
    lower::lower(&parser::parse(arch, name.to_string(), &scanner.tokens()?)?)
}

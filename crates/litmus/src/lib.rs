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
//!
//! ```
//! let text = r#"X86_64 SB
//! { x=0; y=0; }
//!  P0            | P1            ;
//!  movl $1,(x)   | movl $1,(y)   ;
//!  movl (y),%eax | movl (x),%eax ;
//! exists (0:rax=0 /\ 1:rax=0)
//! "#;
//! let program = fencepost_litmus::read("sb.litmus", text).expect("it is a test");
//! assert_eq!(program.threads.len(), 2);
//! ```

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
mod operands;
mod parser;
mod pieces;
mod reading;
mod register;

pub use ast::Arch;
pub use fences::Fences;
pub use observe::{Observation, Slot};

use fencepost_ir::{Cell, Scalar, Sources, cfg, tree};
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
    /// What the test looks at, in the graph that was made of [`Test::program`]. [`Test::values`] puts it together.
    pub fn observables(&self, program: &cfg::Program) -> Vec<cfg::Observable> {
        let bases = program.cell_bases();
        let mut all = Vec::new();
        for (slot, scalar) in self.observation.typed_slots() {
            match slot {
                Slot::Register(thread, local) => {
                    let code = self.program.procedure(self.program.threads[thread.0].procedure);
                    let registers = &program.procedure(program.threads[thread.0].procedure).registers;
                    // The first local of a name has that name as a register, too.
                    let slot = registers.iter().position(|r| r.name == code.locals[local.0].name);
                    let slot = slot.expect("what a test looks at is in registers");
                    let register = cfg::Reg::Local(slot as u32);
                    all.push(cfg::Observable::Register(cfg::StartId(thread.0 as u32), register));
                }
                Slot::Cell(shared, index) => {
                    for (cell, _) in self.cells(program, shared, index, scalar) {
                        all.push(cfg::Observable::Cell(cfg::Loc::cell(bases[shared.0] + cell)));
                    }
                }
            }
        }
        all
    }

    /// The numbers that the test looks at, from what its observables hold: a location that is accessed in several sizes is
    /// several cells.
    pub fn values(&self, program: &cfg::Program, held: &[i64]) -> Vec<i64> {
        if held.len() == self.observation.slots().count() {
            return held.to_vec();
        }
        let mut rest = held.iter();
        let mut next = || *rest.next().expect("there is a number for every observable");
        let join = |(slot, scalar)| match slot {
            Slot::Register(..) => next(),
            Slot::Cell(shared, index) => {
                let (mut bits, mut shift) = (0, 0);
                for (_, ty) in self.cells(program, shared, index, scalar) {
                    bits |= ty.to_bits(next()).expect("what tests look at has bits") << shift;
                    shift += ty.size() * 8;
                }
                scalar.from_bits(bits).expect("what tests look at has bits")
            }
        };
        self.observation.typed_slots().map(join).collect()
    }

    /// The cells of a variable that hold a scalar, in the graph, with their types.
    fn cells(
        &self,
        program: &cfg::Program,
        shared: tree::SharedId,
        index: u32,
        scalar: Scalar,
    ) -> Vec<(u32, Scalar)> {
        let layout = program.records.layout(&program.objects[shared.0].ty);
        if let tree::Type::Record(_) = self.program.shared[shared.0].ty {
            // It has been cut already.
            return vec![(index, layout[index as usize].ty)];
        }
        let start = u64::from(index) * scalar.size();
        let inside = |cell: &Cell| (start..start + scalar.size()).contains(&cell.offset);
        let cells = (0..).zip(&layout).filter(|(_, cell)| inside(cell));
        cells.map(|(number, cell)| (number, cell.ty)).collect()
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

//! Inline assembly of x86: what instructions do is said in the program's own words.
//!
//! The text is taken apart ([`template`]), its operands are registers, places in memory and values ([`operand`]), and the
//! instructions are done one after the other ([`instruction`], [`exchange`], [`bit`]). A locked instruction is a
//! read-modify-write, any other access to memory a load or a store of its own: an instruction is not an access of C, so it races
//! with nothing. Registers are values as long as the code is straight; where it jumps inside, they are variables.

mod bit;
mod exchange;
mod flags;
mod instruction;
mod mnemonic;
mod operand;
mod pair;
mod register;
mod template;
mod width;

use super::build::{any, anything};
use super::{Lowerer, Result};
use crate::hir;
use fencepost_ir::Span;
use fencepost_ir::tree::{Block, Fence, FenceKind, Stmt, StmtKind};
use fencepost_text::Diagnostic;
use flags::Flags;
use mnemonic::{Condition, Operation};
use operand::Located;
use register::Register;
use std::collections::HashMap;
use template::{Instruction, Line, Names, Operand};

/// Assembly that is being lowered.
struct Machine<'a, 'h> {
    low: &'a mut Lowerer<'h>,
    asm: &'h hir::Asm,
    span: Span,
    /// Outputs and inputs.
    operands: Vec<Located<'h>>,
    registers: Vec<Register>,
    flags: Flags,
    /// Whether the code jumps inside.
    jumps: bool,
    /// Whether the flags of the instruction at hand are looked at.
    needs_flags: bool,
    /// Whether the instruction at hand moves pointers.
    points: bool,
}

const UNKNOWN: &str = "this assembly is not supported";

/// A message about an instruction with the whole text that it is in, which may be far away in a macro.
fn with_template(diagnostic: Diagnostic, template: &str) -> Diagnostic {
    let template = template.split_whitespace().collect::<Vec<_>>().join(" ");
    match diagnostic.message.strip_prefix(UNKNOWN) {
        Some(rest) if !rest.contains(&format!("`{template}`")) => {
            let message = format!("{} in `{template}`", diagnostic.message);
            Diagnostic { message, ..diagnostic }
        }
        _ => diagnostic,
    }
}

/// What is said of an instruction that is not known.
fn unknown(instruction: &str, span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("{UNKNOWN}: `{instruction}`")).help(
        "known are fences, `pause`, `mov`, `xchg`, `cmpxchg`, `xadd`, arithmetic and bits in memory and registers, with \
         `set` and jumps that look at their flags; write the rest in C",
    )
}

impl<'h> Lowerer<'h> {
    /// Inline assembly.
    pub fn asm(&mut self, asm: &'h hir::Asm) -> Result<()> {
        self.instructions(asm).map_err(|diagnostic| with_template(diagnostic, &asm.template))
    }

    fn instructions(&mut self, asm: &'h hir::Asm) -> Result<()> {
        let span = self.at(asm.span);
        let body = self.hir_body();
        let outputs = asm.outputs.iter().map(|output| output.name.as_deref());
        let inputs = asm.inputs.iter().map(|input| input.name.as_deref());
        let names = Names {
            operands: outputs.chain(inputs).collect(),
            labels: asm.labels.iter().map(|label| body.labels[*label].name.as_str()).collect(),
        };
        let lines = template::lines(&asm.template, &names).map_err(|text| unknown(&text, span))?;
        let jumps = instructions(&lines).any(|i| i.operands.iter().any(|o| matches!(o, Operand::Label(_))));
        let mut machine = Machine {
            low: self,
            asm,
            span,
            operands: Vec::new(),
            registers: Vec::new(),
            flags: Flags::Unknown,
            jumps,
            needs_flags: false,
            points: false,
        };
        machine.locate(&lines, &names)?;
        machine.run(&lines)?;
        machine.write_outputs()
    }
}

/// The instructions among lines.
fn instructions(lines: &[Line]) -> impl Iterator<Item = &Instruction> {
    lines.iter().filter_map(|line| match line {
        Line::Instruction(instruction) => Some(instruction),
        Line::Label(_) => None,
    })
}

impl<'h> Machine<'_, 'h> {
    fn run(&mut self, lines: &[Line]) -> Result<()> {
        let mut labels = self.jump_targets(lines)?;
        for (at, line) in lines.iter().enumerate() {
            match line {
                Line::Label(_) => {
                    if let Some(label) = labels.defined.remove(&at) {
                        self.low.emit(StmtKind::Label(label), self.span);
                        self.flags = Flags::Unknown;
                    }
                }
                Line::Instruction(instruction) => {
                    self.needs_flags = self.flags_are_used(&lines[at + 1..]);
                    let done = match instruction.operation {
                        Operation::Jump(condition) => {
                            self.jump(condition, instruction, labels.used.get(&at))?
                        }
                        _ => self.step(instruction)?,
                    };
                    done.ok_or_else(|| unknown(&instruction.text, self.span))?;
                }
            }
        }
        Ok(())
    }

    /// Whether anything looks at flags before an instruction sets them again.
    fn flags_are_used(&self, lines: &[Line]) -> bool {
        for instruction in instructions(lines) {
            if instruction.operation.uses_flags() {
                return true;
            }
            if instruction.operation.sets_flags() {
                return false;
            }
        }
        self.operands.iter().any(Located::is_flag)
    }

    /// One instruction other than a jump; `None` if it is not known with these operands.
    fn step(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        // A locked instruction on the stack is the usual way to say `mfence` where that is slow.
        if instruction.locked && instruction.operands.contains(&Operand::Stack) {
            self.fence(FenceKind::Full);
            return Ok(Some(()));
        }
        if instruction.locked && !self.can_be_locked(instruction) {
            return Ok(None);
        }
        self.points = self.moves_pointers(instruction);
        match instruction.operation {
            Operation::Nothing => Ok(Some(())),
            Operation::FullFence => {
                self.fence(FenceKind::Full);
                Ok(Some(()))
            }
            Operation::StoreFence => {
                self.fence(FenceKind::StoreStore);
                Ok(Some(()))
            }
            Operation::Clock => self.clock(),
            Operation::Move => self.moved(instruction),
            Operation::Extend { from, signed } => self.extended(instruction, from, signed),
            Operation::MoveIf(condition) => self.moved_if(instruction, condition),
            Operation::Exchange => self.exchange(instruction),
            Operation::CompareExchange => self.compare_exchange(instruction),
            Operation::CompareExchangePair(bytes) => self.compare_exchange_pair(instruction, bytes),
            Operation::FetchAdd => self.fetch_add(instruction),
            Operation::Arithmetic(arithmetic) => self.arithmetic(instruction, arithmetic),
            Operation::Compare => self.compare(instruction),
            Operation::Test => self.test(instruction),
            Operation::Bit(bit) => self.bit(instruction, bit),
            Operation::Set(condition) => self.set(instruction, condition),
            Operation::Spread => self.spread(instruction),
            Operation::Jump(_) => Ok(None),
        }
    }

    /// Whether an instruction that has the prefix is one on memory that may have it.
    fn can_be_locked(&self, instruction: &Instruction) -> bool {
        let in_memory = instruction.operands.iter().any(|operand| self.is_memory(operand));
        let may = match instruction.operation {
            Operation::Exchange
            | Operation::CompareExchange
            | Operation::CompareExchangePair(_)
            | Operation::FetchAdd
            | Operation::Arithmetic(_) => true,
            Operation::Bit(bit) => bit != mnemonic::BitOperation::Look,
            _ => false,
        };
        may && in_memory
    }

    fn fence(&mut self, kind: FenceKind) {
        self.low.emit(StmtKind::Fence(Fence::Machine(kind)), self.span);
    }

    /// A clock of the processor shows any value.
    fn clock(&mut self) -> Result<Option<()>> {
        for letter in ['a', 'd', 'c', 'A'] {
            if let Some(register) = self.known_register(letter) {
                let scalar = self.registers[register].scalar;
                let Some(choices) = anything(scalar) else { return Ok(None) };
                self.set_register(register, any(choices, scalar, self.span));
            }
        }
        Ok(Some(()))
    }

    /// A jump inside of the code, or to a label of C's.
    fn jump(
        &mut self,
        condition: Option<Condition>,
        instruction: &Instruction,
        inside: Option<&String>,
    ) -> Result<Option<()>> {
        let label = match (&instruction.operands[..], inside) {
            ([Operand::Goto(n)], _) => self.low.label_name(self.asm.labels[*n]),
            ([_], Some(label)) => label.clone(),
            _ => return Ok(None),
        };
        let mut then = match inside {
            Some(_) => Block::default(),
            // What the code has put into registers is there on both ways.
            None => self.captured(|this| this.write_outputs())?,
        };
        then.0.push(Stmt { kind: StmtKind::Goto(label), span: self.span });
        match condition {
            None => self.low.append(then),
            Some(condition) => {
                let Some(truth) = self.condition(condition) else { return Ok(None) };
                self.low.emit(StmtKind::If(truth, then, Block::default()), self.span);
            }
        }
        Ok(Some(()))
    }

    /// The statements that `inside` emits, taken out.
    fn captured(&mut self, inside: impl FnOnce(&mut Self) -> Result<()>) -> Result<Block> {
        let outer = std::mem::take(&mut self.low.body.out);
        let result = inside(self);
        let inner = std::mem::replace(&mut self.low.body.out, outer);
        result.map(|()| Block(inner))
    }

    /// Where jumps inside of the code lead.
    fn jump_targets(&mut self, lines: &[Line]) -> Result<Labels> {
        let mut labels = Labels::default();
        for (at, line) in lines.iter().enumerate() {
            let Line::Instruction(instruction) = line else { continue };
            let [Operand::Label(name)] = &instruction.operands[..] else { continue };
            let target = target(lines, at, name).ok_or_else(|| unknown(&instruction.text, self.span))?;
            let label = labels.defined.entry(target).or_insert_with(|| self.low.fresh_label("asm"));
            labels.used.insert(at, label.clone());
        }
        Ok(labels)
    }
}

/// Labels of the program for the lines that are jumped to and those that jump.
#[derive(Default)]
struct Labels {
    defined: HashMap<usize, String>,
    used: HashMap<usize, String>,
}

/// The line of the label that is meant: of a number the next one before or after, as the letter after it says.
fn target(lines: &[Line], from: usize, name: &str) -> Option<usize> {
    let is = |at: &usize, name: &str| matches!(&lines[*at], Line::Label(label) if label == name);
    let number = name.strip_suffix(['b', 'f']).filter(|n| n.chars().all(|c| c.is_ascii_digit()));
    match number {
        Some(number) if name.ends_with('b') => (0..from).rev().find(|at| is(at, number)),
        Some(number) => (from..lines.len()).find(|at| is(at, number)),
        None => (0..lines.len()).find(|at| is(at, name)),
    }
}

//! The operands of assembly: where constraints say that they are, how they are read and written.

use super::mnemonic::{Condition, condition};
use super::template::{Instruction, Line, Names, Operand};
use super::{Machine, Operation, instructions, unknown};
use crate::hir::{AsmOperand, TypeId};
use crate::lower::Result;
use crate::lower::build::{any, number, pointed, read};
use crate::lower::place::Target;
use crate::lower::wide::SIGNED_WORD;
use fencepost_ir::tree::{Expr, Place};
use fencepost_ir::{Access, IntType, Scalar};

/// An output or input.
pub struct Located<'h> {
    pub at: At,
    /// C's place of it, if it is an output or in memory.
    target: Option<Target>,
    pub ty: TypeId,
    pub constraint: &'h str,
}

pub enum At {
    Memory,
    Register(usize),
    /// A flag that is an output itself: `"=@ccz"`.
    Flag(Condition),
    /// An input that is in no register of its own.
    Value(Expr),
    /// Nothing looks at it.
    Nowhere,
}

impl Located<'_> {
    pub fn is_flag(&self) -> bool {
        matches!(self.at, At::Flag(_))
    }
}

/// Letters of constraints, without what is said of the operand as a whole.
fn letters(constraint: &str) -> &str {
    constraint.trim().trim_start_matches(['=', '+', '&', '%'])
}

/// The register that a constraint names, if it is one.
fn letter(constraint: &str) -> Option<char> {
    let mut letters = letters(constraint).chars();
    let first = letters.next().filter(|c| matches!(c, 'a' | 'b' | 'c' | 'd' | 'S' | 'D' | 'A'))?;
    letters.next().is_none().then_some(first)
}

/// Whether an operand may be in memory.
fn may_be_memory(constraint: &str) -> bool {
    letters(constraint).contains(['m', 'o', 'V'])
}

/// Whether it may be in a register.
fn may_be_register(constraint: &str) -> bool {
    letters(constraint).contains(['r', 'q', 'Q', 'R', 'g', 'a', 'b', 'c', 'd', 'S', 'D'])
}

/// Whether it may be a constant in the instruction.
pub fn may_be_immediate(constraint: &str) -> bool {
    letters(constraint).contains(['i', 'n', 'I', 'J', 'K', 'L', 'M', 'N', 'e', 'Z', 'g'])
}

impl<'h> Machine<'_, 'h> {
    /// Finds out where outputs and inputs are, and evaluates what they hold.
    pub fn locate(&mut self, lines: &[Line], names: &Names<'_>) -> Result<()> {
        let (asm, span) = (self.asm, self.span);
        for (n, output) in asm.outputs.iter().enumerate() {
            let mut target = self.low.place(&output.place)?;
            self.low.stabilise(&mut target.place);
            let constraint = output.constraint.as_str();
            let at = match constraint.strip_prefix("=@cc") {
                Some(name) => At::Flag(condition(name).ok_or_else(|| unknown(constraint, span))?),
                None if self.is_in_memory(constraint, n, lines) => At::Memory,
                None => match self.low.scalar_type(output.place.ty) {
                    Some(scalar) => {
                        At::Register(self.new_register(letter(constraint), scalar, scalar.size()))
                    }
                    None => return Err(self.low.no_values(output.place.ty, span)),
                },
            };
            let ty = output.place.ty;
            self.is_followed(ty)?;
            self.operands.push(Located { at, target: Some(target), ty, constraint });
        }
        for n in 0..asm.inputs.len() {
            let located = self.locate_input(n, lines, names)?;
            self.operands.push(located);
        }
        for n in 0..asm.outputs.len() {
            if let (At::Register(register), true) =
                (&self.operands[n].at, self.operands[n].constraint.contains('+'))
                && is_used(n, self.operands[n].constraint, lines)
            {
                let register = *register;
                let target = self.operands[n].target.clone().expect("outputs are places");
                let value = self.low.load_scalar(target, span)?;
                self.fill_register(register, value);
            }
        }
        Ok(())
    }

    fn locate_input(&mut self, n: usize, lines: &[Line], names: &Names<'_>) -> Result<Located<'h>> {
        let asm = self.asm;
        let (constraint, number) = (asm.inputs[n].constraint.as_str(), asm.outputs.len() + n);
        let tied = tied(constraint, names).filter(|n| *n < asm.outputs.len());
        let e = match &asm.inputs[n].operand {
            AsmOperand::Place(place) => {
                let mut target = self.low.place(place)?;
                self.low.stabilise(&mut target.place);
                return Ok(Located { at: At::Memory, target: Some(target), ty: place.ty, constraint });
            }
            AsmOperand::Value(e) => e,
        };
        let is_used = tied.is_some() || is_used(number, constraint, lines);
        if !is_used {
            self.low.effect(e)?;
            return Ok(Located { at: At::Nowhere, target: None, ty: e.ty, constraint });
        }
        self.is_followed(e.ty)?;
        let value = self.low.scalar(e)?;
        let own = match tied.map(|tied| &self.operands[tied].at) {
            Some(At::Register(register)) => Some(*register),
            Some(At::Memory) => {
                let target = self.operands[tied.unwrap_or(0)].target.clone();
                return Ok(Located { at: At::Memory, target, ty: e.ty, constraint });
            }
            _ => letter(constraint).and_then(|letter| self.known_register(letter)),
        };
        let at = match own.or_else(|| Some(self.new_register(Some(letter(constraint)?), value.ty, 0))) {
            Some(register) => {
                // What operands of two types share is a word.
                if self.registers[register].scalar != value.ty {
                    self.registers[register].scalar = crate::lower::types::WORD;
                }
                self.fill_register(register, value);
                At::Register(register)
            }
            None => At::Value(self.low.keep(value)),
        };
        Ok(Located { at, target: None, ty: e.ty, constraint })
    }

    /// Refuses operands whose values are not followed.
    fn is_followed(&self, ty: TypeId) -> Result<()> {
        match self.low.hir.types.is_floating(ty) {
            true => Err(crate::lower::floating::unknown_value(self.span)),
            false => Ok(()),
        }
    }

    /// Whether an output is in memory: it has to be, or it may be and an instruction asks for it.
    fn is_in_memory(&self, constraint: &str, n: usize, lines: &[Line]) -> bool {
        let is_locked = || {
            let locked = |i: &Instruction| i.locked && i.operands.iter().any(|o| refers(o, n));
            instructions(lines).any(locked)
        };
        may_be_memory(constraint) && (!may_be_register(constraint) || is_locked())
    }

    /// Gives outputs what is in their registers now.
    pub fn write_outputs(&mut self) -> Result<()> {
        for n in 0..self.asm.outputs.len() {
            let Located { at, target, constraint, ty } = &self.operands[n];
            let (ty, is_read) = (*ty, constraint.contains('+'));
            let target = target.clone().expect("outputs are places");
            let value = match at {
                At::Flag(flag) => {
                    let flag = *flag;
                    self.condition(flag).ok_or_else(|| unknown(&self.asm.outputs[n].constraint, self.span))?
                }
                At::Register(register) if is_read && !self.registers[*register].written => continue,
                At::Register(register) => match self.registers[*register].value.clone() {
                    Some(value) => value,
                    // Nothing was put into it.
                    None => {
                        let choices = crate::lower::build::anything(self.low.scalar_of(ty));
                        let choices = choices.ok_or_else(|| self.low.no_values(ty, self.span))?;
                        any(choices, self.low.scalar_of(ty), self.span)
                    }
                },
                At::Memory | At::Value(_) | At::Nowhere => continue,
            };
            let value = self.fit(value, self.low.scalar_of(ty));
            let value = self.low.fitted(value, &target, self.span);
            self.low.store(&target, value, self.span);
        }
        Ok(())
    }

    pub fn is_memory(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Number(n, _) => matches!(self.operands[*n].at, At::Memory),
            Operand::Pointed(..) => true,
            Operand::Constant(_)
            | Operand::Register(..)
            | Operand::Stack
            | Operand::Label(_)
            | Operand::Goto(_) => false,
        }
    }

    /// The place in memory that an operand is, as that many bytes, and its type there. It is that of C where that has as many.
    pub fn memory(&mut self, operand: &Operand, bytes: u64) -> Result<Option<(Place, Scalar)>> {
        let span = self.span;
        let word = Scalar::Int(IntType { bits: bytes as u8 * 8, signed: false });
        let (pointer, own) = match operand {
            Operand::Number(n, _) => {
                let Located { at: At::Memory, target: Some(target), .. } = &self.operands[*n] else {
                    return Ok(None);
                };
                let own = self.low.scalar_type(target.ty).filter(|scalar| is_word(*scalar, bytes));
                let own = own.filter(|own| !self.points || matches!(own, Scalar::Pointer { .. }));
                let place = Place { access: Access::Instruction, span, ..target.place.clone() };
                if let Some(own) = own.filter(|_| target.bits.is_none()) {
                    return Ok(Some((place, own)));
                }
                (self.low.address(place, span), None)
            }
            Operand::Pointed(n, by) => {
                let element = self.low.hir.types.element(self.operands[*n].ty);
                let own = element.and_then(|element| self.low.scalar_type(element));
                let Some(pointer) = self.read(&Operand::Number(*n, None), 8)? else { return Ok(None) };
                let pointer = self.fit(pointer, self.low.pointer());
                let pointer = match by {
                    0 => pointer,
                    _ => self.low.moved_by(pointer, number(*by, self.low.distance_scalar(), span), span),
                };
                (self.low.keep(pointer), own.filter(|scalar| *by == 0 && is_word(*scalar, bytes)))
            }
            _ => return Ok(None),
        };
        let scalar = match own.unwrap_or(word) {
            Scalar::Int(_) if self.points && self.low.pointer().size() == bytes => self.low.pointer(),
            scalar => scalar,
        };
        let place = pointed(pointer, scalar, span);
        Ok(Some((Place { access: Access::Instruction, ..place }, scalar)))
    }

    /// The place in memory that an operand is, with all its bytes.
    pub fn whole_in_memory(&mut self, operand: &Operand) -> Result<Option<Place>> {
        let access = Access::Instruction;
        match operand {
            Operand::Number(n, _) => {
                let Located { at: At::Memory, target: Some(target), .. } = &self.operands[*n] else {
                    return Ok(None);
                };
                Ok(Some(Place { access, span: self.span, ..target.place.clone() }))
            }
            Operand::Pointed(n, 0) => {
                let Some(element) = self.low.hir.types.element(self.operands[*n].ty) else { return Ok(None) };
                let Some(pointer) = self.read(&Operand::Number(*n, None), 8)? else { return Ok(None) };
                let pointer = self.fit(pointer, self.low.pointer());
                let place = match self.low.storage(element) {
                    Some(_) => self.low.pointed_place(pointer, element, self.span)?,
                    None => pointed(pointer, super::instruction::word(1), self.span),
                };
                Ok(Some(Place { access, ..place }))
            }
            _ => Ok(None),
        }
    }

    /// The evaluated value of an operand, of which that many bytes count; `None` if it is unknown.
    pub fn read(&mut self, operand: &Operand, bytes: u64) -> Result<Option<Expr>> {
        if let Some((place, scalar)) = self.memory(operand, bytes)? {
            return Ok(Some(self.low.keep(read(place, scalar, self.span))));
        }
        Ok(match operand {
            Operand::Number(n, _) => match &self.operands[*n].at {
                At::Register(register) => {
                    let register = *register;
                    self.register(register, bytes)
                }
                At::Value(value) => Some(value.clone()),
                At::Memory | At::Flag(_) | At::Nowhere => None,
            },
            Operand::Constant(value) => Some(number(*value, SIGNED_WORD, self.span)),
            Operand::Register(letter, _) => {
                let register = self.hard_register(*letter);
                self.register(register, bytes)
            }
            Operand::Pointed(..) | Operand::Stack | Operand::Label(_) | Operand::Goto(_) => None,
        })
    }

    /// The register that an operand is.
    pub fn register_of(&mut self, operand: &Operand) -> Option<usize> {
        match operand {
            Operand::Number(n, _) => match self.operands[*n].at {
                At::Register(register) => Some(register),
                _ => None,
            },
            Operand::Register(letter, _) => Some(self.hard_register(*letter)),
            _ => None,
        }
    }

    /// Puts that many bytes into an operand; `None` if it cannot be written.
    pub fn write(&mut self, operand: &Operand, value: Expr, bytes: u64) -> Result<Option<()>> {
        if let Some((place, scalar)) = self.memory(operand, bytes)? {
            let value = self.fit(value, scalar);
            self.low.assign_place(place, value, self.span);
            return Ok(Some(()));
        }
        let register = self.register_of(operand);
        Ok(register.and_then(|register| self.set_bytes(register, value, bytes)))
    }
}

/// Whether a scalar can be accessed by an instruction of that many bytes.
pub fn is_word(scalar: Scalar, bytes: u64) -> bool {
    scalar.size() == bytes && matches!(scalar, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. })
}

/// Whether an operand of an instruction is, or leads to, one of the assembly's.
fn refers(operand: &Operand, n: usize) -> bool {
    matches!(operand, Operand::Number(m, _) | Operand::Pointed(m, _) if *m == n)
}

/// Whether any instruction uses an operand, by its number or by the register that it is in.
fn is_used(n: usize, constraint: &str, lines: &[Line]) -> bool {
    let implied = |i: &Instruction| match i.operation {
        Operation::CompareExchange | Operation::CompareExchangePair(_) | Operation::Clock => true,
        _ => i.operands.iter().any(|o| matches!(o, Operand::Register(..))),
    };
    let named = letter(constraint).is_some();
    instructions(lines).any(|i| i.operands.iter().any(|o| refers(o, n)) || named && implied(i))
}

/// The operand that an input shares its place with: `"0"` or `"[name]"`.
fn tied(constraint: &str, names: &Names<'_>) -> Option<usize> {
    let letters = letters(constraint);
    match letters.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(name) => names.operand(name),
        None => letters.parse().ok(),
    }
}

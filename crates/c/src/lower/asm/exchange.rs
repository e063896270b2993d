//! Instructions that exchange: `xchg`, which is locked in memory whether it says so or not, `xadd` and `cmpxchg`.

use super::Machine;
use super::flags::Flags;
use super::instruction::word;
use super::template::Instruction;
use crate::lower::Result;
use crate::lower::build::{binary, read, select};
use fencepost_ir::tree::{BinaryOp, Expr, RmwKind};

impl Machine<'_, '_> {
    pub fn exchange(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let [first, second] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        let (memory, other) = if self.is_memory(first) { (first, second) } else { (second, first) };
        let Some(value) = self.read(other, bytes)? else { return Ok(None) };
        let old = match self.memory(memory, bytes)? {
            Some((place, scalar)) if !self.is_memory(other) => {
                let value = self.fit(value, scalar);
                self.locked(RmwKind::Exchange, place, vec![value], scalar)
            }
            Some(_) => return Ok(None),
            None => {
                let Some(old) = self.read(memory, bytes)? else { return Ok(None) };
                if self.write(memory, value, bytes)?.is_none() {
                    return Ok(None);
                }
                old
            }
        };
        self.write(other, old, bytes)
    }

    pub fn fetch_add(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let [from, to] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        let Some(value) = self.read(from, bytes)? else { return Ok(None) };
        let span = self.span;
        let (old, value) = match self.number_in_memory(to, bytes)? {
            Some((place, scalar)) => {
                let value = self.fit(value, scalar);
                let value = self.low.keep(value);
                let old = if instruction.locked {
                    self.locked(RmwKind::Add, place, vec![value.clone()], scalar)
                } else {
                    let old = self.low.keep(read(place.clone(), scalar, span));
                    let new = self.low.operate_promoted(BinaryOp::Add, old.clone(), value.clone(), span);
                    self.low.assign_place(place, new, span);
                    old
                };
                (old, value)
            }
            None => {
                let Some(old) = self.read(to, bytes)? else { return Ok(None) };
                let (old, value) = (self.fit(old, word(bytes)), self.fit(value, word(bytes)));
                let new = self.low.operate_promoted(BinaryOp::Add, old.clone(), value.clone(), span);
                if self.write(to, new, bytes)?.is_none() {
                    return Ok(None);
                }
                (old, value)
            }
        };
        let new = self.low.operate_promoted(BinaryOp::Add, old.clone(), value, span);
        self.flags = Flags::Sum { old: old.clone(), new, carry: true };
        self.write(from, old, bytes)
    }

    /// `cmpxchg new, memory`: what is expected is in the register a, and so is what was found.
    pub fn compare_exchange(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let [new, to] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        let accumulator = self.hard_register('a');
        let (Some(expected), Some(new)) = (self.register(accumulator, bytes), self.read(new, bytes)?) else {
            return Ok(None);
        };
        let span = self.span;
        let in_memory = self.memory(to, bytes)?;
        let scalar = in_memory.as_ref().map_or(word(bytes), |(_, scalar)| *scalar);
        let (expected, new) = (self.fit(expected, scalar), self.fit(new, scalar));
        let (expected, new) = (self.low.keep(expected), self.low.keep(new));
        let is_same = |old: &Expr| binary(BinaryOp::Eq, old.clone(), expected.clone(), span);
        let old = match in_memory {
            Some((place, _)) if instruction.locked => {
                self.locked(RmwKind::CompareExchange, place, vec![expected.clone(), new], scalar)
            }
            Some((place, _)) => {
                // It writes in any case: what was there, if it is not what is expected.
                let old = self.low.keep(read(place.clone(), scalar, span));
                let written = select(is_same(&old), new, old.clone(), span);
                self.low.assign_place(place, written, span);
                old
            }
            None => {
                let Some(old) = self.read(to, bytes)? else { return Ok(None) };
                let old = self.fit(old, scalar);
                let written = self.low.folded(select(is_same(&old), new, old.clone(), span));
                if self.write(to, written, bytes)?.is_none() {
                    return Ok(None);
                }
                old
            }
        };
        self.flags = Flags::Zero(self.low.folded(is_same(&old)));
        Ok(self.set_bytes(accumulator, old, bytes))
    }
}

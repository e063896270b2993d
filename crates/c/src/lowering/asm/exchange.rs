//! Instructions that exchange: `xchg`, which is locked in memory whether it says so or not, `xadd`, `cmpxchg` and its
//! form for pairs.

use super::Machine;
use super::flags::Flags;
use super::instruction::word;
use super::template::{Instruction, Operand};
use crate::lowering::Result;
use crate::lowering::build::{binary, pointed, read, read_local, select, truth_value};
use fencepost_ir::tree::{BinaryOp, Block, Drain, Expr, Place, RmwKind, Stmt, StmtKind};
use fencepost_ir::{Access, Order, Scalar};

/// The registers of a pair: what is expected and found, and what is stored, the lower half first.
const EXPECTED: [char; 2] = ['a', 'd'];
const STORED: [char; 2] = ['b', 'c'];

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
                    let new = binary(BinaryOp::Add, old.clone(), value.clone(), span);
                    self.low.assign_place(place, new, span);
                    old
                };
                (old, value)
            }
            None => {
                let Some(old) = self.read(to, bytes)? else { return Ok(None) };
                let (old, value) = (self.fit(old, word(bytes)), self.fit(value, word(bytes)));
                let new = binary(BinaryOp::Add, old.clone(), value.clone(), span);
                if self.write(to, self.low.folded(new), bytes)?.is_none() {
                    return Ok(None);
                }
                (old, value)
            }
        };
        let new = self.low.folded(binary(BinaryOp::Add, old.clone(), value, span));
        self.flags = Flags::Sum { old: old.clone(), new, carry: true };
        self.write(from, old, bytes)
    }

    /// `cmpxchg new, memory`: what is expected is in the register a, and so is what was found.
    pub fn compare_exchange(&mut self, instruction: &Instruction) -> Result<Option<()>> {
        let [new, to] = &instruction.operands[..] else { return Ok(None) };
        let Some(bytes) = self.bytes(instruction) else { return Ok(None) };
        let Some(accumulator) = self.hard_register('a') else { return Ok(None) };
        let (Some(expected), Some(new)) = (self.register(accumulator), self.read(new, bytes)?) else {
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
        self.set_bytes(accumulator, old, bytes)
    }

    /// `cmpxchg8b` and `cmpxchg16b`: an atomic section on two halves.
    pub fn compare_exchange_pair(&mut self, instruction: &Instruction, bytes: u64) -> Result<Option<()>> {
        let ([memory], true) = (&instruction.operands[..], instruction.locked) else { return Ok(None) };
        let Some(halves) = self.halves(memory, bytes)? else { return Ok(None) };
        let (Some(expected), Some(new)) = (self.held(EXPECTED, &halves), self.held(STORED, &halves)) else {
            return Ok(None);
        };
        let span = self.span;
        let old = halves.each_ref().map(|(_, scalar)| self.low.temporary(*scalar, span));
        let same = self.low.temporary(Scalar::Bool, span);
        let is_same = read_local(same, Scalar::Bool, span);
        let found = [0, 1].map(|i| read_local(old[i], halves[i].1, span));
        let body = self.low.block_of(|low| {
            let mut equal = truth_value(true, span);
            for (i, (place, scalar)) in halves.iter().enumerate() {
                low.set_local(old[i], read(place.clone(), *scalar, span), span);
                let eq = binary(BinaryOp::Eq, found[i].clone(), expected[i].clone(), span);
                equal = low.folded(binary(BinaryOp::And, equal, eq, span));
            }
            low.set_local(same, equal, span);
            let stores = halves.into_iter().zip(new).map(|((place, _), new)| StmtKind::Assign(place, new));
            let then = Block(stores.map(|kind| Stmt { kind, span }).collect());
            low.emit(StmtKind::If(is_same.clone(), then, Block::default()), span);
            Ok(())
        })?;
        self.low.emit(StmtKind::Atomic(Drain::Yes, body), span);
        self.flags = Flags::Zero(is_same);
        for (letter, found) in EXPECTED.into_iter().zip(found) {
            let Some(register) = self.hard_register(letter) else { return Ok(None) };
            if self.set_bytes(register, found, bytes)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// What two registers hold, as what is in memory.
    fn held(&mut self, letters: [char; 2], halves: &[(Place, Scalar); 2]) -> Option<[Expr; 2]> {
        let mut held = Vec::new();
        for (letter, (_, scalar)) in letters.into_iter().zip(halves) {
            let register = self.hard_register(letter)?;
            let value = self.register(register)?;
            let value = self.fit(value, *scalar);
            held.push(self.low.keep(value));
        }
        held.try_into().ok()
    }

    /// The halves of a pair in memory: scalars of C's own, if it has two, else words, by which pointers may become numbers.
    fn halves(&mut self, memory: &Operand, bytes: u64) -> Result<Option<[(Place, Scalar); 2]>> {
        let Some(place) = self.whole_in_memory(memory)? else { return Ok(None) };
        let span = self.span;
        if let Some(storage) = self.low.place_type(&place) {
            let records = &self.low.program.records;
            let own: Vec<_> = match records.size(&storage) == 2 * bytes && !records.has_union(&storage) {
                true => self.low.scalars_of(&place, &storage, span)?,
                false => Vec::new(),
            };
            if let [(_, low, first), (_, high, second)] = &own[..]
                && [*first, *second].iter().all(|scalar| super::operand::is_word(*scalar, bytes))
            {
                return Ok(Some([(low.clone(), *first), (high.clone(), *second)]));
            }
        }
        self.low.program.exposes_pointers = true;
        let pointer = self.low.address(place, span);
        let pointer = self.low.keep_unless_stable(pointer);
        let halves = [0, bytes as i64].map(|by| {
            let distance = crate::lowering::build::number(by, self.low.distance_scalar(), span);
            let pointer =
                if by == 0 { pointer.clone() } else { self.low.moved_by(pointer.clone(), distance, span) };
            let place = pointed(pointer, word(bytes), span);
            (Place { access: Access::Atomic(Order::Relaxed), ..place }, word(bytes))
        });
        Ok(Some(halves))
    }
}

//! `cmpxchg8b` and `cmpxchg16b`: a compare-exchange of two halves, in an atomic section.

use super::Machine;
use super::flags::Flags;
use super::instruction::word;
use super::operand::is_word;
use super::template::{Instruction, Operand};
use crate::lower::Result;
use crate::lower::build::{binary, number, pointed, read, read_local, truth_value};
use fencepost_ir::tree::{BinaryOp, Block, Drain, Expr, Place, Stmt, StmtKind};
use fencepost_ir::{Access, Scalar};

/// The registers of what is expected and found, the lower half first.
const EXPECTED: [char; 2] = ['a', 'd'];

/// The registers of what is stored.
const STORED: [char; 2] = ['b', 'c'];

/// A half of a pair in memory, and its type.
type Half = (Place, Scalar);

impl Machine<'_, '_> {
    pub fn compare_exchange_pair(&mut self, instruction: &Instruction, bytes: u64) -> Result<Option<()>> {
        let ([memory], true) = (&instruction.operands[..], instruction.locked) else { return Ok(None) };
        let Some(halves) = self.halves(memory, bytes)? else { return Ok(None) };
        let span = self.span;
        // What is stored over itself is a load, whatever is expected.
        let only_loads = !self.needs_flags && {
            let [a, d, b, c] = ['a', 'd', 'b', 'c'].map(|letter| self.hard_register(letter));
            self.hold_same(a, b) && self.hold_same(d, c)
        };
        let old = halves.each_ref().map(|(_, scalar)| self.low.temporary(*scalar, span));
        let found = [0, 1].map(|i| read_local(old[i], halves[i].1, span));
        let loads = |i: usize| {
            let (place, scalar): &Half = &halves[i];
            let to = Place::variable(fencepost_ir::tree::VarRef::Local(old[i]), span);
            Stmt { kind: StmtKind::Assign(to, read(place.clone(), *scalar, span)), span }
        };
        let mut section = Block([0, 1].map(loads).to_vec());
        if !only_loads {
            let (expected, new) = (self.held(EXPECTED, &halves), self.held(STORED, &halves));
            let (Some(expected), Some(new)) = (expected, new) else { return Ok(None) };
            let same = self.low.temporary(Scalar::Bool, span);
            let is_same = read_local(same, Scalar::Bool, span);
            let equal = found.iter().zip(expected).fold(truth_value(true, span), |all, (found, expected)| {
                let eq = binary(BinaryOp::Eq, found.clone(), expected, span);
                self.low.folded(binary(BinaryOp::And, all, eq, span))
            });
            let compares = self.low.block_of(|low| {
                low.set_local(same, equal, span);
                let stores =
                    halves.into_iter().zip(new).map(|((place, _), new)| StmtKind::Assign(place, new));
                let then = Block(stores.map(|kind| Stmt { kind, span }).collect());
                low.emit(StmtKind::If(is_same.clone(), then, Block::default()), span);
                Ok(())
            })?;
            section.0.extend(compares.0);
            self.flags = Flags::Zero(is_same);
        }
        self.low.emit(StmtKind::Atomic(Drain::Yes, section), span);
        for (letter, found) in EXPECTED.into_iter().zip(found) {
            let register = self.hard_register(letter);
            if self.set_bytes(register, found, bytes).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// What two registers hold, as what is in memory.
    fn held(&mut self, letters: [char; 2], halves: &[Half; 2]) -> Option<[Expr; 2]> {
        let mut held = Vec::new();
        for (letter, (_, scalar)) in letters.into_iter().zip(halves) {
            let register = self.hard_register(letter);
            let value = self.register(register, scalar.size())?;
            let value = self.fit(value, *scalar);
            held.push(self.low.keep(value));
        }
        held.try_into().ok()
    }

    /// The halves of a pair in memory: scalars of C's own, if it has two, else words.
    fn halves(&mut self, memory: &Operand, bytes: u64) -> Result<Option<[Half; 2]>> {
        let Some(place) = self.whole_in_memory(memory)? else { return Ok(None) };
        let span = self.span;
        if let Some(storage) = self.low.place_type(&place) {
            let records = &self.low.program.records;
            let own: Vec<_> = match records.size(&storage) == 2 * bytes && !records.has_union(&storage) {
                true => self.low.scalars_of(&place, &storage, span)?,
                false => Vec::new(),
            };
            if let [(_, low, first), (_, high, second)] = &own[..]
                && [*first, *second].iter().all(|scalar| is_word(*scalar, bytes))
            {
                return Ok(Some([(low.clone(), *first), (high.clone(), *second)]));
            }
        }
        let pointer = self.low.address(place, span);
        let pointer = self.low.keep_unless_stable(pointer);
        let halves = [0, bytes as i64].map(|by| {
            let distance = number(by, self.low.distance_scalar(), span);
            let pointer = match by {
                0 => pointer.clone(),
                _ => self.low.moved_by(pointer.clone(), distance, span),
            };
            let place = pointed(pointer, word(bytes), span);
            (Place { access: Access::Instruction, ..place }, word(bytes))
        });
        Ok(Some(halves))
    }
}

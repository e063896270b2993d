//! Registers: values while the code is straight, variables where it jumps inside.
//!
//! A register that nothing was put into holds anything. Eight bytes that are written are the whole register, four fill it
//! with zeros, fewer leave the rest as it was.

use super::Machine;
use super::instruction::word;
use crate::lower::build::{any, anything, binary, number, read_local, with_number};
use crate::lower::types::WORD;
use fencepost_ir::Scalar;
use fencepost_ir::tree::{BinaryOp, Expr, LocalId};

/// A register that operands are in.
pub struct Register {
    /// The letter that constraints have for it, if they say which one it is.
    pub letter: Option<char>,
    /// What a variable that stands for it holds.
    pub scalar: Scalar,
    /// The bytes of the outputs that are in it.
    pub given: u64,
    /// What it holds, if anything was put into it.
    pub value: Option<Expr>,
    /// If nothing was put into it: the register that first held the same.
    pub unknown: usize,
    /// How many bytes of the value count; the others keep their earlier value, which is not used.
    pub known: u64,
    /// The variable that holds it, where the code jumps inside.
    pub local: Option<LocalId>,
    /// Whether an instruction has put something into it.
    pub written: bool,
}

impl Machine<'_, '_> {
    pub fn new_register(&mut self, letter: Option<char>, scalar: Scalar, given: u64) -> usize {
        let (unknown, value, local) = (self.registers.len(), None, None);
        self.registers.push(Register {
            letter,
            scalar,
            given,
            value,
            unknown,
            known: 8,
            local,
            written: false,
        });
        self.registers.len() - 1
    }

    /// The register of a letter, if it is used.
    pub fn known_register(&self, letter: char) -> Option<usize> {
        self.registers.iter().position(|register| register.letter == Some(letter))
    }

    /// The register of a letter.
    pub fn hard_register(&mut self, letter: char) -> usize {
        match self.known_register(letter) {
            Some(register) => register,
            None => self.new_register(Some(letter), WORD, 0),
        }
    }

    /// What a register holds, evaluated, if that many bytes of it are known. What nothing was put into holds anything,
    /// which is chosen now, for all registers that hold the same.
    pub fn register(&mut self, n: usize, bytes: u64) -> Option<Expr> {
        let Register { known, unknown, scalar, .. } = self.registers[n];
        match self.registers[n].value.clone() {
            Some(_) if bytes > known => None,
            Some(value) if self.jumps => Some(self.low.keep(value)),
            Some(value) => Some(value),
            None => {
                let value = self.low.keep(any(anything(scalar)?, scalar, self.span));
                for same in 0..self.registers.len() {
                    if self.registers[same].value.is_none() && self.registers[same].unknown == unknown {
                        self.put(same, value.clone());
                    }
                }
                Some(value)
            }
        }
    }

    /// Whether two registers hold the same, whatever it is.
    pub fn hold_same(&self, l: usize, r: usize) -> bool {
        let (l, r) = (&self.registers[l], &self.registers[r]);
        match (&l.value, &r.value) {
            (Some(l), Some(r)) => l == r,
            (None, None) => l.unknown == r.unknown,
            _ => false,
        }
    }

    /// Puts what a register holds that nothing was put into into another one; whether it was so.
    pub fn copy_unknown(&mut self, from: usize, to: usize) -> bool {
        if self.registers[from].value.is_some() || self.jumps {
            return false;
        }
        self.registers[to].value = None;
        self.registers[to].unknown = self.registers[from].unknown;
        true
    }

    /// Puts what an operand holds at first into its register.
    pub fn fill_register(&mut self, n: usize, value: Expr) {
        let value = self.low.keep(value);
        self.put(n, value);
    }

    /// Puts a value into the whole of a register.
    pub fn set_register(&mut self, n: usize, value: Expr) {
        self.registers[n].written = true;
        self.put(n, value);
    }

    fn put(&mut self, n: usize, value: Expr) {
        self.registers[n].known = 8;
        if !self.jumps {
            let value = self.low.keep(value);
            self.registers[n].value = Some(value);
            return;
        }
        let scalar = self.registers[n].scalar;
        let local = match self.registers[n].local {
            Some(local) => local,
            None => {
                let local = self.low.temporary(scalar, self.span);
                self.registers[n].local = Some(local);
                local
            }
        };
        let value = self.fit(value, scalar);
        self.low.set_local(local, value, self.span);
        self.registers[n].value = Some(read_local(local, scalar, self.span));
    }

    /// Puts the lower bytes of a value into a register; `None` if the others are not known.
    pub fn set_bytes(&mut self, n: usize, value: Expr, bytes: u64) -> Option<()> {
        let is_whole = value.ty.size() == bytes && !matches!(value.ty, Scalar::Int(int) if int.signed);
        let value = if is_whole { value } else { self.fit(value, word(bytes)) };
        if bytes >= 4 {
            self.set_register(n, value);
            return Some(());
        }
        // The rest is never used.
        if bytes >= self.registers[n].given && !self.jumps {
            self.set_register(n, value);
            self.registers[n].known = bytes;
            return Some(());
        }
        let old = self.register(n, 8)?;
        let old = self.fit(old, WORD);
        let rest = with_number(BinaryOp::BitAnd, old, !((1 << (bytes * 8)) - 1), self.span);
        let value = self.fit(value, WORD);
        let whole = self.low.folded(binary(BinaryOp::BitOr, rest, value, self.span));
        self.set_register(n, whole);
        Some(())
    }

    /// A value as one of another scalar type.
    pub fn fit(&mut self, value: Expr, to: Scalar) -> Expr {
        let span = self.span;
        if value.ty == to {
            return value;
        }
        match to {
            Scalar::Bool => self.low.truth(value, span),
            _ => {
                let value = self.low.recast(value, to, span);
                self.low.folded(value)
            }
        }
    }

    /// A number of that many bytes.
    pub fn constant(&self, value: i64, bytes: u64) -> Expr {
        number(value, word(bytes), self.span)
    }
}

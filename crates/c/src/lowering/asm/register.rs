//! Registers: values while the code is straight, variables where it jumps inside.

use super::Machine;
use crate::lowering::Result;
use crate::lowering::build::{any, anything, binary, number, read_local, with_number};
use crate::lowering::types::WORD;
use fencepost_ir::tree::{BinaryOp, Expr, LocalId};
use fencepost_ir::{IntType, Scalar};

/// A register that operands are in.
pub struct Register {
    /// The letter that constraints have for it, if they say which one it is.
    pub letter: Option<char>,
    /// What it is for: values of operands of one type, or words.
    pub scalar: Scalar,
    /// What it holds, if anything was put into it.
    pub value: Option<Expr>,
    /// The variable that holds it, where the code jumps inside.
    pub local: Option<LocalId>,
    /// Whether an instruction has put something into it.
    pub written: bool,
}

impl Machine<'_, '_> {
    pub fn new_register(&mut self, letter: Option<char>, scalar: Scalar) -> usize {
        self.registers.push(Register { letter, scalar, value: None, local: None, written: false });
        self.registers.len() - 1
    }

    /// The register of a letter, if an operand is in it.
    pub fn hard_register(&self, letter: char) -> Option<usize> {
        self.registers.iter().position(|register| register.letter == Some(letter))
    }

    /// What a register holds, evaluated; `None` if nothing was put into it.
    pub fn register(&mut self, n: usize) -> Option<Expr> {
        let value = self.registers[n].value.clone()?;
        Some(if self.jumps { self.low.keep(value) } else { value })
    }

    /// Puts what an operand holds at first into its register.
    pub fn fill_register(&mut self, n: usize, value: Expr) {
        let value = self.fit(value, self.registers[n].scalar);
        self.put(n, value);
    }

    /// Puts a value of its type into a register.
    pub fn set_register(&mut self, n: usize, value: Expr) {
        self.registers[n].written = true;
        self.put(n, value);
    }

    fn put(&mut self, n: usize, value: Expr) {
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
        self.low.set_local(local, value, self.span);
        self.registers[n].value = Some(read_local(local, scalar, self.span));
    }

    /// Puts the lower bytes of a value into a register. Four fill it with zeros, fewer leave the others as they are.
    pub fn set_bytes(&mut self, n: usize, value: Expr, bytes: u64) -> Result<Option<()>> {
        let scalar = self.registers[n].scalar;
        if bytes >= scalar.size() {
            let value = self.fit(value, scalar);
            self.set_register(n, value);
            return Ok(Some(()));
        }
        let value = self.fit(value, Scalar::Int(IntType { bits: bytes as u8 * 8, signed: false }));
        if bytes == 4 {
            let value = self.fit(value, scalar);
            self.set_register(n, value);
            return Ok(Some(()));
        }
        let old = match (self.register(n), anything(scalar)) {
            (Some(old), _) => old,
            (None, Some(choices)) => self.low.keep(any(choices, scalar, self.span)),
            (None, None) => return Ok(None),
        };
        let old = self.fit(old, WORD);
        let rest = with_number(BinaryOp::BitAnd, old, !((1 << (bytes * 8)) - 1), self.span);
        let value = self.fit(value, WORD);
        let whole = self.low.folded(binary(BinaryOp::BitOr, rest, value, self.span));
        let whole = self.fit(whole, scalar);
        self.set_register(n, whole);
        Ok(Some(()))
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
        number(value, Scalar::Int(IntType { bits: bytes as u8 * 8, signed: false }), self.span)
    }
}

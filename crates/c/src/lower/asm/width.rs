//! What an instruction works on: how many bytes, and whether they are pointers.

use super::operand::{At, may_be_immediate};
use super::template::{Instruction, Operand};
use super::{Machine, Operation};
use fencepost_ir::Scalar;
use fencepost_ir::tree::Expr;

impl Machine<'_, '_> {
    /// Whether an instruction moves pointers: then what it accesses is one, by whatever name.
    pub fn moves_pointers(&self, instruction: &Instruction) -> bool {
        let mut values = Vec::new();
        for operand in &instruction.operands {
            match operand {
                Operand::Number(n, _) => match &self.operands[*n].at {
                    At::Register(register) => match &self.registers[*register].value {
                        Some(value) => values.push(value.clone()),
                        None if self.low.hir.types.is_pointer(self.operands[*n].ty) => return true,
                        None => return false,
                    },
                    At::Value(value) => values.push(value.clone()),
                    At::Memory | At::Flag(_) | At::Nowhere => {}
                },
                Operand::Register(letter, _) => values.extend(self.held_by(*letter)),
                _ => {}
            }
        }
        match instruction.operation {
            Operation::CompareExchange => values.extend(self.held_by('a')),
            Operation::Move | Operation::Exchange | Operation::Compare => {}
            _ => return false,
        }
        let is_pointer = |value: &Expr| matches!(value.ty, Scalar::Pointer { .. });
        values.iter().any(is_pointer) && values.iter().all(|v| is_pointer(v) || self.low.fold(v) == Some(0))
    }

    fn held_by(&self, letter: char) -> Option<Expr> {
        self.registers[self.known_register(letter)?].value.clone()
    }

    /// The bytes that an instruction works on: its name says so, or a register, or what is in memory.
    pub fn bytes(&self, instruction: &Instruction) -> Option<u64> {
        let said = |operand: &Operand| match operand {
            Operand::Number(_, bytes) => *bytes,
            Operand::Register(_, bytes) => Some(*bytes),
            _ => None,
        };
        let register = |operand: &Operand| match operand {
            Operand::Number(n, _) => match &self.operands[*n].at {
                At::Register(_) => self.low.hir.types.size(self.operands[*n].ty),
                At::Value(value) if may_be_immediate(self.operands[*n].constraint) => {
                    self.low.fold(value).is_none().then(|| value.ty.size())
                }
                At::Value(value) => Some(value.ty.size()),
                At::Memory | At::Flag(_) | At::Nowhere => None,
            },
            _ => None,
        };
        let memory = |operand: &Operand| match operand {
            Operand::Number(n, _) => self.low.scalar_type(self.operands[*n].ty).map(Scalar::size),
            Operand::Pointed(n, _) => {
                let element = self.low.hir.types.element(self.operands[*n].ty)?;
                self.low.scalar_type(element).map(Scalar::size)
            }
            _ => None,
        };
        let operands = &instruction.operands;
        let by = |find: &dyn Fn(&Operand) -> Option<u64>| operands.iter().find_map(find);
        let bytes = instruction.bytes.or_else(|| by(&said)).or_else(|| by(&register)).or_else(|| by(&memory));
        bytes.filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8))
    }
}

//! Inline assembly: its operands; what the instructions mean is said where it is lowered.

use super::place::Operand;
use super::{Checker, Result};
use crate::ast;
use crate::hir::{Asm, AsmInput, AsmOperand, AsmOutput};

/// Whether a constraint lets an operand be in memory and nowhere else.
fn is_memory(constraint: &str) -> bool {
    constraint.contains('m') && !constraint.contains('r')
}

impl<'a> Checker<'a> {
    pub fn asm(&mut self, asm: &'a ast::Asm) -> Result<Asm> {
        let mut outputs = Vec::new();
        for output in &asm.outputs {
            let name = output.name.as_ref().map(|name| name.text.clone());
            let constraint = output.constraint.clone();
            // Old programs cast what they get.
            let mut target = &output.expr;
            while let ast::ExprKind::Cast(_, inner) = &target.kind {
                target = inner;
            }
            let place = self.place(target)?;
            outputs.push(AsmOutput { name, constraint, place });
        }
        let mut inputs = Vec::new();
        for input in &asm.inputs {
            let name = input.name.as_ref().map(|name| name.text.clone());
            let constraint = input.constraint.clone();
            let operand = match self.operand(&input.expr)? {
                Operand::Place(place) if is_memory(&constraint) => AsmOperand::Place(place),
                operand => AsmOperand::Value(self.read(operand)?),
            };
            inputs.push(AsmInput { name, constraint, operand });
        }
        let labels = asm.labels.iter().map(|label| self.used_label(label)).collect();
        Ok(Asm {
            template: asm.template.text(),
            outputs,
            inputs,
            clobbers: asm.clobbers.clone(),
            labels,
            is_goto: asm.is_goto,
            span: asm.span,
        })
    }
}

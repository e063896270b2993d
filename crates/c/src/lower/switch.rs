//! A switch is a row of comparisons that jump to the cases; it says that it was one ([`Form`]), for trees that are printed
//! as C.

use super::build::{binary, number};
use super::jump::{Jumps, To};
use super::{Lowerer, Result, Value};
use crate::hir;
use fencepost_ir::Span;
use fencepost_ir::tree::{BinaryOp, Block, Expr, Form, Stmt, StmtKind, forms};
use fencepost_text::Diagnostic;

impl<'h> Lowerer<'h> {
    pub fn switch(&mut self, switch: &'h hir::Switch, span: Span) -> Result<()> {
        let value = match self.value(&switch.value)? {
            Value::Scalar(value) => value,
            Value::Record(_) | Value::Void => {
                let message = "a switch on 128 bits is not supported";
                return Err(Diagnostic::new(self.at(switch.value.span), message));
            }
        };
        let start = self.mark();
        let value = self.keep(value);
        let end = self.fresh_label("end");
        let labels: Vec<String> = switch.cases.iter().map(|_| self.fresh_label("case")).collect();
        self.frame().switches.push(labels.clone());
        let cleanups = self.frame().cleanups.len();
        self.frame().jumps.push(Jumps { leave: To::Label(end.clone()), again: None, cleanups });
        let inner = self.block_of(|this| this.nested(&switch.body));
        self.frame().jumps.pop();
        self.frame().switches.pop();
        let inner = inner?;
        let mut default = end.clone();
        for (case, label) in switch.cases.iter().zip(labels) {
            match case.values {
                Some((from, to)) => self.case(&value, from, to, label, self.at(case.span)),
                None => default = label,
            }
        }
        self.emit(StmtKind::Goto(default), span);
        self.append(inner);
        self.emit(StmtKind::Label(end), span);
        let whole = Block(self.body.out.split_off(start));
        match forms::switch(&whole).is_some() {
            true => self.emit_formed(Form::Switch, whole),
            false => self.append(whole),
        }
        Ok(())
    }

    fn case(&mut self, value: &Expr, from: i128, to: i128, label: String, span: Span) {
        let within = |op, bound: i128| {
            let bound = number(bound as i64, value.ty, span);
            self.folded(binary(op, value.clone(), bound, span))
        };
        let test = match from == to {
            true => within(BinaryOp::Eq, from),
            false => binary(BinaryOp::And, within(BinaryOp::Ge, from), within(BinaryOp::Le, to), span),
        };
        let jump = Block(vec![Stmt { kind: StmtKind::Goto(label), span }]);
        self.emit(StmtKind::If(test, jump, Block::default()), span);
    }
}

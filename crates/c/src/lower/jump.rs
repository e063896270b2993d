//! Jumps: `break`, `continue`, `goto`, also by address, and what has to be done for variables that a jump leaves behind.
//!
//! A label's address is a number that the function gives to it, in the order of its labels, counted from 1: words that near
//! to null point to nothing, so that following one is an error. A jump compares with each of them.
//!
//! A variable with the attribute `cleanup` has a function called with its address when its scope is left, the youngest
//! variable first; leaving by `goto` is refused.

use super::body::Slot;
use super::build::{binary, number, truth_value};
use super::{Lowerer, Result, Value};
use crate::hir::{self, FunctionId, LabelId};
use fencepost_ir::Claim;
use fencepost_ir::Span;
use fencepost_ir::tree::{BinaryOp, Block, Expr, Place, Stmt, StmtKind, VarRef};

/// Where `break` and `continue` lead.
pub struct Jumps {
    pub leave: To,
    pub again: Option<To>,
    /// How many variables are in scope outside that something is called with when they go.
    pub cleanups: usize,
}

/// How to get there.
#[derive(Clone)]
pub enum To {
    /// The program's own `break` or `continue`.
    Loop,
    Label(String),
}

/// A variable that is in scope, and what is called with its address.
#[derive(Clone)]
pub struct Cleanup {
    pub local: hir::LocalId,
    pub function: FunctionId,
    pub span: Span,
}

impl<'h> Lowerer<'h> {
    pub fn break_out(&mut self, span: Span) -> Result<()> {
        let jumps = self.frame().jumps.last().expect("`break` stands in a loop or switch");
        let (to, cleanups) = (jumps.leave.clone(), jumps.cleanups);
        self.jump(to, cleanups, StmtKind::Break, span)
    }

    pub fn continue_on(&mut self, span: Span) -> Result<()> {
        let loops = self.frame().jumps.iter().rev().find_map(|j| Some((j.again.clone()?, j.cleanups)));
        let (to, cleanups) = loops.expect("`continue` stands in a loop");
        self.jump(to, cleanups, StmtKind::Continue, span)
    }

    fn jump(&mut self, to: To, cleanups: usize, plain: StmtKind, span: Span) -> Result<()> {
        self.clean_up(cleanups)?;
        match to {
            To::Loop => self.emit(plain, span),
            To::Label(label) => self.emit(StmtKind::Goto(label), span),
        }
        Ok(())
    }

    /// What a label is called in the program: as in the text, unless that is taken.
    pub fn label_name(&mut self, label: LabelId) -> String {
        if let Some(name) = self.frame().labels.get(&label) {
            return name.clone();
        }
        let written = &self.hir_body().labels[label].name;
        let is_taken = self.is_inlined() || !self.frame().label_names.insert(written.clone());
        let name = if is_taken { self.fresh_label(written) } else { written.clone() };
        self.frame().labels.insert(label, name.clone());
        name
    }

    /// The labels of a function whose addresses are taken.
    fn addressed_labels(body: &hir::Body) -> Vec<LabelId> {
        let addressed = body.labels.iter_enumerated().filter(|(_, label)| label.addressed);
        addressed.map(|(id, _)| id).collect()
    }

    /// `&&label`, in a function or in the initialiser of one of its variables.
    pub fn label_address(&mut self, label: LabelId, span: Span) -> Expr {
        let function = self.body.frames.last().map(|frame| frame.body).or(self.globals.function);
        let labels = function.map(Self::addressed_labels).unwrap_or_default();
        let position = labels.iter().position(|l| *l == label).expect("its address is taken");
        number(position as i64 + 1, self.pointer(), span)
    }

    /// `goto *p`
    pub fn computed_goto(&mut self, target: &'h hir::Expr, span: Span) -> Result<()> {
        let target = self.scalar(target)?;
        let target = self.keep(target);
        for (i, label) in Self::addressed_labels(self.hir_body()).into_iter().enumerate() {
            let test = binary(BinaryOp::Eq, target.clone(), number(i as i64 + 1, target.ty, span), span);
            let name = self.label_name(label);
            let jump = Block(vec![Stmt { kind: StmtKind::Goto(name), span }]);
            self.emit(StmtKind::If(test, jump, Block::default()), span);
        }
        let wild = wild_call(span);
        self.append(wild);
        self.emit(StmtKind::Halt, span);
        Ok(())
    }

    /// Calls what belongs to the variables from the given one on, the last first.
    pub fn clean_up(&mut self, from: usize) -> Result<()> {
        let leaving = self.frame().cleanups.get(from..).unwrap_or_default().to_vec();
        for Cleanup { local, function, span } in leaving.into_iter().rev() {
            let place = match self.slot(local).cloned().expect("it is in scope") {
                Slot::Local(id) => Place::variable(VarRef::Local(id), span),
                Slot::Pointed(id, storage) => {
                    let address = super::build::read_local(id, self.pointer(), span);
                    super::build::pointed(address, storage, span)
                }
                Slot::Alias(_) => panic!("parameters have no cleanups"),
            };
            let address = self.address(place, span);
            if let Value::Scalar(value) = self.call_procedure(function, vec![address], span)? {
                self.discard(value);
            }
        }
        Ok(())
    }
}

/// What happens when a pointer points to nothing that fits.
pub fn wild_call(span: Span) -> Block {
    Block(vec![Stmt { kind: StmtKind::Assert(truth_value(false, span), Claim::Target), span }])
}

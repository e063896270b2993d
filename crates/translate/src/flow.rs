//! What is known of a block without running it: whether a round surely may end in it, so that a loop does not keep others
//! from running; where its jumps lead.

use crate::body::Body;
use crate::value::Access;
use fencepost_ir::tree::{Block, Expr, ExprKind, Fence, FenceKind, Stmt, StmtKind};

impl Body<'_> {
    /// Whether every way through the block passes a place where a round may end.
    pub fn surely_switches(&self, block: &Block) -> bool {
        for stmt in &block.0 {
            match &stmt.kind {
                StmtKind::Assign(place, _) if !matches!(self.access(place), Access::Direct) => return true,
                StmtKind::Fence(Fence::Machine(FenceKind::Full))
                | StmtKind::Lock(_)
                | StmtKind::Unlock(_)
                | StmtKind::Assume(_)
                | StmtKind::Join(..)
                | StmtKind::Return(_)
                | StmtKind::Break
                | StmtKind::Goto(_) => return true,
                StmtKind::If(condition, ..) | StmtKind::While(condition, _)
                    if self.reads_memory(condition) =>
                {
                    return true;
                }
                StmtKind::Declare(_, Some(e))
                | StmtKind::Assign(_, e)
                | StmtKind::Assert(e, _)
                | StmtKind::Eval(e)
                    if self.reads_memory(e) =>
                {
                    return true;
                }
                StmtKind::Skip
                | StmtKind::Label(_)
                | StmtKind::Declare(..)
                | StmtKind::Assign(..)
                | StmtKind::Assert(..)
                | StmtKind::Eval(_)
                | StmtKind::Fence(_) => {}
                StmtKind::Block(_, inner) if self.surely_switches(inner) => return true,
                _ => return false,
            }
        }
        false
    }

    /// Whether evaluating it begins with an access to memory, whatever its value.
    fn reads_memory(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Read(place) => {
                !self.is_unseen(place) || place.expressions().any(|e| self.reads_memory(e))
            }
            ExprKind::Unary(_, arg) | ExprKind::Convert(_, arg) => self.reads_memory(arg),
            ExprKind::Binary(op, left, right) => {
                use fencepost_ir::tree::BinaryOp::{And, Or};
                self.reads_memory(left) || (!matches!(op, And | Or) && self.reads_memory(right))
            }
            ExprKind::Select(condition, ..) => self.reads_memory(condition),
            ExprKind::Rmw(..) | ExprKind::Spawn(..) => true,
            _ => false,
        }
    }
}

/// Whether a label is in the statement.
pub fn has_label(stmt: &Stmt) -> bool {
    let mut found = false;
    Block(vec![stmt.clone()]).visit(&mut |stmt| found |= matches!(stmt.kind, StmtKind::Label(_)));
    found
}

//! Whether a function may come to its end without returning.

use super::Lowerer;
use crate::hir::{
    Block, Callee, Expr, ExprKind, FunctionId, Intrinsic, Loop, LoopKind, Stmt, StmtKind, Switch,
};

impl Lowerer<'_> {
    /// Whether a function with a scalar result may come to its end without one.
    pub fn falls_off(&self, function: FunctionId) -> bool {
        let function = &self.hir.functions[function];
        let result = self.hir.types.function(function.ty).map(|ty| ty.result);
        result.is_some_and(|ty| self.scalar_type(ty).is_some())
            && function.body.as_ref().is_some_and(|body| may_complete(&body.block))
    }
}

/// Whether the end of a block can be come to, as far as its shape tells.
fn may_complete(block: &Block) -> bool {
    let jumped_over = block.items.iter().any(has_label);
    let mut ends = false;
    for stmt in &block.items {
        ends = if jumped_over { !completes(stmt) } else { ends || !completes(stmt) };
    }
    !ends
}

fn completes(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::GotoComputed(_) => false,
        StmtKind::Block(block) => may_complete(block),
        StmtKind::If(test, then, otherwise) => match test.kind {
            ExprKind::Const(0) => may_complete(otherwise),
            ExprKind::Const(_) => may_complete(then),
            _ => may_complete(then) || may_complete(otherwise),
        },
        StmtKind::Loop(l) => loop_completes(l),
        StmtKind::Switch(switch) => switch_completes(switch),
        StmtKind::Expr(e) => !never_returns(e),
        StmtKind::Continue
        | StmtKind::Break
        | StmtKind::Declare(..)
        | StmtKind::Label(_)
        | StmtKind::Case(_)
        | StmtKind::Asm(_)
        | StmtKind::Start(_) => true,
    }
}

fn loop_completes(l: &Loop) -> bool {
    let for_ever = l.condition.as_ref().is_none_or(|e| matches!(e.kind, ExprKind::Const(n) if n != 0));
    let runs_out = match l.kind {
        LoopKind::DoWhile => !for_ever && may_complete(&l.body),
        LoopKind::While | LoopKind::For => !for_ever,
    };
    runs_out || l.body.items.iter().any(has_break)
}

fn switch_completes(switch: &Switch) -> bool {
    let has_default = switch.cases.iter().any(|case| case.values.is_none());
    !has_default || switch.body.items.iter().any(has_break) || may_complete(&switch.body)
}

/// Whether a statement leaves the loop or switch around it.
fn has_break(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::Block(block) => block.items.iter().any(has_break),
        StmtKind::If(_, then, otherwise) => then.items.iter().chain(&otherwise.items).any(has_break),
        _ => false,
    }
}

fn has_label(stmt: &Stmt) -> bool {
    let in_block = |block: &Block| block.items.iter().any(has_label);
    match &stmt.kind {
        StmtKind::Label(_) | StmtKind::Case(_) => true,
        StmtKind::Block(block) => in_block(block),
        StmtKind::If(_, then, otherwise) => in_block(then) || in_block(otherwise),
        StmtKind::Loop(l) => in_block(&l.body),
        StmtKind::Switch(switch) => in_block(&switch.body),
        _ => false,
    }
}

/// Whether an expression is a call that does not come back.
fn never_returns(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call(Callee::Intrinsic(intrinsic), _) => {
            matches!(intrinsic, Intrinsic::Exit | Intrinsic::Halt | Intrinsic::ExitThread | Intrinsic::Fail)
        }
        ExprKind::Convert(_, arg) => never_returns(arg),
        _ => false,
    }
}

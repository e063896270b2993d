//! One walk over everything in a program: override what is of interest, and call the `walk_` function to continue inside.

use super::*;

/// Sees statements, values and places, outer ones first, in the order of the text.
pub trait Visitor {
    fn statement(&mut self, stmt: &Stmt) {
        walk_statement(self, stmt);
    }

    fn expression(&mut self, e: &Expr) {
        walk_expression(self, e);
    }

    fn place(&mut self, place: &Place) {
        walk_place(self, place);
    }

    fn block(&mut self, block: &Block) {
        block.items.iter().for_each(|stmt| self.statement(stmt));
    }

    fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::None => {}
            Initializer::Value(e) => self.expression(e),
            Initializer::Parts(parts) => {
                for part in parts {
                    if let PartValue::Value(e) = &part.value {
                        self.expression(e);
                    }
                }
            }
        }
    }
}

/// What is inside of a statement.
pub fn walk_statement(v: &mut (impl Visitor + ?Sized), stmt: &Stmt) {
    match &stmt.kind {
        StmtKind::Expr(e) | StmtKind::GotoComputed(e) | StmtKind::Start(e) => v.expression(e),
        StmtKind::Declare(_, init) => v.initializer(init),
        StmtKind::Block(block) => v.block(block),
        StmtKind::If(condition, then, otherwise) => {
            v.expression(condition);
            v.block(then);
            v.block(otherwise);
        }
        StmtKind::Loop(l) => {
            v.block(&l.init);
            l.condition.iter().for_each(|e| v.expression(e));
            l.step.iter().for_each(|e| v.expression(e));
            v.block(&l.body);
        }
        StmtKind::Switch(switch) => {
            v.expression(&switch.value);
            v.block(&switch.body);
        }
        StmtKind::Return(value) => value.iter().for_each(|e| v.expression(e)),
        StmtKind::Asm(asm) => {
            asm.outputs.iter().for_each(|output| v.place(&output.place));
            for input in &asm.inputs {
                match &input.operand {
                    AsmOperand::Value(e) => v.expression(e),
                    AsmOperand::Place(place) => v.place(place),
                }
            }
        }
        StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {
        }
    }
}

/// What is inside of a value.
pub fn walk_expression(v: &mut (impl Visitor + ?Sized), e: &Expr) {
    match &e.kind {
        ExprKind::Const(_)
        | ExprKind::SizeOf(..)
        | ExprKind::Number(_)
        | ExprKind::Function(_)
        | ExprKind::LabelAddress(_)
        | ExprKind::Error => {}
        ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::VaArg(place) => v.place(place),
        ExprKind::Unary(_, arg) | ExprKind::Not(arg) | ExprKind::Convert(_, arg) => v.expression(arg),
        ExprKind::Binary(_, l, r)
        | ExprKind::Compare(_, l, r)
        | ExprKind::Logical(_, l, r)
        | ExprKind::Offset(l, _, r)
        | ExprKind::Distance(l, r)
        | ExprKind::Elvis(l, r)
        | ExprKind::Comma(l, r) => {
            v.expression(l);
            v.expression(r);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|e| v.expression(e));
        }
        ExprKind::Assign(place, value) => {
            v.place(place);
            v.expression(value);
        }
        ExprKind::Update(update) => {
            v.place(&update.place);
            v.expression(&update.operand);
        }
        ExprKind::Call(callee, args) => {
            if let Callee::Pointer(pointer) = callee {
                v.expression(pointer);
            }
            args.iter().for_each(|e| v.expression(e));
        }
        ExprKind::Builtin(_, args) => args.iter().for_each(|e| v.expression(e)),
        ExprKind::Atomic(atomic) => walk_atomic(v, atomic),
        ExprKind::Statements(block, value) => {
            v.block(block);
            value.iter().for_each(|e| v.expression(e));
        }
    }
}

fn walk_atomic(v: &mut (impl Visitor + ?Sized), atomic: &Atomic) {
    match &atomic.op {
        AtomicOp::Load(place) | AtomicOp::TestAndSet(place) | AtomicOp::Clear(place) => v.place(place),
        AtomicOp::Store(place, value)
        | AtomicOp::Init(place, value)
        | AtomicOp::Exchange(place, value)
        | AtomicOp::Fetch { place, operand: value, .. } => {
            v.place(place);
            v.expression(value);
        }
        AtomicOp::CompareExchange { place, expected, desired } => {
            v.place(place);
            v.place(expected);
            v.expression(desired);
        }
        AtomicOp::CompareSwap { place, expected, desired, gives: _ } => {
            v.place(place);
            v.expression(expected);
            v.expression(desired);
        }
        AtomicOp::Fence | AtomicOp::SignalFence => {}
    }
    for order in [Some(&atomic.order), atomic.failure.as_ref()].into_iter().flatten() {
        if let OrderOf::Computed(e) = order {
            v.expression(e);
        }
    }
}

/// What is inside of a place.
pub fn walk_place(v: &mut (impl Visitor + ?Sized), place: &Place) {
    match &place.base {
        Base::Local(_) | Base::Global(_) => {}
        Base::Pointed(e) | Base::Value(e) => v.expression(e),
        Base::Literal(_, init) => v.initializer(init),
    }
    for step in &place.path {
        if let Projection::Index(index) = step {
            v.expression(index);
        }
    }
}

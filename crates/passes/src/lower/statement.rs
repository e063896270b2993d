//! Statements: each becomes a part of the graph that is entered at its current node and left at one.

use super::Lowering;
use super::place::Lowered;
use fencepost_ir::cfg::{self, Dest, Instr, Storage};
use fencepost_ir::tree::*;
use fencepost_ir::{Access, Span};

impl Lowering<'_> {
    pub(super) fn return_value(&mut self, value: Option<cfg::Expr>, span: Span) {
        self.end_locals(span);
        self.graph.leave_by(Instr::Return(value), span);
    }

    /// The thread ends with a result.
    pub(super) fn end_thread(&mut self, result: Option<cfg::Expr>, span: Span) {
        self.graph.leave_by(Instr::Exit(result), span);
    }

    pub(super) fn block(&mut self, block: &Block) {
        for stmt in &block.0 {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        fencepost_ir::wanted::point();
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Skip => self.graph.emit(Instr::Nop, span),
            StmtKind::Label(name) => {
                let node = self.graph.label(name);
                self.labelled = true;
                self.graph.go_to(node, span);
            }
            StmtKind::Declare(id, Some(value)) => {
                self.store(&Place::variable(VarRef::Local(*id), span), value, span)
            }
            StmtKind::Declare(id, None) => self.declare(*id, span),
            StmtKind::Assign(place, value) => self.store(place, value, span),
            StmtKind::Eval(e) => self.effect(e),
            StmtKind::If(cond, then, otherwise) => self.if_else(cond, [then, otherwise], span),
            StmtKind::While(cond, body) => self.while_loop(cond, body, span),
            StmtKind::DoWhile(body, cond) => self.do_while(body, cond, span),
            StmtKind::Break | StmtKind::Continue => {
                let (end, next) = *self.loops.last().expect("the validator asks for a loop");
                let target = if stmt.kind == StmtKind::Break { end } else { next };
                self.graph.go_to(target, span);
                self.graph.cut();
            }
            StmtKind::Goto(label) => {
                let node = self.graph.label(label);
                self.graph.go_to(node, span);
                self.graph.cut();
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|v| self.expr(v));
                self.return_value(value, span);
            }
            StmtKind::Choose(blocks) => self.choose(blocks, span),
            StmtKind::Atomic(drain, body) => {
                self.graph.emit(Instr::AtomicBegin(*drain), span);
                self.block(body);
                self.graph.emit(Instr::AtomicEnd(*drain), span);
            }
            StmtKind::AtomicBegin(drain) => self.graph.emit(Instr::AtomicBegin(*drain), span),
            StmtKind::AtomicEnd(drain) => self.graph.emit(Instr::AtomicEnd(*drain), span),
            StmtKind::Fence(Fence::Machine(kind)) => self.graph.emit(Instr::Fence(*kind), span),
            // Only in a graph for the language's own model: elsewhere the pass `orders` has put the machine's fence here.
            StmtKind::Fence(Fence::Thread(order)) => {
                self.graph.emit_access(Instr::Fence(FenceKind::Full), Access::Atomic(*order), span);
            }
            StmtKind::Assume(e) => {
                let condition = self.expr(e);
                self.graph.emit(Instr::Assume(condition), span);
            }
            StmtKind::Assert(e, claim) => {
                let condition = self.expr(e);
                self.graph.emit(Instr::Assert(condition, *claim), span);
            }
            StmtKind::Lock(place) => {
                let address = self.memory_place(place);
                self.graph.emit(Instr::Lock(address), span);
            }
            StmtKind::Unlock(place) => {
                let address = self.memory_place(place);
                self.graph.emit(Instr::Unlock(address), span);
            }
            StmtKind::Join(result, e) => self.join(result.as_ref(), e, span),
            StmtKind::Free(e) => {
                let pointer = self.expr(e);
                self.graph.emit(Instr::Free(pointer, Storage::Heap), span);
            }
            StmtKind::Enter(id) => self.make(*id, span),
            StmtKind::Leave(id) => self.leave(*id, span),
            StmtKind::Exit(value) => self.exit_thread(value.as_ref(), span),
            StmtKind::Halt => self.graph.leave_by(Instr::Halt, span),
            StmtKind::Block(_, block) => self.block(block),
        }
        self.registers.release_temporaries();
    }

    fn if_else(&mut self, cond: &Expr, branches: [&Block; 2], span: Span) {
        let (yes, no, end) = (self.graph.node(), self.graph.node(), self.graph.node());
        self.condition(cond, yes, no);
        self.registers.release_temporaries();
        for (start, block) in [yes, no].into_iter().zip(branches) {
            self.graph.current = start;
            self.block(block);
            self.graph.go_to(end, span);
        }
    }

    fn while_loop(&mut self, cond: &Expr, body: &Block, span: Span) {
        let (head, inside, end) = (self.graph.node(), self.graph.node(), self.graph.node());
        self.graph.go_to(head, span);
        self.condition(cond, inside, end);
        self.registers.release_temporaries();
        self.graph.current = inside;
        self.loops.push((end, head));
        self.block(body);
        self.loops.pop();
        self.graph.go_to(head, span);
        self.graph.current = end;
    }

    fn do_while(&mut self, body: &Block, cond: &Expr, span: Span) {
        let (head, test, end) = (self.graph.node(), self.graph.node(), self.graph.node());
        self.graph.go_to(head, span);
        self.loops.push((end, test));
        self.block(body);
        self.loops.pop();
        self.graph.go_to(test, span);
        self.condition(cond, head, end);
        self.graph.current = end;
    }

    fn choose(&mut self, blocks: &[Block], span: Span) {
        let (start, end) = (self.graph.current, self.graph.node());
        for block in blocks {
            self.graph.current = start;
            self.graph.emit(Instr::Choose, span);
            self.block(block);
            self.graph.go_to(end, span);
        }
    }

    fn join(&mut self, result: Option<&Place>, thread: &Expr, span: Span) {
        let handle = self.expr(thread);
        let Some(place) = result else { return self.graph.emit(Instr::Join(None, handle), span) };
        match self.place(place) {
            Lowered::Private(dest) => self.graph.emit(Instr::Join(Some(dest), handle), span),
            Lowered::Memory(address) => {
                let result = self.registers.temporary(self.scalar_type(place));
                self.graph.emit(Instr::Join(Some(Dest::Reg(result)), handle), span);
                self.graph.emit(Instr::Store(address, cfg::Expr::Reg(result)), span);
            }
        }
    }
}

//! Orders of atomic accesses to the fences that machines have for them, by the table of `memory`.
//!
//! Accesses keep their orders; what is added is fences around stores to memory, and thread fences become the machine's
//! or go. Private variables need none: no other thread can observe a store to them.

use fencepost_ir::Span;
use fencepost_ir::cfg::FenceKind;
use fencepost_ir::tree::*;
use fencepost_memory::orders::{around_store, thread_fence};

/// Runs the pass.
pub(crate) fn run(program: &mut Program) {
    for i in 0..program.procedures.len() {
        let mut body = std::mem::take(&mut program.procedures[i].body);
        let procedure = &program.procedures[i];
        body.visit_blocks_mut(&mut |block| {
            let needs = |s: &Stmt| matches!(s.kind, StmtKind::Fence(Fence::Thread(_)) | StmtKind::Assign(..));
            if !block.0.iter().any(needs) {
                return;
            }
            let mut out = Vec::with_capacity(block.0.len());
            for stmt in std::mem::take(&mut block.0) {
                let span = stmt.span;
                match &stmt.kind {
                    StmtKind::Fence(Fence::Thread(order)) => out.extend(fence(thread_fence(*order), span)),
                    StmtKind::Assign(place, _) if program.is_in_memory(Some(procedure), place) => {
                        let around = around_store(place.access);
                        out.extend(fence(around.before, span));
                        out.push(stmt);
                        out.extend(fence(around.after, span));
                    }
                    _ => out.push(stmt),
                }
            }
            block.0 = out;
        });
        program.procedures[i].body = body;
    }
}

fn fence(kind: Option<FenceKind>, span: Span) -> Option<Stmt> {
    kind.map(|kind| Stmt { kind: StmtKind::Fence(Fence::Machine(kind)), span })
}

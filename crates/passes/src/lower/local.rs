//! Where a procedure's locals are, and when their objects are made and end.

use super::Lowering;
use super::names::{Objects, Registers};
use fencepost_ir::cfg::{self, Dest, HeapTypeId, Instr, ObjectId, Reg, Storage};
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span};

/// Where a local is.
#[derive(Clone, Copy)]
pub(super) enum Home {
    /// In the frame, from this slot on.
    Slots(u32),
    /// In an object of the program: the procedure runs only once.
    Object(ObjectId),
    /// In an object of the frame's own; this slot points to it.
    Pointed(u32),
}

/// Where the locals of a procedure are, which runs only once or not.
pub(super) fn homes(
    program: &Program,
    (id, once): (ProcedureId, bool),
    registers: &mut Registers,
    objects: &mut Objects<'_>,
) -> Vec<Home> {
    let code = program.procedure(id);
    let mut home = |local: &Variable| match local.kept {
        Kept::InMemory(Fill::Zero) if once => Home::Object(objects.add(code, local)),
        Kept::InMemory(_) | Kept::InBlock(_) => {
            let pointer = Variable {
                name: format!("&{}", local.name),
                ty: Scalar::Pointer { bits: program.pointer_bits }.into(),
                init: vec![Choices::one(0)],
                fill: Fill::Zero,
                kept: Kept::Private,
                span: local.span,
                spelled: None,
            };
            Home::Pointed(registers.add(&program.records, &pointer))
        }
        Kept::Private => Home::Slots(registers.add(&program.records, local)),
    };
    code.locals.iter().map(&mut home).collect()
}

impl Lowering<'_> {
    /// Makes the objects of locals that are kept in memory. Parameters are private: the front end
    /// copies one whose address is taken.
    pub(super) fn enter(&mut self) {
        for (i, local) in self.code.locals.iter().enumerate() {
            if let Kept::InMemory(_) = local.kept {
                self.make(LocalId(i), local.span);
            }
        }
    }

    /// Makes the object of a local that has one of its own.
    pub(super) fn make(&mut self, id: LocalId, span: Span) {
        let local = &self.code.locals[id.0];
        let (Home::Pointed(slot), Kept::InMemory(fill) | Kept::InBlock(fill)) =
            (self.homes[id.0], local.kept)
        else {
            return;
        };
        let bytes = cfg::Expr::Const(self.program.records.size(&local.ty) as i64);
        let ty = self.heap_type(&local.name, &local.ty);
        let dest = Dest::Reg(Reg::Local(slot));
        self.graph.emit(Instr::Allocate { dest, ty, bytes, fill, storage: Storage::Stack }, span);
    }

    /// The object of a local is gone; that of a private one is what it points to, or none if that is null.
    pub(super) fn leave(&mut self, id: LocalId, span: Span) {
        let (Home::Pointed(slot) | Home::Slots(slot)) = self.homes[id.0] else { return };
        let pointer = Reg::Local(slot);
        self.graph.emit(Instr::Free(cfg::Expr::Reg(pointer), Storage::Stack), span);
        let in_block = matches!(self.code.locals[id.0].kept, Kept::InBlock(_));
        if matches!(self.homes[id.0], Home::Slots(_)) || in_block && self.may_unwind() {
            self.graph.emit(Instr::Assign(Dest::Reg(pointer), cfg::Expr::Const(0)), span);
        }
    }

    /// The kind of allocated objects with that name and type.
    pub(super) fn heap_type(&mut self, name: &str, ty: &Type) -> HeapTypeId {
        self.heap_types.id(name, ty)
    }

    /// The locals in memory end, where a thread ends by itself. Those of a thread that is there from the beginning live
    /// on: it is common that a program's first thread leaves the others with pointers to its variables.
    pub(super) fn leave_locals(&mut self, span: Span) {
        if !self.facts.starts(self.id) {
            self.end_locals(span);
        }
    }

    pub(super) fn end_locals(&mut self, span: Span) {
        for (i, local) in self.code.locals.iter().enumerate() {
            if let (Home::Pointed(_), Kept::InMemory(_)) = (self.homes[i], local.kept) {
                self.leave(LocalId(i), span);
            }
        }
    }

    /// A declaration without value sets the default again if it can be passed twice; frames
    /// start with it.
    pub(super) fn declare(&mut self, id: LocalId, span: Span) {
        if self.loops.is_empty() && !(self.jumps && self.labelled) {
            return;
        }
        // A block that a loop enters again has a new variable, which holds anything; nobody knows the one before, or
        // the statements around the block would say when it is entered.
        if let (Kept::InMemory(Fill::Undefined), false) = (self.code.locals[id.0].kept, self.jumps) {
            self.leave(id, span);
            self.make(id, span);
        }
        let Home::Slots(base) = self.homes[id.0] else { return };
        for (i, init) in self.code.locals[id.0].init.iter().enumerate() {
            let value = init.single().expect("locals start with one value");
            let dest = Dest::Reg(Reg::Local(base + i as u32));
            self.graph.emit(Instr::Assign(dest, cfg::Expr::Const(value)), span);
        }
    }
}

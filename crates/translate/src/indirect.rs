//! Procedures of the translation's own for what has no name: accesses through pointers, and the end of allocated variables.

use crate::support::{Helper, Made};
use crate::{Translator, build};
use fencepost_ir::tree::{Base, BinaryOp, Conversion, Expr, Place, SharedId, StmtKind, VarRef};
use fencepost_ir::{Access, Scalar, Span};

impl Translator<'_> {
    /// A load through a pointer finds the variable that it means; what has no name is the thread's own.
    pub fn read_through(&self, ty: Scalar) -> Made {
        let note = "What the thread sees where the pointer points to.";
        let mut made = Made { result: Some(ty), note, ..Made::default() };
        let pointer = made.param(format!("{}pointer", self.prefix), self.pointer_type());
        let mut out = Vec::new();
        for x in self.pointed(ty).collect::<Vec<_>>() {
            self.each(x, &mut made, &mut out, &|indices| {
                let args = indices.iter().cloned().map(build::index).collect();
                let loaded = build::call(self.helper(Helper::Load(x)), args, self.delayed[x].ty);
                let loaded = build::convert(Conversion::Wrapping, loaded, ty);
                let back = build::stmt(StmtKind::Return(Some(loaded)));
                vec![build::when(self.is_meant(x, &pointer, indices), vec![back])]
            });
        }
        let there = self.pointed_at(&pointer, ty);
        out.push(build::stmt(StmtKind::Return(Some(build::read(there, ty)))));
        made.body = out;
        made
    }

    /// A store through a pointer.
    pub fn write_through(&self, ty: Scalar) -> Made {
        let mut made = Made { note: "A store to where the pointer points to.", ..Made::default() };
        let pointer = made.param(format!("{}pointer", self.prefix), self.pointer_type());
        let value = made.param(format!("{}value", self.prefix), ty);
        let mut out = Vec::new();
        for x in self.pointed(ty).collect::<Vec<_>>() {
            self.each(x, &mut made, &mut out, &|indices| {
                let mut args: Vec<Expr> = indices.iter().cloned().map(build::index).collect();
                let to = self.delayed[x].ty;
                args.push(build::convert(Conversion::Wrapping, value.clone(), to));
                let then = vec![self.called(Helper::Store(x), args), build::stmt(StmtKind::Return(None))];
                vec![build::when(self.is_meant(x, &pointer, indices), then)]
            });
        }
        out.push(build::assign(self.pointed_at(&pointer, ty), value));
        made.body = out;
        made
    }

    fn pointed_at(&self, pointer: &Expr, ty: Scalar) -> Place {
        Place {
            base: Base::Pointed(Box::new(pointer.clone()), ty.into()),
            path: Vec::new(),
            span: Span::NONE,
            access: Access::Plain,
        }
    }

    /// Whether a pointer means this element.
    fn is_meant(&self, x: usize, pointer: &Expr, indices: &[Expr]) -> Expr {
        let d = &self.delayed[x];
        let same = build::test(BinaryOp::Eq, pointer.clone(), self.address(d.at(indices)));
        match d.is_there(indices) {
            Some(there) => build::test(BinaryOp::And, there, same),
            None => same,
        }
    }

    /// An allocated variable is gone: stores to it that are on their way are forgotten.
    pub fn forget(&self, id: usize) -> Made {
        let note = "A variable is gone, and so are the thread's stores to it that are on their way.";
        let mut made = Made { note, ..Made::default() };
        let mut out = Vec::new();
        for x in (0..self.buffer.later.len()).filter(|x| self.delayed[*x].base.0 == id) {
            for j in 0..i64::from(self.bound.places()) {
                self.each(x, &mut made, &mut out, &|indices| {
                    let (_, is_there) = self.later(x, build::number(j), indices);
                    vec![build::assign(is_there, build::truth(false))]
                });
            }
        }
        let variable = build::variable(VarRef::Shared(SharedId(id)));
        out.push(build::stmt(StmtKind::Free(build::read(variable, self.pointer_type()))));
        made.body = out;
        made
    }
}

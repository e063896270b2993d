//! Places and initialisers as text, with the names of members.

use super::print_expression::Printer;
use super::*;
use fencepost_ir::Access;
use std::fmt::Write;

impl Printer<'_> {
    /// What something of a type is initialised with.
    pub fn initializer(&mut self, ty: TypeId, init: &Initializer) {
        match init {
            Initializer::None => {}
            Initializer::Value(e) => self.headed(" = ", e),
            Initializer::Parts(parts) => {
                self.out.push_str(" = ");
                self.parts(ty, parts);
            }
        }
    }

    fn parts(&mut self, ty: TypeId, parts: &[Part]) {
        self.out.push('{');
        for (i, part) in parts.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.part(ty, part);
        }
        self.out.push('}');
    }

    /// The type of an element.
    fn element(&self, ty: Option<TypeId>) -> Option<TypeId> {
        self.program.types.element(ty?)
    }

    /// Writes a member of a type; gives the member's type.
    fn member(&mut self, ty: Option<TypeId>, number: usize) -> Option<TypeId> {
        let types = &self.program.types;
        let layout = ty.and_then(|ty| types.record_id(ty)).and_then(|record| types.layout(record));
        match layout.map(|layout| &layout.members[number]) {
            Some(member) if !member.name.is_empty() => {
                let _ = write!(self.out, ".{}", member.name);
                Some(member.ty)
            }
            member => {
                let _ = write!(self.out, ".{number}");
                member.map(|member| member.ty)
            }
        }
    }

    fn part(&mut self, ty: TypeId, part: &Part) {
        let mut ty = Some(ty);
        for step in &part.path {
            ty = match step {
                Step::Index(i) => {
                    let _ = write!(self.out, "[{i}]");
                    self.element(ty)
                }
                Step::Range(from, to) => {
                    let _ = write!(self.out, "[{from}...{to}]");
                    self.element(ty)
                }
                Step::Member(i) => self.member(ty, *i),
            };
        }
        self.out.push_str(if part.path.is_empty() { "" } else { " = " });
        match &part.value {
            PartValue::Value(e) => self.expression(e),
            PartValue::Zero => self.out.push_str("{}"),
            PartValue::Units(units) => {
                let text: String = units.iter().filter_map(|u| char::from_u32(*u)).collect();
                let _ = write!(self.out, "{text:?}");
            }
        }
    }

    /// What a local is initialised with.
    pub fn local_initializer(&mut self, id: LocalId, init: &Initializer) {
        let Some(body) = self.body else { return };
        self.initializer(body.locals[id].ty, init);
        if let Some(function) = body.locals[id].cleanup {
            let _ = write!(self.out, " cleanup {}", self.program.functions[function].name);
        }
    }

    /// Writes what a place begins with; gives its type.
    fn base(&mut self, base: &Base) -> Option<TypeId> {
        match base {
            Base::Local(id) => {
                let local = self.local(*id);
                self.out.push_str(&local);
                self.body.map(|body| body.locals[*id].ty)
            }
            Base::Global(id) => {
                match self.program.globals[*id].name.as_str() {
                    "" => self.string(*id),
                    name => self.out.push_str(name),
                }
                Some(self.program.globals[*id].ty)
            }
            Base::Pointed(pointer) => {
                self.headed("(*", pointer);
                self.out.push(')');
                self.program.types.element(pointer.ty)
            }
            Base::Literal(id, init) => {
                let _ = write!(self.out, "({})", self.local_type(*id));
                let ty = self.body.map(|body| body.locals[*id].ty);
                match (&**init, ty) {
                    (Initializer::Value(e), _) => {
                        self.headed("{", e);
                        self.out.push('}');
                    }
                    (Initializer::Parts(parts), Some(ty)) => self.parts(ty, parts),
                    (Initializer::Parts(_), None) | (Initializer::None, _) => {}
                }
                ty
            }
            Base::Value(e) => {
                self.headed("(", e);
                self.out.push(')');
                Some(e.ty)
            }
        }
    }

    pub fn place(&mut self, place: &Place) {
        let mut ty = self.base(&place.base);
        for step in &place.path {
            ty = match step {
                Projection::Index(index) => {
                    self.out.push('[');
                    self.count(index);
                    self.out.push(']');
                    self.element(ty)
                }
                Projection::Member(i) => self.member(ty, *i),
            };
        }
        if let Some(bits) = place.bits {
            let _ = write!(self.out, "<{}:{} of {}>", bits.shift, bits.width, bits.unit);
        }
        match place.access {
            Access::Plain => {}
            Access::Volatile => self.out.push_str("@volatile"),
            Access::Instruction => self.out.push_str("@instruction"),
            Access::Atomic(order) => {
                let _ = write!(self.out, "@{}", order.name());
            }
            Access::Compare { success, failure } => {
                let _ = write!(self.out, "@{success}@{failure}");
            }
        }
    }

    /// A string literal.
    fn string(&mut self, id: GlobalId) {
        match &self.program.globals[id].init {
            Initializer::Parts(parts) => {
                parts.iter().for_each(|part| self.part(self.program.globals[id].ty, part));
            }
            _ => self.out.push_str("<string>"),
        }
    }
}

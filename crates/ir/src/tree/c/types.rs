//! Types as the user wrote them: `node_t *`, `enum state`, `uint32_t`, where the front end has noted that and it means
//! what the program has. Values that have no type of the user's (addresses, what was loaded) are `void *`, which C
//! converts by itself; between two of the user's pointer types is a cast to it.

use super::{Need, Words};
use crate::Scalar;
use crate::tree::{
    Base, Expr, ExprKind, Place, Procedure, Projection, RecordId, Spelled, Type, TypeName, Variable,
};

impl Words<'_> {
    /// `type name[dims]` of a variable, a parameter or a function.
    pub fn variable(&self, v: &Variable) -> String {
        self.written(self.program.spelled(v), &v.ty, &v.name)
    }

    /// `type name[dims]` of a member.
    pub fn member(&self, record: RecordId, ty: &Type, name: &str) -> String {
        self.written(self.spelled_member(record, ty, name), ty, name)
    }

    /// The type of a procedure's result.
    pub fn result(&self, procedure: &Procedure) -> Option<String> {
        let ty = procedure.result?;
        let spelled = self.program.spelled_result(procedure);
        Some(spelled.and_then(|s| self.spelled(s)).unwrap_or_else(|| self.scalar(ty)))
    }

    fn spelled_member(&self, record: RecordId, ty: &Type, name: &str) -> Option<&Spelled> {
        let spelling = &self.program.spelling;
        spelling.members.get(&(record, name.to_string())).filter(|s| spelling.fits(s, ty))
    }

    fn written(&self, spelled: Option<&Spelled>, ty: &Type, name: &str) -> String {
        let mut element = spelled;
        let mut dims = String::new();
        let mut lengths = ty.dims().into_iter();
        while let Some(Spelled::Array(inner, length)) = element.map(|s| self.program.spelling.meaning(s)) {
            let Some(n) = lengths.next() else { break };
            let length = length.clone().filter(|name| self.is_called(n.into(), name));
            dims += &format!("[{}]", length.unwrap_or_else(|| n.to_string()));
            element = Some(inner);
        }
        match element.and_then(|s| self.spelled(s)) {
            Some(text) => {
                let space = if text.ends_with('*') { "" } else { " " };
                format!("{text}{space}{name}{dims}")
            }
            None => self.named(ty, name),
        }
    }

    /// The text of a type that is not an array.
    pub fn spelled(&self, spelled: &Spelled) -> Option<String> {
        match spelled {
            Spelled::Words(text, _) => Some(text.to_string()),
            Spelled::Record(id) => Some(self.type_name(&Type::Record(*id))),
            Spelled::Named(id) => {
                self.context.need(Need::Name(*id));
                match &self.program.spelling.names[id.0] {
                    TypeName::Typedef { name, .. } => Some(name.clone()),
                    TypeName::Enumeration { tag, .. } => tag.as_ref().map(|tag| format!("enum {tag}")),
                }
            }
            Spelled::Pointer(inner) => {
                let text = self.spelled(inner)?;
                let space = if text.ends_with('*') { "" } else { " " };
                Some(format!("{text}{space}*"))
            }
            Spelled::Array(..) => None,
        }
    }

    /// Whether there is a text of a type.
    fn is_written(&self, spelled: &Spelled) -> bool {
        match spelled {
            Spelled::Words(..) | Spelled::Record(_) => true,
            Spelled::Named(id) => match &self.program.spelling.names[id.0] {
                TypeName::Typedef { .. } => true,
                TypeName::Enumeration { tag, .. } => tag.is_some(),
            },
            Spelled::Pointer(inner) => self.is_written(inner),
            Spelled::Array(..) => false,
        }
    }

    /// The type that a place's text has, if it is one that the user wrote.
    pub fn spelled_place<'p>(&'p self, place: &'p Place) -> Option<&'p Spelled> {
        let spelling = &self.program.spelling;
        let mut path = &place.path[..];
        let (mut spelled, mut ty) = match &place.base {
            Base::Variable(variable) => {
                let v = self.program.variable(self.procedure, *variable)?;
                (self.program.spelled(v), &v.ty)
            }
            Base::Pointed(pointer, Type::Array(element, _)) if !path.is_empty() => {
                path = &path[1..];
                (self.pointee(pointer, element), &**element)
            }
            Base::Pointed(pointer, ty) => (self.pointee(pointer, ty), ty),
        };
        for step in path {
            match (step, ty) {
                (Projection::Index(_), Type::Array(element, _)) => {
                    spelled = match spelled.map(|s| spelling.meaning(s)) {
                        Some(Spelled::Array(inner, _)) => Some(inner),
                        _ => None,
                    };
                    ty = element;
                }
                (Projection::Field(i), Type::Record(id)) => {
                    let field = self.program.records.get(*id).fields.get(*i)?;
                    spelled = self.spelled_member(*id, &field.ty, &field.name);
                    ty = &field.ty;
                }
                _ => return None,
            }
        }
        spelled.filter(|s| self.is_written(s))
    }

    /// What the pointer's text points to, if that is this type.
    pub fn pointee<'p>(&'p self, pointer: &'p Expr, ty: &Type) -> Option<&'p Spelled> {
        match self.program.spelling.meaning(self.pointer_type(pointer)?) {
            Spelled::Pointer(inner) => Some(&**inner).filter(|s| self.program.spelling.fits(s, ty)),
            _ => None,
        }
    }

    /// The type of a pointer's text, if it is not `void *`.
    pub fn pointer_type<'p>(&'p self, e: &'p Expr) -> Option<&'p Spelled> {
        if !matches!(e.ty, Scalar::Pointer { .. }) {
            return None;
        }
        let spelled = match &e.kind {
            ExprKind::Read(place) => self.spelled_place(place)?,
            ExprKind::Call(id, _) => {
                let callee = self.program.procedure(*id);
                self.program.spelled_result(callee)?
            }
            ExprKind::Convert(_, arg) if arg.ty == e.ty => return self.pointer_type(arg),
            _ => return None,
        };
        if !self.is_written(spelled) {
            return None;
        }
        match self.program.spelling.meaning(spelled) {
            Spelled::Pointer(inner) => {
                let void = matches!(self.program.spelling.meaning(inner), Spelled::Words(_, None));
                (!void).then_some(spelled)
            }
            _ => None,
        }
    }

    /// Whether two spellings are one type to a compiler.
    fn same(&self, left: &Spelled, right: &Spelled) -> bool {
        let spelling = &self.program.spelling;
        match (spelling.meaning(left), spelling.meaning(right)) {
            (Spelled::Pointer(left), Spelled::Pointer(right)) => self.same(left, right),
            (left, right) => left == right,
        }
    }

    /// Whether two pointers' texts have the same type of the user's.
    pub fn same_type(&self, left: &Expr, right: &Expr) -> bool {
        let types = self.pointer_type(left).zip(self.pointer_type(right));
        types.is_some_and(|(left, right)| self.same(left, right))
    }

    /// Whether compilers warn when both meet.
    pub fn clash(&self, left: &Expr, right: &Expr) -> bool {
        match (self.pointer_type(left), self.pointer_type(right)) {
            (Some(left), Some(right)) => !self.same(left, right),
            _ => false,
        }
    }

    /// The text of what goes to something of a type: with a cast between pointers, with a constant's name.
    pub fn converted(&self, e: &Expr, target: Option<&Spelled>) -> String {
        if let Some(name) = self.constant_name(e) {
            return name;
        }
        let text = self.expr(e, 0);
        match (self.pointer_type(e), target) {
            (Some(own), Some(target)) if !self.same(own, target) => format!("(void *){text}"),
            _ => text,
        }
    }

    /// The name of a constant, which C may have to convert.
    pub fn constant_name(&self, e: &Expr) -> Option<String> {
        if !matches!(e.ty, Scalar::Int(_)) {
            return None;
        }
        match &e.kind {
            ExprKind::Const(value) => self.constant_at(e.span, *value),
            ExprKind::Convert(_, inner) => match inner.kind {
                ExprKind::Const(value) if e.ty.contains(value) => self.constant_name(inner),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text of a value that goes to a place.
    pub fn converted_to(&self, e: &Expr, place: &Place) -> String {
        self.converted(e, self.spelled_place(place))
    }
}

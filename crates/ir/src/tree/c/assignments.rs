//! Declarations and assignments as lines of C, with the values that take a statement of their own: new threads and new memory.

use super::scopes;
use super::statements::Body;
use super::{Need, Words};
use crate::tree::{Base, Expr, ExprKind, Fill, LocalId, Place, Projection, Type, VarRef};
use crate::{Scalar, Step};

/// Whether a value takes a statement of its own.
pub fn is_action(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Spawn(..) | ExprKind::Allocate(..))
}

impl<'a> Body<'a> {
    pub fn declare(&mut self, id: LocalId, value: Option<&'a Expr>) {
        let (words, v) = (self.words, &self.procedure.locals[id.0]);
        let place = Place::variable(VarRef::Local(id), v.span);
        // In C a variable without a value holds anything; where the user asks for a value, a function is called.
        let free = |e: &Expr| {
            let is_unset = v.fill == Fill::Undefined && e.span == v.span;
            matches!(e.kind, ExprKind::Any(_)) && (is_unset || matches!(e.ty, Scalar::Pointer { .. }))
        };
        let zero = |e: &Expr| {
            // Functions of a library may look at a pointer first, which compilers warn about.
            free(e)
                && matches!(e.ty, Scalar::Pointer { .. })
                && !scopes::is_set_first(&self.procedure.body, id)
        };
        let text = match value {
            Some(e) if zero(e) => Some("0".to_string()),
            Some(e) if free(e) => None,
            Some(e) if is_action(e) => {
                if !self.early.contains(&id) {
                    self.declared(id, format!("{};", words.variable(v)));
                }
                return self.assign(&place, e);
            }
            Some(e) => Some(words.converted_to(e, &place)),
            None => None,
        };
        match (text, self.early.contains(&id)) {
            (Some(text), true) => self.line(format!("{} = {text};", v.name)),
            (None, true) => {}
            (Some(text), false) => self.declared(id, format!("{} = {text};", words.variable(v))),
            (None, false) => self.declared(id, format!("{};", words.declaration(v))),
        }
    }

    fn declared(&mut self, id: LocalId, text: String) {
        // Before C23 no declaration may follow a label.
        if let Some(label) = self.lines.last_mut().filter(|last| last.ends_with(':')) {
            label.push(';');
        }
        self.line(text);
        self.hush(id);
    }

    pub fn assign(&mut self, place: &Place, value: &Expr) {
        let words = self.words;
        let target = words.place(place);
        match &value.kind {
            ExprKind::Spawn(procedure, args, _) => self.create(&target, *procedure, args),
            ExprKind::Allocate(ty, bytes, fill, _) => {
                words.context.need(Need::Memory);
                self.line(format!("{target} = {};", words.allocation(ty, bytes, *fill)));
                if *fill == Fill::Undefined {
                    let read = Expr { kind: ExprKind::Read(place.clone()), ty: value.ty, span: value.span };
                    for mutex in words.mutexes(&read, ty) {
                        self.line(format!("{mutex}.taken = 0;"));
                    }
                }
            }
            _ => self.line(format!("{target} = {};", words.converted_to(value, place))),
        }
    }
}

impl Words<'_> {
    /// Memory for values of a type.
    fn allocation(&self, ty: &Type, bytes: &Expr, fill: Fill) -> String {
        let (element, size) = (self.type_name(ty), self.program.records.size(ty.innermost()));
        let number = match bytes.kind {
            ExprKind::Const(bytes) if size > 0 => {
                u64::try_from(bytes).ok().filter(|n| n.is_multiple_of(size))
            }
            _ => None,
        };
        match (fill, number.map(|bytes| bytes / size)) {
            (Fill::Zero, Some(n)) => format!("calloc({n}, sizeof({element}))"),
            (Fill::Undefined, Some(1)) => format!("malloc(sizeof({element}))"),
            (Fill::Undefined, Some(n)) => format!("malloc({n} * sizeof({element}))"),
            (Fill::Zero, None) => format!("calloc(1, {})", self.expr(bytes, 0)),
            (Fill::Undefined, None) => format!("malloc({})", self.expr(bytes, 0)),
        }
    }

    /// The mutexes in what a pointer points to.
    fn mutexes(&self, pointer: &Expr, ty: &Type) -> Vec<String> {
        let mut found = Vec::new();
        self.program.records.scalars(ty, &mut Vec::new(), &mut |path, scalar| {
            if scalar == Scalar::Mutex {
                let mut place = Place {
                    base: Base::Pointed(Box::new(pointer.clone()), ty.clone()),
                    path: Vec::new(),
                    span: pointer.span,
                    access: crate::Access::Plain,
                };
                place.path.extend(path.iter().map(|step| match step {
                    Step::Field(i) => Projection::Field(*i),
                    Step::Index(n) => {
                        let index = Expr::constant(i64::from(*n), Scalar::Integer, pointer.span);
                        Projection::Index(index)
                    }
                }));
                let text = self.place(&place);
                found.push(if text.starts_with('*') { format!("({text})") } else { text });
            }
        });
        found
    }
}

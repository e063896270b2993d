//! Places: variables, what pointers point to, and parts of them.

use super::{Expr, LocalId, SharedId, ThreadId, ThreadLocalId};
use crate::access::Access;
use crate::layout::Type;
use crate::source::Span;

/// How a variable is named in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum VarRef {
    /// Shared by all threads; accesses go to memory.
    Shared(SharedId),
    /// Each thread has its own.
    ThreadLocal(ThreadLocalId),
    /// A local of the current procedure.
    Local(LocalId),
    /// A local of a thread's outermost procedure, in final conditions only.
    Observed(ThreadId, LocalId),
}

/// Where a place starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// A variable.
    Variable(VarRef),
    /// What a pointer points to, a value of this type.
    Pointed(Box<Expr>, Type),
}

/// A step from a place into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Projection {
    /// An element of an array.
    Index(Expr),
    /// A member of a record, by its number.
    Field(usize),
}

/// A variable, or what a pointer points to, or a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Where it starts.
    pub base: Base,
    /// The way to the part.
    pub path: Vec<Projection>,
    /// Its place in the source.
    pub span: Span,
    /// What the program says of the access to it.
    pub access: Access,
}

impl Place {
    /// A variable.
    pub fn variable(variable: VarRef, span: Span) -> Place {
        Place { base: Base::Variable(variable), path: Vec::new(), span, access: Access::Plain }
    }

    /// An element of an array variable, an index for each dimension.
    pub fn element(variable: VarRef, indices: Vec<Expr>, span: Span) -> Place {
        let path = indices.into_iter().map(Projection::Index).collect();
        Place { base: Base::Variable(variable), path, span, access: Access::Plain }
    }

    /// The indices on the way.
    pub fn indices(&self) -> impl Iterator<Item = &Expr> {
        self.path.iter().filter_map(|p| match p {
            Projection::Index(e) => Some(e),
            Projection::Field(_) => None,
        })
    }

    /// The expressions in it: the pointer, then the indices.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let pointer = match &self.base {
            Base::Pointed(pointer, _) => Some(&**pointer),
            Base::Variable(_) => None,
        };
        pointer.into_iter().chain(self.indices())
    }
}

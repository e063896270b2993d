//! What the C parser makes: C11 with GNU extensions, as written. Names are not looked up and types
//! are not checked, but what the grammar alone decides is decided: typedef names are told from
//! variables, the words of a basic type are one [`BasicType`], and a declarator is a list of
//! [`Derived`] steps instead of the inside-out nest that C writes.
//!
//! Parentheses around expressions leave no trace. Every node has the place it is written at; what a
//! macro expands to is at the macro's name.
//!
//! The tree's height is bounded (see `parser::MAX_HEIGHT`), so that recursive walks are safe.

mod declaration;
mod expression;
mod statement;
mod visit;

pub use declaration::*;
pub use expression::*;
pub use statement::*;
pub use visit::{Visitor, has_label, walk_expression, walk_statement};

use super::origin::Origins;
use fencepost_ir::Span;

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A translation unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// In the order of the text.
    pub items: Vec<Item>,
    /// The `#pragma` lines, which may change the meaning (`pack`, `omp`), in the order of the text.
    pub pragmas: Vec<Pragma>,
    /// Which places are in system headers.
    pub origins: Origins,
    /// Names that are used like types and are none, which has been reported.
    pub unknown: Vec<String>,
}

/// What is outside of functions.
#[derive(Clone, Debug)]
pub enum Item {
    /// A function with its body.
    Function(Box<Function>),
    /// Variables, prototypes, types.
    Declaration(Declaration),
    /// `_Static_assert(...);`
    StaticAssert(StaticAssert),
    /// `asm("...");` outside of functions.
    Asm(Asm),
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Result's base type, `static`, `inline`, ...
    pub specifiers: Specifiers,
    /// Has a name, and begins with [`Derived::Function`].
    pub declarator: Declarator,
    /// The parameters' declarations between `)` and `{` of an old-style definition, whose
    /// [`Parameters`] are [`Parameters::Names`].
    pub old_style: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// From the first specifier.
    pub span: Span,
}

impl Function {
    /// The function's name.
    pub fn name(&self) -> &Name {
        self.declarator.name.as_ref().expect("the parser gives every defined function a name")
    }

    /// The function's parameters.
    pub fn parameters(&self) -> &Parameters {
        match self.declarator.derived.first() {
            Some(Derived::Function(parameters)) => parameters,
            _ => panic!("the parser defines only what has a parameter list as a function"),
        }
    }
}

/// A `#pragma` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// What follows `#pragma`, without blanks around it.
    pub text: String,
    /// The line.
    pub span: Span,
}

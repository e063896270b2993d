//! A tree as a C program for verifiers of SC: pthreads, and functions for what C has no words for.
//!
//! What it prints means what the tree means, if
//!
//! - read-modify-writes, spawned threads, and allocated memory are the whole value of an assignment or a
//!   declaration, choices are of all values of their type, and calls of procedures stand alone or as such a value;
//! - mutexes are taken and given back inside atomic sections: there they are variables that are tested and set;
//! - it begins with one thread.
//!
//! What the user called things, and in which words, comes from [`Spelling`](super::Spelling), [`Form`] and, for comments, from
//! the sources. Types of pointers that nobody has spelled are `void *`, which C converts by itself; an access through one says
//! the type. The text compiles without warnings: unused code is left out, and parentheses are put wherever compilers ask
//! for them.

mod assignments;
mod heads;
mod names;
mod prelude;
mod program;
mod scopes;
mod statements;
mod types;
mod words;

use super::{Form, Procedure, Program, TypeName, TypeNameId};
use crate::{Scalar, Span};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

pub use names::free_prefix;

/// Names for what C has no words for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// `__VERIFIER_assume` and so on.
    Verifier,
    /// `__CPROVER_assume` and so on.
    Cprover,
}

/// What the caller chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// The words.
    pub dialect: Dialect,
    /// What added names begin with; no name of the program's user does.
    pub prefix: String,
}

/// What cannot be printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unprintable {
    /// Its place in the source.
    pub span: Span,
    /// What it is.
    pub what: &'static str,
}

/// The program as C text.
pub fn print(program: &Program, style: &Style) -> Result<String, Unprintable> {
    program::check(program)?;
    let mut program = program.clone();
    names::for_c(&mut program, &style.prefix);
    program::text(&program, style)
}

/// What a text needs before it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Need {
    /// A typedef or an enumeration.
    Name(TypeNameId),
    /// A macro.
    Macro(String),
    /// Any value of a type.
    Nondet(Scalar),
    /// The end of the program.
    Exit,
    /// Memory that is allocated.
    Memory,
    /// The type of mutexes.
    Mutex,
    /// Taking one.
    Lock,
    /// Giving it back.
    Unlock,
}

/// What all pieces of a text share.
struct Context<'a> {
    style: &'a Style,
    /// The enumeration of each constant, and its value.
    enumerated: BTreeMap<&'a str, (TypeNameId, i64)>,
    needs: RefCell<BTreeSet<Need>>,
}

impl<'a> Context<'a> {
    fn new(program: &'a Program, style: &'a Style) -> Context<'a> {
        let mut enumerated = BTreeMap::new();
        for (i, name) in program.spelling.names.iter().enumerate() {
            if let TypeName::Enumeration { constants, .. } = name {
                enumerated.extend(constants.iter().map(|(name, value)| (&name[..], (TypeNameId(i), *value))));
            }
        }
        Context { style, enumerated, needs: RefCell::default() }
    }

    fn need(&self, need: Need) {
        self.needs.borrow_mut().insert(need);
    }

    fn needs(&self, need: &Need) -> bool {
        self.needs.borrow().contains(need)
    }
}

/// Writes pieces of C.
#[derive(Clone, Copy)]
struct Words<'a> {
    /// The program, with names that C can have.
    program: &'a Program,
    /// The procedure whose locals are meant.
    procedure: Option<&'a Procedure>,
    context: &'a Context<'a>,
}

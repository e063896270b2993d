//! What the front ends share: reading files, [`Diagnostic`]s, the tokens of C-like formats and a [`cursor`] over
//! them, and [`fences`] in the user's text.

pub mod bounded;
pub mod cursor;
mod diagnostic;
pub mod fences;
pub mod lexer;

pub use diagnostic::{Diagnostic, Related};

//! Text to [`fencepost_ir::tree`]: one folder for each input format.
//!
//! Whatever a file holds, the answer is a program or [`Diagnostic`]s with their places; reading
//! never panics and never skips what it does not understand.

pub mod bounded;
pub mod c;
mod cursor;
mod diagnostic;
pub mod fences;
mod lexer;
pub mod litmus;
pub mod memorax;
pub mod model;
pub mod trencher;

pub use diagnostic::Diagnostic;

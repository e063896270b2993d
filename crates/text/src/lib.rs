//! What the front ends share: reading files, [`Diagnostic`]s, the tokens of C-like formats and a [`cursor`] over
//! them, and [`fences`] in the user's text.
//!
//! Hand-written parsers go over tokens with a [`cursor`], and say what they expected and where:
//!
//! ```
//! use fencepost_text::cursor::Cursor;
//! use fencepost_text::lexer::lex;
//!
//! let tokens = lex("x = ;", &["=", ";"]).unwrap();
//! let mut cursor = Cursor::new(&tokens);
//! cursor.advance();
//! assert!(cursor.take_symbol("="));
//! let diagnostic = cursor.unexpected("a value");
//! assert_eq!((diagnostic.span.line, diagnostic.span.column), (1, 5));
//! ```

pub mod bounded;
pub mod cursor;
mod diagnostic;
pub mod fences;
pub mod lexer;

pub use diagnostic::{Diagnostic, Related};

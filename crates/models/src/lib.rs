//! Reads the modelling language `.fp` and the formats of other tools: text to [`fencepost_ir::tree`].
//!
//! Whatever a file holds, the answer is a program or [`fencepost_text::Diagnostic`]s with their places; reading
//! never panics and never skips what it does not understand.
//!
//! ```
//! use fencepost_models::fp;
//!
//! let program = fp::read("one.fp", "shared int x; thread a { x = 1; assert(x == 1); }").expect("it is a model");
//! assert_eq!(program.threads[0].name, "a");
//!
//! let (_, errors) = fp::read("two.fp", "shared int x; thread a { x = ; }").unwrap_err();
//! assert_eq!(errors[0].span.column, 30);
//! ```

pub mod fp;
pub mod memorax;
pub mod trencher;

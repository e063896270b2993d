//! The program: values, expressions, instructions, control flow, threads and properties.
//!
//! Two levels. [`tree`] is structured and typed; front ends produce it, and everything that is
//! printed as source again is printed from it. [`mod@cfg`] is made from the tree by a pass; engines
//! take it. Both print as text that parses back (the tree as `.fp`, read by the front end).
//!
//! This crate does no input or output and knows nothing of memory models.
//!
//! A program prints as text of the modelling language:
//!
//! ```
//! use fencepost_ir::tree::{Choices, Program, Type, Variable};
//! use fencepost_ir::{Scalar, Span};
//!
//! let flag = Variable::new("flag".into(), Type::Scalar(Scalar::Bool), vec![Choices::one(0)], Span::NONE);
//! let program = Program { shared: vec![flag], ..Program::default() };
//! assert_eq!(program.to_string().trim(), "shared bool flag;");
//! ```

mod access;
pub mod cfg;
mod checks;
pub mod eval;
mod initial_cells;
mod layout;
pub mod pointer;
mod scalar;
pub mod source;
pub mod tree;
pub mod wanted;

pub use access::{Access, Order};
pub use checks::{Check, Checks, Claim};
pub use eval::Fault;
pub use initial_cells::InitialCells;
pub use layout::{Cell, Field, Record, RecordId, RecordKind, Records, Step, Type, UNBOUNDED};
pub use scalar::{IntType, Scalar};
pub use source::{FileId, Remark, Sources, Span};

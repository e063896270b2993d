//! Reads the modelling language `.fp` and the formats of other tools: text to [`fencepost_ir::tree`].
//!
//! Whatever a file holds, the answer is a program or [`fencepost_text::Diagnostic`]s with their places; reading
//! never panics and never skips what it does not understand.

pub mod fp;
pub mod memorax;
pub mod trencher;

//! The C front end: syntax, the typed program, lowering. One binary for all of it.

mod check;
mod exposure;
mod lowering;
mod syntax;
mod threads;

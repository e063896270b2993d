//! C11 with GNU extensions, pthreads and atomics.

pub mod ast;
mod origin;

pub use origin::Origins;

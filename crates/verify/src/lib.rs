//! Fencepost as a library: text in, verdict out.
//!
//! A [`Program`] is read from C, a litmus test or a model, and checked under a memory model. What comes back says whether
//! it is safe, with how far that reaches; or shows a run that has been replayed on the reference semantics; or says why
//! neither is known. Nothing here prints, ends the process or reads arguments.
//!
//! Two threads raise their flags and look at each other's. Under TSO each can miss the other: its own flag is still in its
//! store buffer.
//!
//! ```
//! use fencepost_verify::{Budget, CheckOptions, Model, Program, ReadOptions, Shown};
//!
//! let text = r#"
//!     #include <assert.h>
//!     #include <pthread.h>
//!     int x, y, a, b;
//!     void *left(void *_) { x = 1; a = y; return 0; }
//!     void *right(void *_) { y = 1; b = x; return 0; }
//!     int main(void) {
//!         pthread_t l, r;
//!         pthread_create(&l, 0, left, 0); pthread_create(&r, 0, right, 0);
//!         pthread_join(l, 0); pthread_join(r, 0);
//!         assert(a == 1 || b == 1);
//!     }"#;
//! let program = Program::from_text("flags.c", text, &ReadOptions::default())?;
//! let checked = program.check(Model::Tso, &CheckOptions::default(), &Budget::default())?;
//! let Shown::Unsafe(run) = checked.verdict else { panic!("a store buffer hides the flags") };
//! for step in &run.steps {
//!     let line = step.event.span.line;
//!     println!("{}, line {line}: {}", step.thread, step.event.kind.name());
//! }
//! let safe = program.check(Model::Sc, &CheckOptions::default(), &Budget::default())?;
//! assert!(matches!(safe.verdict, Shown::Safe { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`ReadOptions`] and [`CheckOptions`]: what can be chosen; everything has a default.
//! - [`Budget`]: limits on time and memory, which [`Limits`] makes, and a flag that ends the work.
//! - [`fences`]: the fewest fences that repair a program. [`robust`]: whether TSO, or C11, adds behaviour at all.
//! - [`litmus`]: final states of litmus tests, many side by side. [`campaign`]: results of many files, in parts.
//! - What is shown of a verdict (text, JSON, SARIF, pages) is made by `fencepost_report`.

mod c11;
pub mod campaign;
pub mod compiler;
mod decide;
pub mod fences;
pub mod files;
pub mod internal;
pub mod litmus;
#[cfg(test)]
mod looks;
pub mod options;
pub mod patience;
pub mod portfolio;
mod program;
pub mod read;
pub mod robust;
mod simplest;
#[cfg(test)]
mod stops;
mod translated;
pub mod translation;
mod warnings;

pub use c11::{decide_c11, decide_with_races};
pub use decide::{Decided, decide};
pub use fencepost_report::Shown;
pub use fencepost_robust::c11::ReleaseSequences;
pub use fencepost_task::{AnyModel, Bounds, Budget, EngineChoice, EngineId, Model, VerdictKind};
pub use options::{COptions, CheckOptions, Format, Limits, Misfit, ReadOptions, Sma};
pub use program::{Program, lower, lower_for_language, nothing_to_check};
pub use read::InputError;
pub use warnings::warnings;

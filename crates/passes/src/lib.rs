//! Program to program, one pass per file; [`pipeline`] is the whole list.
//!
//! ```
//! let tree = fencepost_models::fp::read("one.fp", "shared int x; thread a { x = 1; }").expect("it is a model");
//! let program = fencepost_passes::pipeline::lower(tree);
//! assert_eq!(program.objects.len(), 1);
//! ```

mod cells;
mod choices;
pub mod claims;
mod compact;
mod early_choices;
mod exposure;
mod in_memory;
mod instantiate;
mod late_choice;
mod lifetime;
mod lower;
mod misfits;
mod narrow;
mod open_ends;
mod orders;
pub mod pipeline;
mod spawn_loop;
mod spawned;
pub mod static_threads;
mod thread_ends;
mod thread_locals;

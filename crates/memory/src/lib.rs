//! The reference semantics: small, obviously right, without reductions. Every other part of
//! Fencepost is tested against it.
//!
//! A [`State`] is memory, threads, and a buffer for each thread. What is common to all models,
//! that is control, registers, calls, locks and atomic sections, is in [`Machine`]. What a memory
//! model decides is the trait [`Memory`]: [`Sc`] is its default methods, and a weaker model
//! overrides only what it relaxes ([`Tso`], [`Pso`]). [`LoadBuffer`] is the dual semantics of
//! TSO, to test the rules of the backward engine. [`axiom`] is a second definition of the three models
//! that shares no code with these, and the definition of the language's own model, C11.
//!
//! Two threads that store and then look at each other's variable: under TSO both can miss the other.
//!
//! ```
//! use fencepost_memory::{Machine, Sc, Tso, reachable};
//!
//! let text = "
//!     shared bool x, y;
//!     thread a { x = true; bool r = y; }
//!     thread b { y = true; bool r = x; }
//!     final not exists (!a.r && !b.r);";
//! let program = fencepost_passes::pipeline::lower(fencepost_models::fp::read("sb.fp", text).expect("it is a model"));
//! let machine = Machine::new(&program).expect("its threads are given");
//! assert!(reachable(&machine, &Sc, 1000).expect("it is small").is_safe());
//! assert!(!reachable(&machine, &Tso, 1000).expect("it is small").is_safe());
//! ```

mod allocation;
pub mod axiom;
mod cells;
mod checks;
mod event;
mod heap;
mod initial;
mod load_buffer;
mod machine;
mod model;
mod naming;
pub mod orders;
mod prompt;
mod property;
mod pso;
mod reference;
pub mod run_graph;
mod samples;
mod sc;
mod state;
mod tso;
mod wide;

pub use event::{Event, EventKind};
pub use heap::{Found, HeapObject, Layout, Life};
pub use initial::{InitialChoices, initial_choices};
pub use load_buffer::LoadBuffer;
pub use machine::{Machine, Parameterized, Resolved};
pub use model::Memory;
pub use prompt::without_delay;
pub use pso::{Pso, put_in_order};
pub use reference::{Reachable, reachable};
pub use sc::Sc;
pub use state::{Entry, EntryKind, Frame, Section, State, Thread, stores};
pub use tso::Tso;

/// Runs `$body` with `$memory` bound to the semantics of a [`fencepost_task::Model`].
#[macro_export]
macro_rules! with_memory {
    ($model:expr, $memory:ident => $body:expr) => {
        match $model {
            fencepost_task::Model::Sc => {
                let $memory = &$crate::Sc;
                $body
            }
            fencepost_task::Model::Tso => {
                let $memory = &$crate::Tso;
                $body
            }
            fencepost_task::Model::Pso => {
                let $memory = &$crate::Pso;
                $body
            }
        }
    };
}

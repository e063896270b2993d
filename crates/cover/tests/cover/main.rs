//! Backward coverability against the reference semantics and explicit search. One binary for all of it.

mod agreement;
mod memory;
mod rules;
mod spawned;
mod values;

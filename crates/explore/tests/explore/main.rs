//! Explicit search from outside: against the reference semantics, the axioms, litmus tests and the processor. One binary for all of it.

mod addresses;
mod axiomatic;
mod heap;
mod least_weak;
mod limits;
mod litmus;
mod machine;
mod random;
mod tiny;
mod walk;
mod wide;

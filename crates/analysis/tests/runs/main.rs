//! Nothing that happens in a run may be denied: random programs run on the reference semantics, and each step is looked up
//! in what the analyses say.

mod bounded;
mod escape;
mod names;
mod pointers;
mod programs;

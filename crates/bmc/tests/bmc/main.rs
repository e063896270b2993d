//! Bounded model checking from outside: against explicit search, the reference semantics, compiled C and CBMC. One binary for all of it.

mod abstractions;
mod agreement;
mod bitblast;
mod c_programs;
mod cbmc;
mod reuse;
mod sequential_c;
mod sizes;
mod small;
mod wide;

//! Where TSO differs from SC, and the fewest fences that repair a program ([`fences`]).

pub mod fences;

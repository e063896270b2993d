//! Which objects only the thread that made them can reach. A thread gets at an object that it has not made by a pointer, and
//! pointers come to other threads in three ways: through memory that both can reach, as what a new thread is given, and as
//! what a thread ends with.
//!
//! [`variables`] says it of the variables and allocations of a tree, [`kinds`] of the kinds of objects that a graph allocates.

pub mod kinds;
pub mod variables;

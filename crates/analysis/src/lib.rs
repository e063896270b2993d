//! Facts about a program, each found once: which variables have an address ([`addressed`]), where pointers lead ([`points_to`]), which objects only one thread can reach
//! ([`escape`]), which registers can still be read ([`liveness`]), and which values and cells there can be within bounds on
//! repetitions ([`bounded`], [`values`]).
//!
//! A fact is an over-approximation of all runs: what happens in a run is never denied. Every analysis ends because its sets
//! only grow and are finite.
//!
//! ```
//! use fencepost_analysis::points_to::PointsTo;
//!
//! let text = "int x, y; int main(void) { int *p = &x; *p = 1; return y; }";
//! let program = fencepost_c::read(&[("one.c", text)], &fencepost_c::Options::default()).expect("it is C");
//! let points_to = PointsTo::new(&program);
//! assert!(!points_to.addresses_become_numbers());
//! ```

pub mod addressed;
pub mod bounded;
pub mod escape;
pub mod liveness;
pub mod points_to;
pub mod values;

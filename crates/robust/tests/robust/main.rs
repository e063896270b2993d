//! Robustness, the lazy engine and fence synthesis against definitions that are tried out in full. One binary for all of it.

mod brute;
mod c11;
mod fences;
mod lazy;

//! Programs for the tests of every engine: all tiny ones ([`tiny`]), random larger ones
//! ([`random`], [`labelled`]) with a shrinker for what fails ([`sketch`]), every two features of the language together
//! ([`pairs`]), mutated texts ([`mutate`]), programs with memory orders ([`ordered`]), and C programs: of one thread
//! ([`c_program`], [`c_library`], in several sizes [`c_memory`]), and of two that access one word in several sizes
//! ([`mixed_sizes`]) or memory through pointers ([`c_pointers`]).
//! Everything is deterministic: the same seed gives the same program. How many of them a test takes is asked in
//! [`effort`], and which programs of others there are to compare with in [`programs`].
//!
//! ```
//! use fencepost_samples::random::{self, Config};
//!
//! let config = Config { statements: 4, threads: 2, storing_loops: false };
//! assert_eq!(random::program(7, config).to_string(), random::program(7, config).to_string());
//! ```

pub mod c_library;
pub mod c_memory;
pub mod c_pointers;
pub mod c_program;
pub mod effort;
pub mod labelled;
pub mod mixed_sizes;
pub mod mutate;
pub mod ordered;
pub mod pairs;
pub mod programs;
pub mod random;
pub mod sketch;
pub mod tiny;

/// A small random number generator (splitmix64): the tests need repeatable numbers, not good ones.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }

    /// One of the items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

//! How much tests are to do: the one place that asks.
//!
//! - Without a word, little: `cargo test` is for whoever changes something and waits.
//! - `FENCEPOST_TESTS=full` is what has to pass before a change lands.
//! - `FENCEPOST_TESTS=all` leaves nothing out of what can be listed, which takes minutes to hours.
//! - `FENCEPOST_SEEDS=N` says how many random programs, whatever the effort.

/// How much is wanted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effort {
    /// Something of everything.
    Quick,
    /// What has to pass before a change lands.
    Full,
    /// Everything that can be listed.
    All,
}

/// How much is wanted now.
pub fn effort() -> Effort {
    match std::env::var("FENCEPOST_TESTS").as_deref() {
        Err(_) | Ok("" | "quick") => Effort::Quick,
        Ok("full") => Effort::Full,
        Ok("all") => Effort::All,
        Ok(other) => panic!("FENCEPOST_TESTS is `quick`, `full` or `all`, not `{other}`"),
    }
}

/// How many random programs: a fifth of the full number if little is wanted.
pub fn seeds(full: u64) -> u64 {
    if let Some(seeds) = std::env::var_os("FENCEPOST_SEEDS") {
        let seeds = seeds.to_str().and_then(|n| n.parse().ok());
        return seeds.expect("FENCEPOST_SEEDS is a number");
    }
    match effort() {
        Effort::Quick => full.div_ceil(5),
        Effort::Full | Effort::All => full,
    }
}

/// A time limit for what may run into it: a fifth of the full seconds if little is wanted.
pub fn seconds(full: u64) -> u64 {
    match effort() {
        Effort::Quick => full.div_ceil(5),
        Effort::Full | Effort::All => full,
    }
}

/// Of what can be listed, each how-many-th is taken: a fifth of the full number if little is wanted, and all if all are.
pub fn every(full: usize) -> usize {
    match effort() {
        Effort::Quick => full * 5,
        Effort::Full => full,
        Effort::All => 1,
    }
}

//! Nothing that happens in a run may be denied: random programs run on the reference semantics, and each step is looked up
//! in what the analyses say.

mod bounded;
mod escape;
mod names;
mod pointers;
mod programs;

/// How many programs are tried, unless `FENCEPOST_SEEDS` says.
fn seeds(usual: u64) -> u64 {
    std::env::var("FENCEPOST_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

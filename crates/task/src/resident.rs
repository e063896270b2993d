//! How much memory the process takes, as the system counts it.
//!
//! Engines count the bytes of their tables, but not everything is a table of an engine: a solver's clauses, the states of a
//! run that is replayed, a page that is drawn. So the size of the whole process has a limit, too. It is known on Linux
//! only; elsewhere the limit of the tables is what there is.
//!
//! The system is asked every few milliseconds at most, whoever looks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How old an answer may be.
const FRESH: Duration = Duration::from_millis(5);

/// What a process takes that has nothing to do: code, buffers, stacks of threads.
const BASE: u64 = 64 << 20;

/// A limit for the whole process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Limit {
    bytes: u64,
}

impl Limit {
    /// A limit for work that may take so many bytes, an eighth more by mistake, and begins now. What the process has taken
    /// before counts only where it is more than that: the allocator keeps what was freed, and gives it out again.
    pub fn new(bytes: u64) -> Limit {
        let bytes = bytes.saturating_add(bytes / 8).saturating_add(BASE);
        Limit { bytes: bytes.max(now().unwrap_or(0)) }
    }

    /// A limit for a little more work, whatever the process takes by now.
    pub fn with_room(self) -> Limit {
        Limit { bytes: self.bytes.max(now().unwrap_or(0).saturating_add(BASE)) }
    }

    /// Whether the process would take more than that with so many bytes more. For what is nothing or little, an answer of a
    /// moment ago is good enough.
    pub fn is_exceeded_by(self, more: u64) -> bool {
        let taken = if more == 0 { recently() } else { now().unwrap_or(0) };
        taken.saturating_add(more) > self.bytes
    }
}

/// Bytes of the process, now.
fn now() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Bytes of the process a few milliseconds ago at most; 0 where that is not known.
fn recently() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    static ASKED: AtomicU64 = AtomicU64::new(0);
    static BYTES: AtomicU64 = AtomicU64::new(0);
    let at = START.get_or_init(Instant::now).elapsed().as_micros() as u64 + 1;
    let asked = ASKED.load(Ordering::Relaxed);
    if asked == 0 || at > asked + FRESH.as_micros() as u64 {
        ASKED.store(at, Ordering::Relaxed);
        BYTES.store(now().unwrap_or(0), Ordering::Relaxed);
    }
    BYTES.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_large_vector_is_noticed() {
        let before = now().unwrap();
        let large = vec![1u8; 64 << 20];
        let with = now().unwrap();
        assert!(with >= before + (60 << 20), "{before} and then {with}");
        assert_eq!(large[large.len() / 2], 1);
    }
}

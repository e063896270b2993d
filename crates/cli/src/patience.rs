//! Work that cannot be stopped in the middle, reading a file above all, within limits that hold all the same.
//!
//! It is done by a thread of its own, which is waited for as long as the budget allows. After that the thread
//! goes on until it is done or the process ends, and its result is dropped; a preprocessor that it waits for is ended.

use fencepost_c::end_preprocessor;
use fencepost_task::{Budget, Stop};
use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often the limits are looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// Trees may be deep.
const STACK: usize = 64 << 20;

/// Does the work, unless the budget stops the waiting for it.
pub fn within<T: Send + 'static>(
    budget: &Budget,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    let (send, done) = mpsc::channel();
    let thread = std::thread::Builder::new().name("reader".into()).stack_size(STACK);
    // The receiver may be gone when it is done.
    let reader = thread.spawn(move || drop(send.send(work()))).expect("a thread can be spawned");
    loop {
        match done.recv_timeout(GLANCE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(stop) = budget.look(0) {
                    end_preprocessor(reader.thread().id());
                    // Without it, reading ends in a moment, and takes its files with it.
                    let _ = done.recv_timeout(GLANCE * 5);
                    return Err(stop);
                }
            }
            Err(RecvTimeoutError::Disconnected) => match reader.join() {
                Err(payload) => resume_unwind(payload),
                Ok(()) => unreachable!("a reader that ends has sent what it read"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn what_takes_too_long_is_not_waited_for() {
        let start = Instant::now();
        let budget = Budget::default().until(start + Duration::from_millis(30));
        let stopped = within(&budget, || std::thread::sleep(Duration::from_secs(60)));
        assert_eq!(stopped, Err(Stop::Timeout));
        assert!(start.elapsed() < Duration::from_secs(30));
        assert_eq!(within(&Budget::default(), || 7), Ok(7));
    }

    #[test]
    #[should_panic(expected = "in the reader")]
    fn a_panic_is_passed_on() {
        let _ = within(&Budget::default(), || panic!("in the reader"));
    }
}

//! Work that cannot be stopped in the middle, reading a file above all, within limits that hold all the same.
//!
//! It is done by a thread of its own, which is waited for as long as the budget allows. After that the thread is not wanted
//! any more (`ir/src/wanted.rs`) and ends as soon as it comes by a point where it can; a preprocessor that it waits for is ended.

use fencepost_c::end_preprocessor;
use fencepost_ir::wanted::{Unwanted, while_wanted};
use fencepost_task::{Budget, Stop};
use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How long somebody waits who does not want the result, so that what it took is there for the next.
const LAST_MOMENT: Duration = Duration::from_millis(250);

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
    // It looks at the limits itself: who waits may not have its turn in time.
    let limits = budget.clone();
    let is_wanted = move || limits.look(0).is_ok();
    let thread = std::thread::Builder::new().name("reader".into()).stack_size(STACK);
    // The receiver may be gone when it is done.
    let reader = thread
        .spawn(move || drop(send.send(while_wanted(is_wanted, work))))
        .expect("a thread can be spawned");
    loop {
        match done.recv_timeout(GLANCE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(stop) = budget.look(0) {
                    end_preprocessor(reader.thread().id());
                    // It ends in a moment, and takes its files and what it has allocated with it.
                    let _ = done.recv_timeout(LAST_MOMENT);
                    return Err(stop);
                }
            }
            Err(RecvTimeoutError::Disconnected) => match reader.join() {
                Err(payload) if payload.is::<Unwanted>() => {
                    let stop = budget.look(0).err();
                    return Err(stop.expect("a budget that was refused stays closed"));
                }
                Err(payload) => resume_unwind(payload),
                Ok(()) => unreachable!("a reader that ends has sent what it read"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
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

    /// What is not waited for does not continue, and leaves nothing behind.
    #[test]
    fn what_is_not_wanted_ends() {
        struct Left(Arc<AtomicBool>);
        impl Drop for Left {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let gone = Arc::new(AtomicBool::new(false));
        let left = Left(gone.clone());
        let budget = Budget::default().until(Instant::now() + Duration::from_millis(30));
        let stopped = within(&budget, move || {
            let _left = left;
            loop {
                fencepost_ir::wanted::point();
            }
        });
        assert_eq!(stopped, Err(Stop::Timeout));
        assert!(gone.load(Ordering::Relaxed));
    }

    #[test]
    #[should_panic(expected = "in the reader")]
    fn a_panic_is_passed_on() {
        let _ = within(&Budget::default(), || panic!("in the reader"));
    }
}

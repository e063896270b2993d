//! Work whose result is no longer wanted ends by itself: reading a text, lowering it, the passes.
//!
//! These have no budget to look at, since what they are made of should not know of limits. Whoever does them for somebody with
//! limits says so with [`while_wanted`]; they come by [`point`] again and again, and unwind from there once they are not
//! wanted. It is not a panic: nothing is printed, and everything that was allocated is freed.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;

/// What work that is not wanted any more unwinds with.
#[derive(Debug)]
pub struct Unwanted;

/// So many points are passed without asking.
const PASSED: u32 = 256;

thread_local! {
    static WANTED: RefCell<Option<Box<dyn Fn() -> bool>>> = const { RefCell::new(None) };
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Does the work, on this thread, as long as it is wanted.
pub fn while_wanted<T>(is_wanted: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Box<dyn Fn() -> bool>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            WANTED.set(self.0.take());
        }
    }
    let _restore = Restore(WANTED.replace(Some(Box::new(is_wanted))));
    work()
}

/// A place where work ends that is not wanted any more. It costs next to nothing, so loops come by at every round.
pub fn point() {
    match LEFT.get().checked_sub(1) {
        Some(left) => LEFT.set(left),
        None => {
            LEFT.set(PASSED);
            let is_wanted = WANTED.with_borrow(|wanted| wanted.as_ref().is_none_or(|is_wanted| is_wanted()));
            if !is_wanted {
                resume_unwind(Box::new(Unwanted));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::rc::Rc;

    #[test]
    fn what_is_not_wanted_ends() {
        point();
        let asked = Rc::new(Cell::new(0));
        let seen = asked.clone();
        let is_wanted = move || {
            seen.set(seen.get() + 1);
            seen.get() < 3
        };
        let ended = catch_unwind(AssertUnwindSafe(|| {
            while_wanted(is_wanted, || {
                loop {
                    point();
                }
            })
        }));
        let ended: Result<(), _> = ended;
        assert!(ended.is_err_and(|payload| payload.is::<Unwanted>()));
        assert_eq!(asked.get(), 3);
        (0..2 * PASSED).for_each(|_| point());
        assert_eq!(asked.get(), 3);
    }
}

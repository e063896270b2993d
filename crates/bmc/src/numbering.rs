//! Whether allocated objects have the numbers that the formula gives them.
//!
//! The reference semantics numbers objects as they are allocated; the formula numbers them by
//! the step that allocates them. As long as pointers are only compared for equality these are two names for the same
//! object. A program that computes with addresses, or asks which is smaller, sees the difference, unless the order of
//! allocations is always the same: one thread allocates, in the order of the numbers, and passes all places where it does; and as long as no number is used again
//! (`Bounded::is_reused`), after which the next new object has another number.

use fencepost_analysis::bounded::{Bounded, Place};

/// Why a program is not taken that sees its objects' numbers where they are not certain.
pub const UNORDERED: &str =
    "the program computes with addresses of objects that may be allocated in different orders";

/// Whether the program may see which numbers its objects have.
pub fn is_seen(analysis: &Bounded<'_>) -> bool {
    analysis.program.exposes_pointers || analysis.orders_objects
}

/// Whether every run numbers its objects as the formula does.
pub fn is_certain(analysis: &Bounded<'_>) -> bool {
    let mut objects: Vec<_> =
        analysis.allocations().map(|((thread, step), object)| (object, thread, step)).collect();
    objects.sort_unstable();
    let Some((_, thread, _)) = objects.first().copied() else { return true };
    let code = &analysis.instances[thread].code;
    let in_order = objects.windows(2).all(|pair| pair[0].2 < pair[1].2);
    // Whoever has ended, or stopped for the bound, allocates nothing any more.
    let goes_on = |place: usize| !matches!(code.places[place], Place::End | Place::Cut);
    let passes = |step: usize| {
        let place = code.steps[step].from;
        code.out(place).len() == 1
            && !code.steps.iter().any(|s| s.from < place && place < s.to && goes_on(s.to))
    };
    in_order && objects.iter().all(|(_, by, step)| *by == thread && passes(*step))
}

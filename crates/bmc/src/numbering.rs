//! Whether allocated objects have the numbers that the formula gives them.
//!
//! The reference semantics numbers objects as they are allocated; the formula numbers them by
//! the step that allocates them. As long as pointers are only compared for equality these are two names for the same
//! object. A program that computes with addresses, or asks which is smaller, sees the difference, unless the order of
//! allocations is always the same: one thread allocates, in the order of the numbers, and passes all places where it does; and as long as no number is used again
//! (`reuse.rs`), after which the next new object has another number.

use crate::analysis::Analysis;
use crate::unroll::Place;
use crate::values::Values;
use fencepost_ir::cfg::{BinaryOp, Expr, Instr};
use fencepost_ir::pointer::{Target, target};

/// Why a program is not taken that sees its objects' numbers where they are not certain.
pub const UNORDERED: &str =
    "the program computes with addresses of objects that may be allocated in different orders";

/// Whether the program may see which numbers its objects have.
pub fn is_seen(analysis: &Analysis<'_>) -> bool {
    analysis.program.exposes_pointers || analysis.orders_objects
}

/// Whether every run numbers its objects as the formula does.
pub fn is_certain(analysis: &Analysis<'_>) -> bool {
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

/// Whether an instruction may ask which of two objects, one of them allocated, has the smaller address. Of the objects
/// that one step may make, no two exist in a run.
pub fn orders_objects(analysis: &Analysis<'_>, instr: &Instr, value: &dyn Fn(&Expr) -> Values) -> bool {
    let first = analysis.program.objects.len();
    let last = (first + analysis.objects.len()) as u32;
    let objects = |expr: &Expr| match value(expr) {
        Values::Few(words) => words.into_iter().filter_map(object).collect::<Vec<_>>(),
        // Integers are hardly ever all so large.
        Values::Range(lo, hi) => match (object(lo), object(hi)) {
            (Some(lo), Some(hi)) => (lo..hi.min(last)).chain([hi]).collect(),
            (lo, hi) => lo.into_iter().chain(hi).collect(),
        },
    };
    let maker = |object: u32| Some(analysis.objects.get((object as usize).checked_sub(first)?)?.by);
    let mut orders = false;
    instr.expressions(&mut |expr| {
        expr.visit(&mut |part| {
            let Expr::Binary(BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, _, left, right) =
                part
            else {
                return;
            };
            let (left, right) = (objects(left), objects(right));
            let differ = |l: &u32| {
                let differs = |r: &u32| r != l && (maker(*l) != maker(*r) || maker(*l).is_none());
                right.iter().any(|r| (*r).max(*l) as usize >= first && differs(r))
            };
            orders |= left.iter().any(differ);
        });
    });
    orders
}

fn object(word: i64) -> Option<u32> {
    match target(word) {
        Target::Object(object, _) => Some(object),
        Target::Null | Target::Procedure(_) => None,
    }
}

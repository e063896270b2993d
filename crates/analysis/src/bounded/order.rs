//! Whether a program can tell in which order objects were allocated: it asks which of two addresses is smaller.

use super::Bounded;
use crate::values::Values;
use fencepost_ir::cfg::{BinaryOp, Expr, Instr};
use fencepost_ir::pointer::{Target, target, to_object};

/// Whether an instruction may ask which of two objects, one of them allocated, has the smaller address. Of the objects
/// that one step may make, no two exist in a run.
pub(super) fn orders_objects(analysis: &Bounded<'_>, instr: &Instr, value: &dyn Fn(&Expr) -> Values) -> bool {
    let first = analysis.program.objects.len();
    let last = (first + analysis.objects.len()) as u32;
    let objects = |expr: &Expr| match value(expr) {
        Values::Few(words) => words.into_iter().filter_map(object).collect::<Vec<_>>(),
        Values::Range(lo, hi) => match (object(lo), object(hi)) {
            (Some(lo), Some(hi)) => (lo..hi.min(last)).chain([hi]).collect(),
            // From null on.
            (None, Some(hi)) => (0..hi.min(last)).chain([hi]).collect(),
            // Up to a procedure.
            (Some(lo), None) => (lo..last).chain([lo]).collect(),
            // Small integers; or what may be anything, and so a pointer, too.
            (None, None) if (lo..=hi).contains(&to_object(0, 0)) => (0..last).collect(),
            (None, None) => Vec::new(),
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

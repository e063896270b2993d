//! The places that allocate, and how many objects of what type each of them makes.

use super::Objects;
use crate::Unsupported;
use crate::pointers::with_fixed_values;
use crate::times::{self, Runs, constant};
use fencepost_analysis::points_to::Sites;
use fencepost_ir::tree::{Expr, ExprKind, ProcedureId, Program, Storage, Type};
use std::collections::BTreeMap;

/// More objects than this are not kept apart.
const MOST: u64 = 64;

/// A place that allocates, by its number among those of a procedure.
pub type Site = (ProcedureId, usize);

/// The objects of all places that allocate.
pub fn allocations(program: &Program) -> Result<BTreeMap<Site, Objects>, Unsupported> {
    // Values are put in place of expressions that allocate nothing, so the places keep their numbers.
    let fixed = with_fixed_values(program);
    let runs = Runs::new(&fixed);
    let mut found: BTreeMap<Site, Objects> = BTreeMap::new();
    let mut wrong = None;
    for (i, procedure) in fixed.procedures.iter().enumerate() {
        let (id, sites) = (ProcedureId(i), Sites::new(procedure));
        times::expressions(procedure, &mut |e, times| {
            let Some(site) = sites.number(e) else { return };
            let times = runs.times(id).zip(times).and_then(|(a, b)| a.checked_mul(b));
            match made(program, id, e, times) {
                Ok(objects) => found.extend(objects.map(|objects| ((id, site), objects))),
                Err(unsupported) => {
                    wrong.get_or_insert(unsupported);
                }
            }
        });
    }
    wrong.map_or(Ok(found), Err)
}

/// The objects that an expression allocates if it runs so many times.
fn made(
    program: &Program,
    id: ProcedureId,
    e: &Expr,
    times: Option<u64>,
) -> Result<Option<Objects>, Unsupported> {
    let refused = |what: &str| Unsupported::new(e.span, what);
    let (ty, size, fill, storage) = match &e.kind {
        ExprKind::Allocate(ty, size, fill, storage) => (ty, size, *fill, *storage),
        ExprKind::Reallocate(..) => {
            return Err(refused("memory that is made larger or smaller").help(
                "allocate as much as is needed at once, or check the file with `--engine bmc` or `explicit`",
            ));
        }
        _ => return Ok(None),
    };
    let is_first = program.threads.iter().any(|t| t.procedure == id);
    if storage == Storage::Stack && !is_first {
        return Err(refused("a large local variable of a function that threads run")
            .help("make the variable static, or smaller"));
    }
    let Some(total) = times.filter(|n| *n <= MOST) else {
        return Err(refused("memory that is allocated any number of times").help(
            "allocate it at a place that runs a known number of times (outside of loops, or in one that counts \
             to a constant), take it from a static array, or check the file with `--engine bmc` or `explicit`",
        ));
    };
    if is_open(program, ty) {
        return Err(refused("memory for an array of open length").help("give the array a length"));
    }
    let element = match ty {
        Type::Array(element, _) if matches!(**element, Type::Array(..)) => {
            return Err(
                refused("memory for arrays of arrays").help("use one array, or make the variable static")
            );
        }
        Type::Array(element, _) => (**element).clone(),
        Type::Scalar(_) | Type::Record(_) => ty.clone(),
    };
    let size_of = program.records.size(&element);
    let bytes = constant(size).and_then(|n| u64::try_from(n).ok());
    let count = bytes.filter(|n| size_of > 0 && n % size_of == 0).map(|n| n / size_of);
    let Some(count) = count.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0) else {
        return Err(refused("memory whose size is no constant number of elements")
            .help("allocate a constant number of elements of one type"));
    };
    let place = format!("{} allocates in line {}", program.procedure(id).name, e.span.line);
    // What never runs is never asked for, but has a text.
    let total = u32::try_from(total.max(1)).expect("there are few");
    Ok(Some(Objects { element, count, total, fill, place }))
}

/// Whether there is an array without a length in a type.
fn is_open(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => false,
        Type::Array(element, n) => *n == 0 || is_open(program, element),
        Type::Record(id) => program.records.get(*id).fields.iter().any(|f| is_open(program, &f.ty)),
    }
}

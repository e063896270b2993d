//! Whether pointers are also used as integers: where addresses of objects that come and go become some, and whether the program
//! computes with these. Where it does not, engines may number objects as they like.

use fencepost_analysis::points_to::PointsTo;
use fencepost_ir::Scalar;
use fencepost_ir::tree::*;

/// Notes it in the program.
pub(crate) fn run(program: &mut Program) {
    if !program.exposes_pointers && !converts(program) {
        return;
    }
    let points_to = PointsTo::new(program);
    let becomes = points_to.addresses_become_numbers();
    // Narrow forms of pointers are computed.
    let opaque = program.pointer_bits == 64 && points_to.addresses_are_opaque();
    program.exposes_pointers |= becomes;
    program.opaque_addresses = program.exposes_pointers && opaque;
}

/// Whether a pointer is converted at all.
fn converts(program: &Program) -> bool {
    let mut found = false;
    for procedure in &program.procedures {
        procedure.body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Convert(_, inner) = &e.kind {
                        found |= matches!((inner.ty, e.ty), (Scalar::Pointer { .. }, Scalar::Int(_)));
                    }
                });
            }
        });
    }
    found
}

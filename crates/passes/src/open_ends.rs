//! Structures that are allocated with more room than they have, for an array of one element at their end: the array takes what
//! there is.

use fencepost_ir::tree::*;

/// Opens the ends of such structures.
pub(crate) fn run(program: &mut Program) {
    for p in 0..program.procedures.len() {
        let mut body = std::mem::take(&mut program.procedures[p].body);
        body.visit_mut(&mut |stmt| {
            for e in stmt.kind.expressions_mut() {
                e.visit_mut(&mut |e| {
                    if let ExprKind::Allocate(ty, bytes, ..) | ExprKind::Reallocate(ty, _, bytes) =
                        &mut e.kind
                        && let Type::Record(id) = *ty
                        && is_sum(bytes)
                        && let Some(open) = opened(&mut program.records, id)
                    {
                        *ty = open;
                    }
                });
            }
        });
        program.procedures[p].body = body;
    }
}

/// A record whose last array has no length, if it has one of one element.
fn opened(records: &mut Records, id: RecordId) -> Option<Type> {
    let Record { name, kind: RecordKind::Struct, fields, .. } = records.get(id) else {
        return None;
    };
    let (name, mut fields) = (name.clone(), fields.clone());
    let last = fields.last_mut()?;
    let Type::Array(of, 1) = &last.ty else { return None };
    last.ty = Type::Array(of.clone(), 0);
    let size = last.offset;
    let made = Record { name, kind: RecordKind::Struct, fields, size };
    let known = records.0.iter().position(|record| *record == made);
    Some(Type::Record(RecordId(known.unwrap_or_else(|| {
        records.0.push(made);
        records.0.len() - 1
    }) as u32)))
}

/// Whether a size is one of a structure and of something after it.
fn is_sum(bytes: &Expr) -> bool {
    match &bytes.kind {
        ExprKind::Convert(_, inner) => is_sum(inner),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => true,
        _ => false,
    }
}

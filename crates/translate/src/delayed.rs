//! What stores are delayed to: the scalars in shared variables, each for all indices of the arrays around it.

use crate::{Language, Unsupported, pointers};
use fencepost_ir::tree::{Program, RecordKind, SharedId, Type};
use fencepost_ir::{Scalar, Span};
use std::collections::BTreeSet;

/// A scalar in a shared variable, for all indices, that stores are delayed to.
pub struct Delayed {
    /// The variable.
    pub base: SharedId,
    /// The members on the way.
    pub fields: Vec<usize>,
    /// A name for it that no other has.
    pub name: String,
    /// Its type.
    pub ty: Scalar,
    /// The lengths of the arrays around it.
    pub dims: Vec<u32>,
    /// The text of the place: what stands between the indices.
    pieces: Vec<String>,
}

impl Delayed {
    /// The place, with these indices.
    pub fn at(&self, indices: &[String]) -> String {
        let mut text = self.pieces[0].clone();
        for (index, piece) in indices.iter().zip(&self.pieces[1..]) {
            text += &format!("[{index}]{piece}");
        }
        text
    }
}

/// Takes the shared variables apart into scalars that stores are delayed to.
pub fn delayed(
    program: &Program,
    addressed: &[bool],
    language: Language,
) -> Result<Vec<Delayed>, Unsupported> {
    let written = pointers::written(program, addressed);
    let mut all = Vec::new();
    for (i, variable) in program.shared.iter().enumerate() {
        if variable.ty.is_unbounded() {
            return Err(Unsupported::new(variable.span, "an array without end"));
        }
        if !language.is_c() && variable.ty.leaf().is_none() {
            return Err(Unsupported::new(variable.span, "a record in shared memory"));
        }
        let start = Delayed {
            base: SharedId(i),
            fields: Vec::new(),
            name: variable.name.clone(),
            ty: Scalar::Bool,
            dims: Vec::new(),
            pieces: vec![variable.name.clone()],
        };
        let mut own = Vec::new();
        parts(program, &variable.ty, start, variable.span, &mut own)?;
        // What nobody writes is as it is.
        all.extend(own.into_iter().filter(|_| written[i]));
    }
    // `a.b` and `a_b` would get the same name.
    let mut taken = BTreeSet::new();
    for x in &mut all {
        while !taken.insert(x.name.clone()) {
            x.name.push('_');
        }
    }
    Ok(all)
}

fn parts(
    program: &Program,
    ty: &Type,
    mut at: Delayed,
    span: Span,
    all: &mut Vec<Delayed>,
) -> Result<(), Unsupported> {
    match ty {
        Type::Scalar(Scalar::Mutex) => {}
        Type::Scalar(scalar) => {
            at.ty = *scalar;
            all.push(at);
        }
        Type::Array(element, n) => {
            at.dims.push(*n);
            at.pieces.push(String::new());
            parts(program, element, at, span, all)?;
        }
        Type::Record(id) => {
            let record = program.records.get(*id);
            if record.kind == RecordKind::Union {
                return Err(Unsupported::new(span, "a union in shared memory"));
            }
            for (i, field) in record.fields.iter().enumerate() {
                let mut inner = Delayed {
                    base: at.base,
                    fields: at.fields.clone(),
                    name: format!("{}_{}", at.name, field.name),
                    ty: at.ty,
                    dims: at.dims.clone(),
                    pieces: at.pieces.clone(),
                };
                inner.fields.push(i);
                let last = inner.pieces.last_mut().expect("there is a first piece");
                *last += &format!(".{}", field.name);
                parts(program, &field.ty, inner, span, all)?;
            }
        }
    }
    Ok(())
}

//! What stores are delayed to: the scalars in shared variables, each for all indices of the arrays around it.

use crate::heap::Heap;
use crate::{Unsupported, build, names, pointers};
use fencepost_ir::tree::{Base, BinaryOp, Expr, Place, Program, Projection, SharedId, Type, VarRef};
use fencepost_ir::{Access, Scalar, Span};
use std::collections::BTreeSet;

/// A scalar in a shared variable, for all indices, that stores are delayed to.
#[derive(Clone)]
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
    /// Members on other ways to the same cells, in unions.
    pub aliases: Vec<Vec<usize>>,
    /// Its first byte, and how far elements are apart.
    offset: u64,
    strides: Vec<u64>,
    /// For allocated objects, how they are found.
    pub object: Option<Object>,
    /// The way to it.
    path: Vec<Part>,
}

/// Allocated objects: a variable points to them.
#[derive(Clone)]
pub struct Object {
    /// The type of one of them.
    ty: Type,
    /// The type of pointers.
    pointer: Scalar,
    /// Whether there are several, and the first index says which.
    indexed: bool,
}

/// A step of a way for all indices.
#[derive(Clone, Copy)]
enum Part {
    Index,
    Field(usize),
}

impl Object {
    /// The pointer to the object.
    fn pointer(&self, base: SharedId, indices: &[Expr]) -> Expr {
        let which = indices.iter().take(usize::from(self.indexed)).cloned();
        build::read(build::element(VarRef::Shared(base), which), self.pointer)
    }
}

impl Delayed {
    /// The place, with these indices.
    pub fn at(&self, indices: &[Expr]) -> Place {
        let (base, mut rest) = match &self.object {
            None => (Base::Variable(VarRef::Shared(self.base)), indices.iter()),
            Some(object) => {
                let pointer = Box::new(object.pointer(self.base, indices));
                (Base::Pointed(pointer, object.ty.clone()), indices[usize::from(object.indexed)..].iter())
            }
        };
        let path = self.path.iter().map(|part| match part {
            Part::Field(i) => Projection::Field(*i),
            Part::Index => Projection::Index(rest.next().expect("there is an index for each array").clone()),
        });
        Place { base, path: path.collect(), span: Span::NONE, access: Access::Plain }
    }

    /// For an allocated object the test whether it is there.
    pub fn is_there(&self, indices: &[Expr]) -> Option<Expr> {
        let object = self.object.as_ref()?;
        let null = Expr::constant(0, object.pointer, Span::NONE);
        Some(build::test(BinaryOp::Ne, object.pointer(self.base, indices), null))
    }

    /// The first bytes of all elements.
    fn cells(&self) -> BTreeSet<u64> {
        let mut cells = BTreeSet::from([self.offset]);
        for (n, stride) in self.dims.iter().zip(&self.strides) {
            cells = cells.iter().flat_map(|c| (0..u64::from(*n)).map(move |i| c + i * stride)).collect();
        }
        cells
    }

    /// Whether it shares bytes with another one.
    fn meets(&self, other: &Delayed) -> bool {
        let (own, others) = (self.cells(), other.cells());
        // The last element that begins before the end of one is the only one that can reach into it.
        own.iter().any(|start| {
            let before = others.range(..start + self.ty.size()).next_back();
            before.is_some_and(|first| first + other.ty.size() > *start)
        })
    }

    /// Whether the members lead here.
    pub fn is_at(&self, fields: &[usize]) -> bool {
        self.fields == fields || self.aliases.iter().any(|other| other == fields)
    }
}

/// Takes the shared variables apart into scalars that stores are delayed to.
pub fn delayed(
    program: &Program,
    addressed: &[bool],
    heap: &Heap,
    prefix: &str,
) -> Result<Vec<Delayed>, Unsupported> {
    let written = pointers::written(program, addressed);
    let mut all = Vec::new();
    for (i, variable) in program.shared.iter().enumerate() {
        if variable.ty.is_unbounded() {
            return Err(Unsupported::new(variable.span, "an array without end"));
        }
        let objects = heap.objects.get(&SharedId(i));
        let mut start = Delayed {
            aliases: Vec::new(),
            offset: 0,
            strides: Vec::new(),
            object: objects.map(|o| Object {
                ty: o.one(),
                pointer: Scalar::Pointer { bits: program.pointer_bits },
                indexed: o.total > 1,
            }),
            base: SharedId(i),
            fields: Vec::new(),
            name: names::plain(variable.name.strip_prefix(prefix).unwrap_or(&variable.name)),
            ty: Scalar::Bool,
            dims: Vec::new(),
            path: Vec::new(),
        };
        let mut ty = &variable.ty;
        if let (Some(2..), Type::Array(inner, n)) = (objects.map(|o| o.total), ty) {
            start.dims.push(*n);
            start.strides.push(program.records.size(inner));
            ty = inner;
        }
        let mut own = Vec::new();
        parts(program, ty, start, &mut own);
        if program.records.has_union(&variable.ty) {
            let cells = program.records.layout(&variable.ty);
            let is_zero = |v: i64, ty: Scalar| v == 0 || v == ty.default_value();
            let mut first = variable.init.iter().zip(&cells);
            if first.any(|(c, cell)| !c.single().is_some_and(|v| is_zero(v, cell.ty))) {
                return Err(Unsupported::new(variable.span, "a union with a value at first")
                    .help("let it be zero at first, and set it in `main`"));
            }
            own = merged(own, variable.span)?;
        }
        // What is never written keeps its value.
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

/// Members of unions that are the same cells become one.
fn merged(all: Vec<Delayed>, span: Span) -> Result<Vec<Delayed>, Unsupported> {
    let mut out: Vec<Delayed> = Vec::new();
    for x in all {
        let shape = |x: &Delayed| (x.offset, x.dims.clone(), x.strides.clone(), x.ty.size());
        if let Some(same) = out.iter_mut().find(|y| shape(y) == shape(&x)) {
            same.aliases.push(x.fields);
            continue;
        }
        if out.iter().any(|y| y.meets(&x)) {
            return Err(Unsupported::new(span, "memory that is accessed in several sizes")
                .help("give the members of the union the same shape, or use one of them only"));
        }
        out.push(x);
    }
    Ok(out)
}

fn parts(program: &Program, ty: &Type, mut at: Delayed, all: &mut Vec<Delayed>) {
    match ty {
        Type::Scalar(Scalar::Mutex) => {}
        // It has no elements.
        Type::Array(_, 0) => {}
        Type::Scalar(scalar) => {
            at.ty = *scalar;
            all.push(at);
        }
        Type::Array(element, n) => {
            at.dims.push(*n);
            at.strides.push(program.records.size(element));
            at.path.push(Part::Index);
            parts(program, element, at, all);
        }
        Type::Record(id) => {
            for (i, field) in program.records.get(*id).fields.iter().enumerate() {
                let mut inner = at.clone();
                inner.name = format!("{}_{}", at.name, names::plain(&field.name));
                inner.offset += field.offset;
                inner.fields.push(i);
                inner.path.push(Part::Field(i));
                parts(program, &field.ty, inner, all);
            }
        }
    }
}

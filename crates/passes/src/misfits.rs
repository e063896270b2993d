//! Accesses that see part of a scalar, or several, in an object that is something else.

use fencepost_analysis::points_to::{Byte, Object, PointedAccess, PointsTo, Sites, Target};
use fencepost_ir::tree::*;
use fencepost_ir::{Cell, Scalar, Span};
use std::collections::{BTreeSet, HashMap, HashSet};

/// An access that sees part of a scalar, or several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Misfit {
    pub object: Object,
    /// What it sees.
    pub seen: Scalar,
    pub place: MisfitPlace,
}

/// Where in its object a misfit is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum MisfitPlace {
    /// At this byte, in every element of the arrays around it.
    At(u64),
    /// Anywhere, at places that are this modulo the size of what it sees.
    Row(u64),
}

/// The misfits of a program, and whether pointers go through them as numbers do.
#[derive(Default)]
pub(super) struct Misfits {
    pub found: BTreeSet<Misfit>,
    pub exposes: bool,
    /// Objects that `realloc` makes or takes.
    pub resized: BTreeSet<Object>,
    /// Objects whose bytes are accessed as such.
    pub bytes: BTreeSet<Object>,
    /// An access that may cover several cells as they are.
    pub wide: Option<Span>,
}

/// The accesses that see an object as something else.
pub(super) fn misfits(program: &Program) -> Misfits {
    let points_to = PointsTo::new(program);
    let mut sites = HashMap::new();
    for (p, procedure) in program.procedures.iter().enumerate() {
        for (n, (_, ty)) in Sites::new(procedure).iter().enumerate() {
            sites.insert(Object::Site(ProcedureId(p), n), ty.innermost());
        }
    }
    let mut finder = Finder {
        program,
        sites,
        layouts: HashMap::new(),
        misfits: Misfits { resized: points_to.resized(), ..Misfits::default() },
    };
    for access in points_to.accesses() {
        // What may be aligned is aligned: C asks for it, and machines like it.
        let is_aligned = |t: &&Target| match t.byte {
            Byte::At(byte) => byte.is_multiple_of(access.seen.size().max(1)),
            Byte::Any => true,
        };
        let aligned: HashSet<Object> = access.targets.iter().filter(is_aligned).map(|t| t.object).collect();
        for target in access.targets.iter().filter(|t| is_aligned(t) || !aligned.contains(&t.object)) {
            finder.access(*target, &access);
        }
    }
    finder.misfits
}

struct Finder<'p> {
    program: &'p Program,
    /// The types of allocations.
    sites: HashMap<Object, &'p Type>,
    layouts: HashMap<Object, Vec<Cell>>,
    misfits: Misfits,
}

impl<'p> Finder<'p> {
    fn ty(&self, object: Object) -> Option<&'p Type> {
        match object {
            Object::Variable(procedure, variable) => {
                let procedure = procedure.map(|id| self.program.procedure(id));
                Some(&self.program.variable(procedure, variable)?.ty)
            }
            Object::Site(..) => self.sites.get(&object).copied(),
            Object::Result(_) | Object::Threads | Object::Unfollowed | Object::Unknown => None,
        }
    }

    /// Looks at an access through a pointer.
    fn access(&mut self, Target { object, byte }: Target, access: &PointedAccess<'_>) {
        let (seen, span) = (access.seen, access.place.span);
        let Some(ty) = self.ty(object) else { return };
        let plain = |ty: Scalar| matches!(ty, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. });
        let (records, size) = (&self.program.records, seen.size());
        if !plain(seen) || (matches!(object, Object::Variable(..)) && size > records.size(ty)) {
            return;
        }
        if size == 1 {
            self.misfits.bytes.insert(object);
        }
        let layout = self.layouts.entry(object).or_insert_with(|| {
            let mut layout = records.layout(ty);
            if let Some((start, of)) = tail(records, ty) {
                layout.extend(records.layout(of).iter().map(|c| Cell { offset: c.offset + start, ..*c }));
            }
            layout
        });
        let bytes = |c: &Cell| c.ty.size() == 1;
        let is_pointer = |ty: Scalar| matches!(ty, Scalar::Pointer { .. });
        // Whether it covers whole cells, one at least of them bytes, and whether a pointer is seen as a number by it.
        let mut exactly = false;
        let (fits, of_bytes, mixes) = match byte {
            Byte::Any => {
                let fits = layout.iter().all(|c| c.ty.size() == size);
                let mixes = layout.iter().any(|c| is_pointer(c.ty)) && !is_pointer(seen);
                (fits, layout.iter().all(bytes), mixes)
            }
            Byte::At(byte) => {
                // Bytes of a row of them are alike.
                let byte = byte_array(records, ty, byte).unwrap_or(byte);
                let end = byte + size;
                let touched = |c: &&Cell| c.offset < end && byte < c.offset + c.ty.size();
                let here: Vec<&Cell> = layout.iter().filter(touched).collect();
                let mixes = here.iter().any(|c| is_pointer(c.ty) != is_pointer(seen));
                exactly = here.iter().any(|c| c.offset == byte && c.ty.size() == size);
                let inside = here.iter().all(|c| c.offset >= byte && c.offset + c.ty.size() <= end);
                let bytes_covered: u64 = here.iter().map(|c| c.ty.size()).sum();
                let whole = inside && bytes_covered == size && !here.iter().any(|c| bytes(c));
                (exactly || whole && !is_pointer(seen), here.iter().any(|c| bytes(c)), mixes)
            }
        };
        let is_wide = match byte {
            Byte::Any => layout.iter().any(|c| c.ty.size() < size),
            Byte::At(_) => !exactly,
        };
        if is_wide && self.misfits.wide.is_none() {
            self.misfits.wide = Some(span);
        }
        if fits {
            let words = u64::from(self.program.pointer_bits) / 8;
            self.misfits.exposes |= size == words && mixes;
            return;
        }
        let anywhere = size == 1 || of_bytes;
        let place = match byte {
            Byte::Any => MisfitPlace::Row(0),
            Byte::At(byte) if anywhere => MisfitPlace::Row(byte % size.max(1)),
            Byte::At(byte) => MisfitPlace::At(byte),
        };
        self.misfits.found.insert(Misfit { object, seen, place });
    }
}

/// The array without length at a record's end: its first byte, and what it is of.
fn tail<'r>(records: &'r Records, ty: &Type) -> Option<(u64, &'r Type)> {
    let Type::Record(id) = ty else { return None };
    let last = records.get(*id).fields.last()?;
    match &last.ty {
        Type::Array(of, 0) => Some((last.offset, of)),
        _ => None,
    }
}

/// The first byte of the row of bytes that a byte is in.
fn byte_array(records: &Records, ty: &Type, offset: u64) -> Option<u64> {
    match ty {
        Type::Scalar(_) => is_byte(ty).then_some(0),
        Type::Array(element, _) if is_byte(element) => Some(0),
        Type::Array(element, _) => byte_array(records, element, offset),
        Type::Record(id) => {
            let record = records.get(*id);
            let holds = |f: &&Field| (f.offset..f.offset + records.size(&f.ty)).contains(&offset);
            let field = record.fields.iter().filter(|_| record.kind == RecordKind::Struct).find(holds)?;
            byte_array(records, &field.ty, offset - field.offset).map(|start| start + field.offset)
        }
    }
}

/// Whether a type is that of memory of which nothing is known.
fn is_byte(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(scalar) if scalar.size() == 1)
}

//! Structures, taken apart into scalars and copied.

use super::build::{number, read};
use super::{Lowerer, Result};
use fencepost_ir::tree::{Expr, Place, Projection, Type};
use fencepost_ir::{Scalar, Span, Step};
use fencepost_text::Diagnostic;

/// More scalars than this are not copied one by one.
const MOST_SCALARS: u64 = 1 << 14;

/// A scalar of a structure: the way to it, its place and its type.
pub type Part = (Vec<Step>, Place, Scalar);

impl Lowerer<'_> {
    /// Copies a structure, scalar by scalar.
    pub fn copy(&mut self, to: &Place, from: &Place, ty: &Type, span: Span) -> Result<()> {
        let from = self.scalars_of(from, ty, span)?;
        let to = self.scalars_of(to, ty, span)?;
        // All is read before anything is written: the two may overlap.
        let values = self.kept_scalars(from, span);
        for ((_, place, _), value) in to.into_iter().zip(values) {
            self.assign_place(place, value, span);
        }
        Ok(())
    }

    /// The values of scalars, read now.
    pub fn kept_scalars(&mut self, parts: Vec<Part>, span: Span) -> Vec<Expr> {
        parts.into_iter().map(|(_, place, scalar)| self.keep(read(place, scalar, span))).collect()
    }

    /// A copy of a structure in a variable of our own.
    pub fn copied(&mut self, from: &Place, ty: &Type, span: Span) -> Result<Place> {
        let to = self.temporary_record(ty.clone(), span);
        self.copy(&to, from, ty, span)?;
        Ok(to)
    }

    /// Refuses to take a structure apart that has more scalars than any model can follow.
    pub fn few_scalars(&self, storage: &Type, span: Span) -> Result<()> {
        match self.program.records.cells(storage) {
            n if n > MOST_SCALARS => {
                Err(Diagnostic::new(span, format!("copying a structure of {n} scalars is not supported")))
            }
            _ => Ok(()),
        }
    }

    /// The scalars of a structure that a copy needs.
    pub fn scalars_of(&mut self, place: &Place, storage: &Type, span: Span) -> Result<Vec<Part>> {
        let mut place = place.clone();
        self.stabilise(&mut place);
        self.few_scalars(storage, span)?;
        let paths = self.covering(storage);
        if paths.iter().any(|(_, scalar)| *scalar == Scalar::Mutex) {
            return Err(Diagnostic::new(span, "a mutex cannot be copied"));
        }
        Ok(self.located(&place, paths, span))
    }

    /// The scalars of a structure that can be set to zero: all but mutexes.
    pub fn fillable(&mut self, place: &Place, storage: &Type, span: Span) -> Vec<Part> {
        let mut place = place.clone();
        self.stabilise(&mut place);
        let mut paths = self.covering(storage);
        paths.retain(|(_, scalar)| *scalar != Scalar::Mutex);
        self.located(&place, paths, span)
    }

    /// Ways to scalars that have all bytes of a type between them: of members that share bytes the
    /// widest.
    pub fn covering(&self, storage: &Type) -> Vec<(Vec<Step>, Scalar)> {
        let records = &self.program.records;
        let mut all = Vec::new();
        records.scalars(storage, &mut Vec::new(), &mut |path, scalar| {
            let (offset, _) = records.offset(storage, path);
            all.push((offset, path.to_vec(), scalar));
        });
        if !records.has_union(storage) {
            return all.into_iter().map(|(_, path, scalar)| (path, scalar)).collect();
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(all[i].2.size()));
        let end = |i: usize| all[i].0 + all[i].2.size();
        let mut kept: Vec<usize> = Vec::new();
        for i in order {
            if !kept.iter().any(|&k| all[k].0 < end(i) && all[i].0 < end(k)) {
                kept.push(i);
            }
        }
        kept.sort_unstable();
        kept.into_iter().map(|i| (all[i].1.clone(), all[i].2)).collect()
    }

    /// The places that ways lead to from one.
    pub fn located(&self, place: &Place, paths: Vec<(Vec<Step>, Scalar)>, span: Span) -> Vec<Part> {
        let located = paths.into_iter().map(|(path, scalar)| {
            let mut cell = place.clone();
            cell.path.extend(path.iter().map(|step| self.projection(*step, span)));
            (path, cell, scalar)
        });
        located.collect()
    }

    /// A step to a part that is known.
    pub fn projection(&self, step: Step, span: Span) -> Projection {
        match step {
            Step::Index(i) => Projection::Index(number(i64::from(i), self.distance_scalar(), span)),
            Step::Field(i) => Projection::Field(i),
        }
    }
}

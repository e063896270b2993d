//! Objects come and go: `malloc`, `realloc`, `free`, and local variables that are in memory.

use super::access::Forwarding;
use super::{Encoder, Stepping, tag};
use crate::circuit::Lit;
use crate::sharing::{Home, life, object_of};
use crate::sma::Frees;
use crate::word::Word;
use fencepost_analysis::values::Values;
use fencepost_ir::cfg::{Expr, Fill, Loc, Storage};
use fencepost_ir::pointer;
use fencepost_task::Model;

impl Encoder<'_, '_> {
    /// The pointer to a new object: the step's own of that size, or one that is gone and comes back as new (`analysis/src/bounded/reuse.rs`).
    pub(super) fn allocate(&mut self, s: &mut Stepping<'_, '_>, bytes: &Word, fill: Fill) -> Word {
        let first = self.plan.analysis.program.objects.len();
        let has_size = self.sizes(s, bytes);
        let mut result = self.made(s, &has_size);
        let mut left = Lit::TRUE;
        let mut writes = Vec::new();
        for object in &s.facts.reuses {
            let bytes = self.plan.analysis.objects[*object].bytes;
            let same_size = s.facts.makes.iter().position(|(size, _)| *size == bytes);
            let meant = same_size.map_or(Lit::FALSE, |i| has_size[i]);
            let wanted = self.code.circuit.input();
            let wanted = self.code.circuit.and(meant, wanted);
            let wanted = self.code.circuit.and(left, wanted);
            left = self.code.circuit.and(left, !wanted);
            let life = life(first, *object);
            let gone = self.read_word(s, &[(wanted, life)], &Values::Few(vec![0, 1]), Forwarding::No);
            let c = &mut self.code.circuit;
            let gone = gone.is_nonzero(c);
            // A step that memory has a say in is held up while what it wants is not gone, so that what it gives is known
            // before. There is always something new to want.
            let fine = c.or(!wanted, gone);
            s.unless_blocked = c.and(s.unless_blocked, fine);
            let taken = if s.is_visible { wanted } else { c.and(wanted, gone) };
            result = Word::choose(taken, &self.pointer_to(*object), &result, &mut self.code.circuit);
            writes.push((taken, life, Word::constant(0)));
            for (loc, ty) in self.plan.analysis.cells_of(*object) {
                let word = match (fill, self.plan.sharing.cells[&loc].tagged) {
                    // The tag says that it was never written.
                    (Fill::Undefined, _) => Word::constant(0),
                    (Fill::Zero, true) => tag(&Word::constant(ty.default_value().into())),
                    (Fill::Zero, false) => Word::constant(ty.default_value().into()),
                };
                writes.push((taken, loc, word));
            }
            s.reuses.push((taken, *object));
        }
        self.write_raw(s, writes, false);
        result
    }

    /// Whether the object has each of the sizes that it may have; where it has none, the thread stops for the bound, or
    /// comes to a limit (`analysis/src/bounded/sizes.rs`).
    fn sizes(&mut self, s: &mut Stepping<'_, '_>, bytes: &Word) -> Vec<Lit> {
        let makes = &s.facts.makes;
        if makes.len() == 1 && !s.facts.leaves_out_sizes {
            return vec![Lit::TRUE];
        }
        let c = &mut self.code.circuit;
        let has_size: Vec<_> =
            makes.iter().map(|(size, _)| bytes.equals(&Word::constant((*size).into()), c)).collect();
        if s.facts.leaves_out_sizes {
            let tracked = c.any(has_size.clone());
            let largest = makes.last().map_or(0, |(size, _)| *size as i64);
            let small = bytes.within(0, largest.into(), c);
            let odd = c.and(small, !tracked);
            s.early.limit(odd, c);
            s.outsized = c.and(!small, !tracked);
            s.condition = c.and(s.condition, tracked);
        }
        has_size
    }

    fn pointer_to(&self, object: usize) -> Word {
        let program = self.plan.analysis.program;
        let number = (program.objects.len() + object) as u32;
        Word::constant(pointer::to_object(number, 0).into())
    }

    /// The pointer to the step's own object of the size that is meant.
    fn made(&mut self, s: &Stepping<'_, '_>, has_size: &[Lit]) -> Word {
        let mut result = Word::constant(0);
        for ((_, object), meant) in s.facts.makes.iter().zip(has_size) {
            result = Word::choose(*meant, &self.pointer_to(*object), &result, &mut self.code.circuit);
        }
        result
    }

    /// The pointer to a new object that holds what another one held, which is gone.
    pub(super) fn reallocate(&mut self, s: &mut Stepping<'_, '_>, pointer: &Expr, bytes: &Expr) -> Word {
        let bytes = self.value(s, bytes);
        let has_size = self.sizes(s, &bytes);
        let old = self.free(s, pointer, Storage::Heap);
        let analysis = self.plan.analysis;
        let mut cells = 0;
        for object in old.iter().map(|(_, object)| *object) {
            cells = cells.max(analysis.cells_of(object).count());
        }
        for number in 0..cells {
            let cell = |object: usize| analysis.cells_of(object).nth(number).map(|(loc, _)| loc);
            let held: Vec<_> =
                old.iter().filter_map(|(meant, object)| Some((*meant, cell(*object)?))).collect();
            let made = s.facts.makes.iter().zip(&has_size);
            let new: Vec<_> =
                made.filter_map(|((_, object), meant)| Some((*meant, cell(*object)?))).collect();
            if new.is_empty() {
                continue;
            }
            let tagged = self.plan.sharing.cells[&held[0].1].tagged;
            let mut values = s.facts.copied[number].clone();
            if tagged {
                values.join(&Values::one(0));
            }
            let word = self.read_word(s, &held, &values, Forwarding::No);
            let word = if tagged { word } else { tag(&word) };
            let there = self.code.circuit.any(held.iter().map(|(meant, _)| *meant).collect::<Vec<_>>());
            let copies =
                new.into_iter().map(|(meant, loc)| (self.code.circuit.and(meant, there), loc, word.clone()));
            let copies = copies.collect();
            self.write_raw(s, copies, false);
        }
        self.made(s, &has_size)
    }

    /// Frees what a pointer leads to: one of the objects that are given back, each with its condition.
    pub(super) fn free(
        &mut self,
        s: &mut Stepping<'_, '_>,
        pointer: &Expr,
        storage: Storage,
    ) -> Vec<(Lit, usize)> {
        let word = self.value(s, pointer);
        if storage == Storage::Heap {
            self.drain(s);
        }
        let first = self.plan.analysis.program.objects.len();
        let c = &mut self.code.circuit;
        let mut meant_objects = Vec::new();
        let mut freed = Vec::new();
        let mut fine = !word.is_nonzero(c);
        for (pointer, object) in &s.facts.frees {
            let meant = word.equals(&Word::constant((*pointer).into()), c);
            let right_kind = self.plan.analysis.objects[*object].storage == storage;
            if right_kind {
                fine = c.or(fine, meant);
                meant_objects.push((meant, life(first, *object)));
                freed.push((meant, *object));
            }
        }
        // Words so near to null that they are null with an offset are ignored too; rare enough to refuse.
        s.early.error(!fine, c);
        let gone = self.read_word(s, &meant_objects, &Values::Few(vec![0, 1]), Forwarding::No);
        // A thread that alone frees something knows by itself whether it is gone: no read makes the step visible.
        let is_shared = |loc: &Loc| matches!(self.plan.sharing.cells[loc].home, Home::Shared(_));
        if meant_objects.iter().any(|(_, life)| is_shared(life)) && self.plan.model != Model::Sc {
            let cells = |life: &Loc| {
                let object = object_of(first, *life);
                let shared = self.plan.sharing.shared.iter().enumerate();
                let of_object = shared.filter(|(_, loc)| *loc != life && object_of(first, **loc) == object);
                of_object.map(|(number, _)| number).collect()
            };
            let targets = meant_objects.iter().map(|(meant, life)| (*meant, cells(life))).collect();
            let too_late = self.code.circuit.input();
            s.late.error(too_late, &mut self.code.circuit);
            s.too_late = Some(too_late);
            let must = s.facts.frees.iter().any(|(_, object)| self.plan.analysis.is_reused(*object));
            s.access.frees = Some(Frees { targets, too_late, must });
        }
        let c = &mut self.code.circuit;
        let any = c.any(meant_objects.iter().map(|(meant, _)| *meant).collect::<Vec<_>>());
        let gone = gone.is_nonzero(c);
        let twice = c.and(any, gone);
        s.late.error(twice, c);
        let writes = meant_objects.into_iter().map(|(meant, loc)| (meant, loc, Word::constant(1))).collect();
        self.write_word(s, writes, false);
        freed
    }
}

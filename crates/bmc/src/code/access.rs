//! What instructions ask of memory: which cells an address means, what a cell of the thread's own holds at once and
//! what goes through the shared-memory abstraction, and whether an object has been freed.

use super::{Encoder, Stepping, tag};
use crate::analysis::access_type;
use crate::circuit::Lit;
use crate::expression::{Faults, wrap};
use crate::sharing::{Home, life, object_of};
use crate::sma::{Frees, Read, Write};
use crate::values::Values;
use crate::word::Word;
use fencepost_ir::cfg::{Address, Expr, Fill, Loc, Storage};
use fencepost_ir::{IntType, Scalar, pointer};
use fencepost_task::Model;

/// Whether a load sees the thread's own stores that wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forwarding {
    Yes,
    No,
}

impl Encoder<'_, '_> {
    /// The cells that the address means, each with its condition; failing where it means none.
    pub(super) fn targets(&mut self, s: &mut Stepping<'_, '_>, address: &Address) -> Vec<(Lit, Loc, Scalar)> {
        let value = self.value(s, address.expr());
        let c = &mut self.code.circuit;
        let targets = &s.facts.targets;
        if let [(_, loc, ty)] = targets.cells[..]
            && targets.complete
            && targets.limits.is_empty()
        {
            return vec![(Lit::TRUE, loc, ty)];
        }
        let mut meant = |v: &i64| value.equals(&Word::constant((*v).into()), c);
        let cells: Vec<_> = targets.cells.iter().map(|(v, loc, ty)| (meant(v), *loc, *ty)).collect();
        let limits: Vec<_> = targets.limits.iter().map(meant).collect();
        let limit = c.any(limits);
        s.early.limit(limit, c);
        if !targets.complete {
            let some = c.any(cells.iter().map(|(meant, ..)| *meant).collect::<Vec<_>>());
            s.early.error(!some, c);
        }
        cells
    }

    /// The object of a cell must not have been freed.
    pub(super) fn check_lives(&mut self, s: &mut Stepping<'_, '_>, targets: &[(Lit, Loc, Scalar)]) {
        let first = self.plan.analysis.program.objects.len();
        let mut lives: Vec<(Lit, Loc)> = Vec::new();
        for (meant, loc, _) in targets {
            if let Some(object) = object_of(first, *loc)
                && self.plan.freed.contains(&object)
            {
                let life = life(first, object);
                match lives.iter_mut().find(|(_, l)| *l == life) {
                    Some((lit, _)) => *lit = self.code.circuit.or(*lit, *meant),
                    None => lives.push((*meant, life)),
                }
            }
        }
        if lives.is_empty() {
            return;
        }
        let gone = self.read_word(s, &lives, &Values::Few(vec![0, 1]), Forwarding::No);
        let any = self.code.circuit.any(lives.iter().map(|(meant, _)| *meant).collect::<Vec<_>>());
        let gone = gone.is_nonzero(&mut self.code.circuit);
        let error = self.code.circuit.and(any, gone);
        s.late.error(error, &mut self.code.circuit);
    }

    /// The raw word of one of some cells: from the thread's own ones at once, else through memory.
    pub(super) fn read_word(
        &mut self,
        s: &mut Stepping<'_, '_>,
        targets: &[(Lit, Loc)],
        values: &Values,
        forwarding: Forwarding,
    ) -> Word {
        let lodging = |loc: &Loc| self.plan.sharing.cells[loc];
        let Some((_, first)) = targets.first() else { return Word::constant(0) };
        let carried = self.carried();
        let own = |loc: &Loc| match (lodging(loc).home, self.plan.sharing.shadows.get(loc)) {
            (Home::Private(_, number), _) => Some(number),
            (_, Some((thread, number))) if *thread == self.thread => Some(*number),
            _ => None,
        };
        if own(first).is_some() {
            let mut word = Word::constant(0);
            for (meant, loc) in targets {
                let number = own(loc).expect("cells of one access live together");
                word = Word::choose(*meant, &s.state[carried + number], &word, &mut self.code.circuit);
            }
            return word;
        }
        let mut result = values.fresh(&mut self.code.circuit);
        if lodging(first).tagged {
            let written = self.code.circuit.input();
            result = Word::from_bits([&[written], result.bits()].concat());
        }
        let number = |loc: &Loc| match lodging(loc).home {
            Home::Shared(number) => number,
            Home::Private(..) => panic!("cells of one access live together"),
        };
        let targets = targets.iter().map(|(meant, loc)| (*meant, number(loc))).collect();
        let forwards = forwarding == Forwarding::Yes;
        s.access.reads.push(Read { targets, result: result.clone(), forwards });
        s.is_visible = true;
        result
    }

    pub(super) fn write_word(
        &mut self,
        s: &mut Stepping<'_, '_>,
        targets: Vec<(Lit, Loc, Word)>,
        buffered: bool,
    ) {
        let tagged = |loc: &Loc| self.plan.sharing.cells[loc].tagged;
        let targets = targets.into_iter().map(|(meant, loc, word)| {
            let word = if tagged(&loc) { tag(&word) } else { word };
            (meant, loc, word)
        });
        self.write_raw(s, targets.collect(), buffered);
    }

    /// Writes words that have their tags.
    fn write_raw(&mut self, s: &mut Stepping<'_, '_>, targets: Vec<(Lit, Loc, Word)>, buffered: bool) {
        let carried = self.carried();
        let mut shared = Vec::new();
        for (meant, loc, word) in targets {
            match self.plan.sharing.cells[&loc].home {
                Home::Private(_, number) => {
                    let old = &s.state[carried + number];
                    s.state[carried + number] = Word::choose(meant, &word, old, &mut self.code.circuit);
                }
                Home::Shared(number) => {
                    if let Some((thread, own)) = self.plan.sharing.shadows.get(&loc) {
                        debug_assert!(*thread == self.thread, "only the one writer writes");
                        let old = &s.state[carried + own];
                        s.state[carried + own] = Word::choose(meant, &word, old, &mut self.code.circuit);
                    }
                    shared.push((meant, number, word));
                }
            }
        }
        if !shared.is_empty() {
            s.access.writes.push(Write { targets: shared, buffered });
            s.is_visible = true;
        }
    }

    /// A value seen through a type of the same size.
    pub(super) fn same_bits(
        &mut self,
        faults: &mut Faults,
        meant: Lit,
        word: &Word,
        from: Scalar,
        to: Scalar,
    ) -> Word {
        if from == to {
            return word.clone();
        }
        let plain = |ty| matches!(ty, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. });
        let c = &mut self.code.circuit;
        if !plain(from) || !plain(to) || from.size() != to.size() {
            faults.limit(meant, c);
            return word.clone();
        }
        match to {
            Scalar::Int(int) => wrap(word, int),
            Scalar::Pointer { bits } => wrap(word, IntType { bits, signed: false }),
            _ => {
                let inside = word.within(0, 1, c);
                let outside = c.and(meant, !inside);
                faults.limit(outside, c);
                word.clone()
            }
        }
    }

    /// What an access reads, as its own type sees it, and whether anybody had written it.
    pub(super) fn read(
        &mut self,
        s: &mut Stepping<'_, '_>,
        address: &Address,
        targets: &[(Lit, Loc, Scalar)],
        forwarding: Forwarding,
    ) -> (Word, Lit) {
        self.check_lives(s, targets);
        let Some(first) = targets.first() else { return (Word::constant(0), Lit::TRUE) };
        // Of cells of other types any value may be read, before it is seen through the access's type.
        let alike = targets.iter().all(|(_, _, ty)| access_type(address, *ty) == *ty);
        let known = s.facts.value.clone().unwrap_or(Values::ANY);
        let mut raw_values = if alike { known } else { Values::ANY };
        if alike && self.plan.sharing.cells[&first.1].tagged {
            raw_values.join(&Values::one(0));
        }
        let cells: Vec<_> = targets.iter().map(|(meant, loc, _)| (*meant, *loc)).collect();
        let raw = self.read_word(s, &cells, &raw_values, forwarding);
        let tagged = self.plan.sharing.cells[&first.1].tagged;
        let (written, raw) = match tagged {
            true if raw.width() == 1 => (raw.bit(0), Word::from_bits(vec![raw.bit(0)])),
            true => (raw.bit(0), Word::from_bits(raw.bits()[1..].to_vec())),
            false => (Lit::TRUE, raw),
        };
        let mut late = s.late;
        let mut value = raw.clone();
        for (meant, _, ty) in targets {
            let access = access_type(address, *ty);
            if access != *ty {
                let seen = self.same_bits(&mut late, *meant, &raw, *ty, access);
                value = Word::choose(*meant, &seen, &value, &mut self.code.circuit);
            }
        }
        s.late = late;
        (value, written)
    }

    pub(super) fn store(
        &mut self,
        s: &mut Stepping<'_, '_>,
        address: &Address,
        targets: &[(Lit, Loc, Scalar)],
        when: Lit,
        value: &Word,
        buffered: bool,
    ) {
        let mut early = s.early;
        let mut writes = Vec::new();
        for (meant, loc, ty) in targets {
            let kept = self.same_bits(&mut early, *meant, value, access_type(address, *ty), *ty);
            writes.push((self.code.circuit.and(*meant, when), *loc, kept));
        }
        s.early = early;
        self.write_word(s, writes, buffered);
    }

    /// The pointer to a new object: the step's own of that size, or one that is gone and comes back as new (`reuse.rs`).
    pub(super) fn allocate(&mut self, s: &mut Stepping<'_, '_>, bytes: &Word, fill: Fill) -> Word {
        let program = self.plan.analysis.program;
        let first = program.objects.len();
        let pointer = |object: usize| {
            let word = pointer::to_object((first + object) as u32, 0, program.pointer_bits);
            Word::constant(word.into())
        };
        let has_size = self.sizes(s, bytes);
        let mut result = Word::constant(0);
        for ((_, object), meant) in s.facts.makes.iter().zip(&has_size) {
            result = Word::choose(*meant, &pointer(*object), &result, &mut self.code.circuit);
        }
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
            result = Word::choose(taken, &pointer(*object), &result, c);
            writes.push((taken, life, Word::constant(0)));
            for (loc, ty) in self.plan.analysis.cells_of(*object) {
                let word = match (fill, self.plan.sharing.cells[&loc].tagged) {
                    // The tag says that nobody has written it.
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
    /// comes to a limit (`sizes.rs`).
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

    pub(super) fn free(&mut self, s: &mut Stepping<'_, '_>, pointer: &Expr, storage: Storage) {
        let word = self.value(s, pointer);
        if storage == Storage::Heap {
            self.drain(s);
        }
        let first = self.plan.analysis.program.objects.len();
        let c = &mut self.code.circuit;
        let mut meant_objects = Vec::new();
        let mut fine = !word.is_nonzero(c);
        for (pointer, object) in &s.facts.frees {
            let meant = word.equals(&Word::constant((*pointer).into()), c);
            let right_kind = self.plan.analysis.objects[*object].storage == storage;
            if right_kind {
                fine = c.or(fine, meant);
                meant_objects.push((meant, life(first, *object)));
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
    }
}

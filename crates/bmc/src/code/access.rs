//! What instructions ask of memory: which cells an address means, what a cell of the thread's own holds at once and
//! what goes through the shared-memory abstraction, and whether an object has been freed.

use super::{Encoder, Stepping, tag};
use crate::circuit::Lit;
use crate::expression::{Faults, wrap};
use crate::sharing::{Home, life, object_of};
use crate::sma::{Read, Write};
use crate::word::Word;
use fencepost_analysis::bounded::{Row, access_type};
use fencepost_analysis::values::Values;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Address, Loc};

/// Whether a load sees the thread's own stores that wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Forwarding {
    Yes,
    No,
}

impl Encoder<'_, '_> {
    /// The cells that the address means, each with its condition; failing where it means none.
    pub(super) fn targets<'s>(&mut self, s: &mut Stepping<'s, '_>, address: &Address) -> Vec<(Lit, &'s Row)> {
        let value = self.value(s, address.expr());
        let c = &mut self.code.circuit;
        let targets = &s.facts.targets;
        if let [row] = &targets.rows[..]
            && targets.complete
            && targets.limits.is_empty()
        {
            return vec![(Lit::TRUE, row)];
        }
        let mut meant = |v: &i64| value.equals(&Word::constant((*v).into()), c);
        let rows: Vec<_> = targets.rows.iter().map(|row| (meant(&row.value), row)).collect();
        let limits: Vec<_> = targets.limits.iter().map(meant).collect();
        let limit = c.any(limits);
        s.early.limit(limit, c);
        if !targets.complete {
            let some = c.any(rows.iter().map(|(meant, _)| *meant).collect::<Vec<_>>());
            s.early.error(!some, c);
        }
        rows
    }

    /// The object of a cell must not have been freed.
    pub(super) fn check_lives(&mut self, s: &mut Stepping<'_, '_>, targets: &[(Lit, &Row)]) {
        let first = self.plan.analysis.program.objects.len();
        let mut lives: Vec<(Lit, Loc)> = Vec::new();
        for (meant, row) in targets {
            if let Some(object) = object_of(first, row.first)
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
        let mut result = Word::one_of(values, &mut self.code.circuit);
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
    pub(super) fn write_raw(
        &mut self,
        s: &mut Stepping<'_, '_>,
        targets: Vec<(Lit, Loc, Word)>,
        buffered: bool,
    ) {
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
            s.access.writes.push(Write { targets: shared, buffered, tied: false });
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
            Scalar::Pointer { .. } => word.clone(),
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
        targets: &[(Lit, &Row)],
        forwarding: Forwarding,
    ) -> (Word, Lit) {
        self.check_lives(s, targets);
        let Some((_, first)) = targets.first() else { return (Word::constant(0), Lit::TRUE) };
        if s.facts.targets.width() > 1 {
            return self.read_wide(s, address, targets, forwarding);
        }
        // Of cells of other types any value may be read, before it is seen through the access's type.
        let alike = targets.iter().all(|(_, row)| access_type(address, row.ty()) == row.ty());
        let known = s.facts.value.clone().unwrap_or(Values::ANY);
        let mut raw_values = if alike { known } else { Values::ANY };
        let tagged = self.plan.sharing.cells[&first.first].tagged;
        if alike && tagged {
            raw_values.join(&Values::one(0));
        }
        let cells: Vec<_> = targets.iter().map(|(meant, row)| (*meant, row.first)).collect();
        let raw = self.read_word(s, &cells, &raw_values, forwarding);
        let (written, raw) = if tagged { untag(&raw) } else { (Lit::TRUE, raw) };
        let mut late = s.late;
        let mut value = raw.clone();
        for (meant, row) in targets {
            let (ty, access) = (row.ty(), access_type(address, row.ty()));
            if access != ty {
                let seen = self.same_bits(&mut late, *meant, &raw, ty, access);
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
        targets: &[(Lit, &Row)],
        when: Lit,
        value: &Word,
        buffered: bool,
    ) {
        if s.facts.targets.width() > 1 {
            return self.store_wide(s, address, targets, when, value, buffered);
        }
        let mut early = s.early;
        let mut writes = Vec::new();
        for (meant, row) in targets {
            let kept = self.same_bits(&mut early, *meant, value, access_type(address, row.ty()), row.ty());
            writes.push((self.code.circuit.and(*meant, when), row.first, kept));
        }
        s.early = early;
        self.write_word(s, writes, buffered);
    }
}

/// Whether somebody has written a word that has a tag, and the word without it.
pub(super) fn untag(raw: &Word) -> (Lit, Word) {
    match raw.width() {
        1 => (raw.bit(0), Word::from_bits(vec![raw.bit(0)])),
        _ => (raw.bit(0), Word::from_bits(raw.bits()[1..].to_vec())),
    }
}

//! Accesses that may cover several cells: one event on all of them, as in the reference semantics (`memory/src/wide.rs`).
//!
//! The n-th cells of all rows that the address may mean are one read or write of the access. Reads of one access
//! happen at one moment anyway; writes of one store are tied to each other. A row's value is the bits of its cells, the
//! lowest first.

use super::access::{Forwarding, untag};
use super::{Encoder, Stepping};
use crate::circuit::Lit;
use crate::expression::wrap;
use crate::word::Word;
use fencepost_analysis::bounded::{Row, access_type};
use fencepost_analysis::values::Values;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Address, Loc};

/// The n-th cells of those rows that have so many.
fn nth<'r>(targets: &'r [(Lit, &Row)], n: usize) -> impl Iterator<Item = (Lit, &'r Row, Loc)> {
    let long = targets.iter().filter(move |(_, row)| n < row.types.len());
    long.map(move |(meant, row)| (*meant, *row, row.first.plus(n as u32)))
}

/// Bits as a value of a type that has bits.
fn seen_as(bits: &Word, ty: Scalar) -> Word {
    match ty {
        Scalar::Int(int) => wrap(bits, int),
        _ if ty.size() == 8 => bits.signed(64),
        _ => bits.unsigned(ty.size() as usize * 8),
    }
}

impl Encoder<'_, '_> {
    /// What the access reads, as its own type sees it, and whether anybody had written any of it.
    pub(super) fn read_wide(
        &mut self,
        s: &mut Stepping<'_, '_>,
        address: &Address,
        targets: &[(Lit, &Row)],
        forwarding: Forwarding,
    ) -> (Word, Lit) {
        let mut parts: Vec<(Lit, Word)> = Vec::new();
        for n in 0..s.facts.targets.width() {
            let cells: Vec<_> = nth(targets, n).map(|(meant, _, loc)| (meant, loc)).collect();
            let tagged = self.plan.sharing.cells[&cells[0].1].tagged;
            let mut values = Values::NONE;
            for (_, loc) in &cells {
                values.join(&self.plan.analysis.cells[loc].values);
            }
            if tagged {
                values.join(&Values::one(0));
            }
            let raw = self.read_word(s, &cells, &values, forwarding);
            // Cells that were never written are zero next to written ones.
            parts.push(if tagged { untag(&raw) } else { (Lit::TRUE, raw) });
        }
        let (mut value, mut written) = (Word::constant(0), Lit::TRUE);
        let mut late = s.late;
        for (meant, row) in targets {
            let access = access_type(address, row.ty());
            let seen = match row.is_wide() {
                true => joined(row, &parts, access),
                false => self.same_bits(&mut late, *meant, &parts[0].1, row.ty(), access),
            };
            let c = &mut self.code.circuit;
            value = Word::choose(*meant, &seen, &value, c);
            let any = c.any(parts[..row.types.len()].iter().map(|(written, _)| *written).collect::<Vec<_>>());
            written = c.choose(*meant, any, written);
        }
        s.late = late;
        (value, written)
    }

    pub(super) fn store_wide(
        &mut self,
        s: &mut Stepping<'_, '_>,
        address: &Address,
        targets: &[(Lit, &Row)],
        when: Lit,
        value: &Word,
        buffered: bool,
    ) {
        let mut late = s.late;
        for n in 0..s.facts.targets.width() {
            let mut writes = Vec::new();
            for (meant, row, loc) in nth(targets, n) {
                let meant = self.code.circuit.and(meant, when);
                let (_, ty, shift) = row.parts().nth(n).expect("a row with so many cells");
                let kept = if row.is_wide() {
                    let bits = (0..ty.size() as usize * 8).map(|i| value.bit(shift as usize + i));
                    let kept = seen_as(&Word::from_bits(bits.chain([Lit::FALSE]).collect()), ty);
                    if ty == Scalar::Bool {
                        let c = &mut self.code.circuit;
                        let inside = kept.within(0, 1, c);
                        let outside = c.and(meant, !inside);
                        late.limit(outside, c);
                    }
                    kept
                } else {
                    self.same_bits(&mut late, meant, value, access_type(address, ty), ty)
                };
                writes.push((meant, loc, kept));
            }
            let others = s.access.writes.len();
            self.write_word(s, writes, buffered);
            // Cells of one access live together: all are shared or none is.
            if let [.., new] = &mut s.access.writes[others..] {
                new.tied = n > 0;
            }
        }
        s.late = late;
    }
}

/// The value of a row, from what its cells hold.
fn joined(row: &Row, parts: &[(Lit, Word)], access: Scalar) -> Word {
    let mut bits = Vec::new();
    for (ty, (_, word)) in row.types.iter().zip(parts) {
        bits.extend((0..ty.size() as usize * 8).map(|i| word.bit(i)));
    }
    bits.push(Lit::FALSE);
    seen_as(&Word::from_bits(bits), access)
}

//! Objects come and go in the sequential program: `malloc`, `realloc`, `free`, and local variables that are in memory.

use super::access::{Meant, Sees};
use super::expression::Text;
use super::thread::{ThreadWriter, Writing};
use crate::sharing::object_of;
use fencepost_analysis::bounded::Facts;
use fencepost_ir::cfg::{Dest, Expr, Fill, Loc, Storage};
use fencepost_task::Model;

/// Whether the size of what a statement makes is known.
fn has_one_size(facts: &Facts) -> bool {
    facts.makes.len() == 1 && !facts.leaves_out_sizes
}

impl<'p> ThreadWriter<'_, '_, 'p> {
    /// A new object: the statement's own of that size, or one that is gone and comes back as new; `hold` ends the turn of
    /// a thread that asks for a size beyond the bound.
    pub(super) fn allocate(
        &self,
        w: &mut Writing<'_, 'p>,
        dest: &Dest,
        bytes: &Expr,
        fill: Fill,
        hold: &str,
    ) {
        let word = |object: usize| Text::constant(self.sequence.object_word(object)).code;
        let facts = w.facts;
        let one_size = has_one_size(facts);
        if one_size && facts.reuses.is_empty() {
            return self.assign(&mut w.lines, w.frame, dest, &word(facts.makes[0].1));
        }
        let is_shared = |object: &usize| self.sequence.is_life_shared(*object);
        if self.sequence.model != Model::Sc && w.facts.reuses.iter().any(is_shared) {
            w.lines.push("tick();".into());
        }
        self.sized(w, bytes, hold);
        for (i, object) in facts.reuses.iter().enumerate() {
            let test = if i == 0 { "if" } else { "} else if" };
            let size = match one_size {
                true => String::new(),
                false => format!("bytes == {} && ", self.sequence.analysis.objects[*object].bytes),
            };
            w.lines.push(format!("{test} ({size}gone[{object}] && pick(0, 1)) {{"));
            w.lines.push(format!("    gone[{object}] = 0;"));
            for (loc, ty) in self.sequence.analysis.cells_of(*object) {
                let zero = Text::constant(ty.default_value()).code;
                let word = match (fill, self.sequence.is_tagged(loc)) {
                    (Fill::Undefined, _) => "0".into(),
                    (Fill::Zero, true) => format!("(word){zero} * 2 + 1"),
                    (Fill::Zero, false) => zero,
                };
                w.lines.push(format!("    {}", self.put_now(loc, &word)));
            }
            w.lines.push(format!("    made = {};", word(*object)));
        }
        if !facts.reuses.is_empty() {
            w.lines.push("}".into());
        }
        let mut lines = std::mem::take(&mut w.lines);
        self.assign(&mut lines, w.frame, dest, "made");
        w.lines = lines;
        self.block(w);
    }

    /// Declares `made`, the statement's own object of the size that is meant, and `bytes` where that may be one of several.
    fn sized(&self, w: &mut Writing<'_, 'p>, bytes: &Expr, hold: &str) {
        let facts = w.facts;
        if has_one_size(facts) {
            let word = Text::constant(self.sequence.object_word(facts.makes[0].1)).code;
            return w.lines.push(format!("long long made = {word};"));
        }
        w.lines.push(format!("long long bytes = {}, made = 0;", self.text(w.frame, bytes).code));
        for (i, (size, object)) in facts.makes.iter().enumerate() {
            let test = if i == 0 { "if" } else { "else if" };
            let word = Text::constant(self.sequence.object_word(*object)).code;
            w.lines.push(format!("{test} (bytes == {size}) made = {word};"));
        }
        if facts.leaves_out_sizes {
            if let Some((largest, _)) = facts.makes.last() {
                let limit = "LIMIT(\"a size that is no whole number of elements\");";
                w.lines.push(format!("else if (bytes >= 0 && bytes <= {largest}) {limit}"));
                w.lines.push("else".into());
            }
            w.lines.push(format!("{{ CUT(\"the size of an object\"); {hold} }}"));
        }
    }

    /// A new object that holds what another one held, which is gone.
    pub(super) fn reallocate(
        &self,
        w: &mut Writing<'_, 'p>,
        dest: &Dest,
        pointer: &Expr,
        bytes: &Expr,
        hold: &str,
    ) {
        let facts = w.facts;
        self.sized(w, bytes, hold);
        self.give_back(w, pointer, Storage::Heap);
        let analysis = self.sequence.analysis;
        let old = facts.frees.iter().filter(|(_, o)| analysis.objects[*o].storage == Storage::Heap);
        for ((old_word, old), (_, new)) in old.flat_map(|o| facts.makes.iter().map(move |new| (o, new))) {
            let new_word = Text::constant(self.sequence.object_word(*new)).code;
            let copies: Vec<_> = analysis.cells_of(*old).zip(analysis.cells_of(*new)).collect();
            if copies.is_empty() {
                continue;
            }
            let old_word = Text::constant(*old_word).code;
            w.lines.push(format!("if (freed == {old_word} && made == {new_word}) {{"));
            for ((from, ty), (to, _)) in copies {
                let held = self.raw(
                    &[Meant { when: None, loc: from, ty }],
                    &self.sequence.cell_name(from),
                    Sees::Memory,
                );
                // What is new has a tag, since its end may be unwritten.
                let word = match self.sequence.is_tagged(from) {
                    true => held,
                    false => format!("(word){held} * 2 + 1"),
                };
                w.lines.push(format!("    {}", self.put_now(to, &word)));
            }
            w.lines.push("}".into());
        }
        let mut lines = std::mem::take(&mut w.lines);
        self.assign(&mut lines, w.frame, dest, "made");
        w.lines = lines;
        self.block(w);
    }

    /// Writes a cell with its tag, to memory at once.
    fn put_now(&self, loc: Loc, word: &str) -> String {
        let cell = self.sequence.cell_name(loc);
        match self.sequence.is_shared(loc) {
            true => format!("{}({}, {cell}, {word});", self.now(), self.thread),
            false => format!("{cell} = {word};"),
        }
    }

    pub(super) fn free(&self, w: &mut Writing<'_, 'p>, pointer: &Expr, storage: Storage) {
        self.give_back(w, pointer, storage);
        self.block(w);
    }

    /// Declares `freed`, which is gone then.
    fn give_back(&self, w: &mut Writing<'_, 'p>, pointer: &Expr, storage: Storage) {
        let word = self.text(w.frame, pointer).code;
        w.lines.push(format!("long long freed = {word};"));
        if storage == Storage::Heap {
            self.drain(&mut w.lines);
        }
        let first = self.sequence.analysis.program.objects.len();
        let mut known = vec!["freed == 0".to_string()];
        let mut body = Vec::new();
        for (pointer, object) in &w.facts.frees {
            if self.sequence.analysis.objects[*object].storage != storage {
                continue;
            }
            let meant = format!("freed == {}", Text::constant(*pointer).code);
            body.push(format!("if ({meant}) {{"));
            body.push(format!("    if (gone[{object}])"));
            body.push("        FAIL(\"double free\");".into());
            body.push(format!("    gone[{object}] = 1;"));
            let cells =
                self.sequence.sharing.shared.iter().filter(|l| object_of(first, **l) == Some(*object));
            let cells: Vec<_> = cells.filter(|l| self.sequence.is_value(**l)).collect();
            if self.sequence.model != Model::Sc && !cells.is_empty() {
                let waits =
                    |loc: &&Loc| format!("waits({}, {})", self.thread, self.sequence.cell_name(**loc));
                let tests: Vec<_> = cells.iter().map(waits).collect();
                body.push(format!("    if ({})", tests.join(" || ")));
                body.push("        FAIL(\"a store reaches memory that has been freed\");".into());
            }
            body.push("}".into());
            known.push(meant);
        }
        w.lines.push(format!("if (!({}))", known.join(" || ")));
        w.lines.push("    FAIL(\"free of what was not allocated\");".into());
        w.lines.extend(body);
    }
}

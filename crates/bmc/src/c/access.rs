//! What a thread of the sequential program asks of memory: which cells an address means, loads, stores,
//! read-modify-writes, mutexes.
//!
//! Cells that one thread only uses are variables of their own; the others go through the shared-memory abstraction. Whether
//! an object is gone is seen at once by everybody, so it is a variable too.

use super::expression::{Text, Writer, range_of, wrapped};
use super::thread::{ThreadWriter, Writing, any};
use crate::sharing::object_of;
use fencepost_analysis::bounded::access_type;
use fencepost_ir::cfg::{Address, Instr, Loc, RmwOp};
use fencepost_ir::{Scalar, pointer};
use fencepost_task::Model;

/// A cell that is meant under a condition; always, where there is none.
pub(super) struct Meant {
    pub when: Option<String>,
    pub loc: Loc,
    pub ty: Scalar,
}

/// Whether own stores that wait are seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sees {
    OwnStores,
    Memory,
}

impl<'p> ThreadWriter<'_, '_, 'p> {
    /// The cells that an address means; fails in the program where it means none.
    fn targets(&self, w: &mut Writing<'_, 'p>, address: &Address) -> Vec<Meant> {
        let value = self.text(w.frame, address.expr());
        let targets = &w.facts.targets;
        if let [row] = &targets.rows[..]
            && targets.complete
            && targets.limits.is_empty()
        {
            return vec![Meant { when: None, loc: row.first, ty: row.ty() }];
        }
        if targets.rows.is_empty() && targets.limits.is_empty() {
            w.lines.push(format!("(void){};", value.code));
        } else {
            w.lines.push(format!("long long address = {};", value.code));
        }
        let equals = |v: &i64| format!("address == {}", Text::constant(*v).code);
        if !targets.limits.is_empty() {
            let tests: Vec<_> = targets.limits.iter().map(equals).collect();
            w.lines.push(format!("if ({})", tests.join(" || ")));
            w.lines.push("    LIMIT(\"an access that is not modelled\");".into());
        }
        let meant: Vec<_> = targets
            .rows
            .iter()
            .map(|row| Meant { when: Some(equals(&row.value)), loc: row.first, ty: row.ty() })
            .collect();
        if !targets.complete {
            let tests: Vec<_> = targets.rows.iter().map(|row| equals(&row.value)).collect();
            let none = if tests.is_empty() { "1".to_string() } else { format!("!({})", tests.join(" || ")) };
            w.lines.push(format!("if ({none})"));
            let what = match address {
                Address::Cell { .. } => "index out of bounds",
                Address::Pointed { .. } => "access through a pointer to no such object",
            };
            w.lines.push(format!("    FAIL(\"{what}\");"));
        }
        meant
    }

    /// One of several texts by the conditions of the cells.
    fn choose(&self, meant: &[Meant], text: impl Fn(&Meant) -> String) -> String {
        let Some((last, rest)) = meant.split_last() else { return "0".into() };
        let mut code = text(last);
        for target in rest.iter().rev() {
            let when = target.when.as_deref().unwrap_or("1");
            code = format!("{when} ? {} : {code}", text(target));
        }
        if rest.is_empty() { code } else { format!("({code})") }
    }

    /// The number of the shared cell that is meant.
    fn cell(&self, w: &mut Writing<'_, 'p>, meant: &[Meant]) -> String {
        match meant {
            [one] => self.sequence.cell_name(one.loc),
            many => {
                let chosen = self.choose(many, |m| self.sequence.cell_name(m.loc));
                w.lines.push(format!("int cell = {chosen};"));
                "cell".into()
            }
        }
    }

    /// An object that is gone must not be accessed.
    fn check_lives(&self, w: &mut Writing<'_, 'p>, meant: &[Meant]) {
        let first = self.sequence.analysis.program.objects.len();
        let mut gone = Vec::new();
        for target in meant {
            if let Some(object) = object_of(first, target.loc).filter(|o| self.sequence.freed.contains(o)) {
                let test = match &target.when {
                    None => format!("gone[{object}]"),
                    Some(when) => format!("({when} && gone[{object}])"),
                };
                gone.push(test);
            }
        }
        if !gone.is_empty() {
            w.lines.push(format!("if ({})", gone.join(" || ")));
            w.lines.push("    FAIL(\"use of memory after it was freed\");".into());
        }
    }

    /// What a cell holds, with its tag where it has one.
    pub(super) fn raw(&self, meant: &[Meant], cell: &str, sees: Sees) -> String {
        let thread = self.thread;
        let Some(first) = meant.first() else { return "0".into() };
        if !self.sequence.is_shared(first.loc) {
            return self.choose(meant, |m| self.sequence.cell_name(m.loc));
        }
        let own = meant.iter().all(|m| self.sequence.is_own(thread, m.loc));
        match sees {
            Sees::OwnStores if own => format!("load_own({thread}, {cell})"),
            Sees::OwnStores => format!("load({thread}, {cell})"),
            Sees::Memory if self.sequence.model == Model::Sc => format!("load({thread}, {cell})"),
            Sees::Memory => format!("load_now({cell})"),
        }
    }

    /// A value of a cell, seen through another type.
    fn same_bits(&self, lines: &mut Vec<String>, value: Text, from: Scalar, to: Scalar) -> Text {
        if from == to {
            return value;
        }
        let plain = |ty| matches!(ty, Scalar::Bool | Scalar::Int(_) | Scalar::Pointer { .. });
        if !plain(from) || !plain(to) || from.size() != to.size() {
            lines.push("LIMIT(\"an access that is not modelled\");".into());
            return value;
        }
        match to {
            Scalar::Int(int) => wrapped(&value, int),
            Scalar::Pointer { .. } => wrapped(&value, pointer::WORD),
            _ => Text::named(format!("modelled({}, 0, 1)", value.code), Scalar::Bool),
        }
    }

    /// The value that an access reads, as its own type sees it.
    fn value(
        &self,
        w: &mut Writing<'_, 'p>,
        address: &Address,
        meant: &[Meant],
        cell: &str,
        sees: Sees,
    ) -> Text {
        let Some(first) = meant.first() else { return Text::constant(0) };
        let raw = self.raw(meant, cell, sees);
        let access = access_type(address, first.ty);
        let mut value = match self.sequence.is_tagged(first.loc) {
            false => match meant.iter().all(|m| m.ty == first.ty) {
                true => Text::named(raw, first.ty),
                false => Text::long(raw),
            },
            true => {
                w.lines.push(format!("word raw = {raw};"));
                w.lines.push("long long read = (long long)(raw >> 1);".into());
                let unwritten = match (&w.step.edge.instr, access) {
                    // A mutex that was never locked is free.
                    (Instr::Lock(_) | Instr::Unlock(_), _) => None,
                    (Instr::Load(..), Scalar::Int(_)) => {
                        let (lo, hi) = range_of(access);
                        Some(format!("read = {};", any(lo as i64, hi as i64)))
                    }
                    _ => Some("LIMIT(\"memory is read that was never written\");".into()),
                };
                if let Some(unwritten) = unwritten {
                    w.lines.push("if (!(raw & 1))".into());
                    w.lines.push(format!("    {unwritten}"));
                }
                Text::long("read".into())
            }
        };
        let seen = |m: &Meant| access_type(address, m.ty);
        if meant.iter().all(|m| m.ty == seen(m)) {
            return value;
        }
        if meant.iter().all(|m| m.ty == first.ty) {
            return self.same_bits(&mut w.lines, value, first.ty, access);
        }
        w.lines.push(format!("long long seen = {};", value.code));
        value = Text::long("seen".into());
        for target in meant.iter().filter(|m| m.ty != seen(m)) {
            let mut inner = Vec::new();
            let converted = self.same_bits(&mut inner, value.clone(), target.ty, seen(target));
            let when = target.when.as_deref().unwrap_or("1");
            w.lines.push(format!("if ({when}) {{"));
            w.lines.extend(inner.into_iter().map(|l| format!("    {l}")));
            w.lines.push(format!("    seen = {};", converted.code));
            w.lines.push("}".into());
        }
        value
    }

    /// Stores a value of the access's type.
    fn put(
        &self,
        w: &mut Writing<'_, 'p>,
        address: &Address,
        meant: &[Meant],
        cell: &str,
        value: &Text,
        store: &str,
    ) {
        let Some(first) = meant.first() else { return };
        let tagged = |value: &str| match self.sequence.is_tagged(first.loc) {
            true => format!("(word){value} * 2 + 1"),
            false => value.to_string(),
        };
        let seen = |m: &Meant| access_type(address, m.ty);
        let same = meant.iter().all(|m| m.ty == first.ty);
        let value = match same {
            true => self.same_bits(&mut w.lines, value.clone(), seen(first), first.ty),
            false => {
                w.lines.push(format!("long long kept = {};", value.code));
                for target in meant.iter().filter(|m| m.ty != seen(m)) {
                    let mut inner = Vec::new();
                    let kept = Text::long("kept".into());
                    let converted = self.same_bits(&mut inner, kept, seen(target), target.ty);
                    w.lines.push(format!("if ({}) {{", target.when.as_deref().unwrap_or("1")));
                    w.lines.extend(inner.into_iter().map(|l| format!("    {l}")));
                    w.lines.push(format!("    kept = {};", converted.code));
                    w.lines.push("}".into());
                }
                Text::long("kept".into())
            }
        };
        if self.sequence.is_shared(first.loc) {
            let thread = self.thread;
            w.lines.push(format!("{store}({thread}, {cell}, {});", tagged(&value.code)));
            return;
        }
        match meant {
            [one] => {
                let name = self.sequence.cell_name(one.loc);
                w.lines.push(format!("{name} = {};", tagged(&value.code)));
            }
            many => {
                w.lines.push(format!("word put = {};", tagged(&value.code)));
                for target in many {
                    let name = self.sequence.cell_name(target.loc);
                    w.lines.push(format!("if ({}) {name} = put;", target.when.as_deref().unwrap_or("1")));
                }
            }
        }
    }

    /// Puts what a statement needs of its own into a block.
    pub(super) fn block(&self, w: &mut Writing<'_, 'p>) {
        if w.lines.len() > 1
            && w.lines
                .iter()
                .any(|l| l.starts_with("long long ") || l.starts_with("word ") || l.starts_with("int "))
        {
            let inner = std::mem::take(&mut w.lines);
            w.lines.push("{".into());
            w.lines.extend(inner.into_iter().map(|line| format!("    {line}")));
            w.lines.push("}".into());
        }
    }

    /// The cell's number, where it is shared.
    fn number(&self, w: &mut Writing<'_, 'p>, meant: &[Meant]) -> String {
        match meant.first() {
            Some(first) if self.sequence.is_shared(first.loc) => self.cell(w, meant),
            _ => String::new(),
        }
    }

    pub(super) fn now(&self) -> &'static str {
        if self.sequence.model == Model::Sc { "store" } else { "store_now" }
    }

    /// A load, a store or a read-modify-write.
    pub(super) fn access(&self, w: &mut Writing<'_, 'p>) {
        match &w.step.edge.instr {
            Instr::Load(dest, address) => {
                let meant = self.targets(w, address);
                self.check_lives(w, &meant);
                let cell = self.number(w, &meant);
                let value = self.value(w, address, &meant, &cell, Sees::OwnStores);
                let mut lines = std::mem::take(&mut w.lines);
                self.assign(&mut lines, w.frame, dest, &value.code);
                w.lines = lines;
            }
            Instr::Store(address, value) => {
                let value = self.text(w.frame, value);
                let meant = self.targets(w, address);
                self.check_lives(w, &meant);
                let cell = self.number(w, &meant);
                self.put(w, address, &meant, &cell, &value, "store");
            }
            Instr::Rmw(dest, address, op) => {
                let meant = self.targets(w, address);
                if meant.is_empty() {
                    return self.block(w);
                }
                self.check_lives(w, &meant);
                self.drain(&mut w.lines);
                let cell = self.number(w, &meant);
                let old = self.value(w, address, &meant, &cell, Sees::Memory);
                let ty = meant.first().map_or(Scalar::Integer, |m| access_type(address, m.ty));
                w.lines.push(format!("long long old = {};", old.code));
                if dest.is_none() && matches!(op, RmwOp::Exchange(_)) {
                    w.lines.push("(void)old;".into());
                }
                let old = Text::named("old".into(), ty);
                let frame = w.frame;
                let writer = Writer { register: &|reg| self.register(frame, reg) };
                let (new, when) = writer.rmw(op, ty, &old);
                w.lines.push(format!("long long new = {};", new.code));
                let before = w.lines.len();
                self.put(w, address, &meant, &cell, &Text::named("new".into(), ty), self.now());
                if let Some(when) = when {
                    let inner = w.lines.split_off(before);
                    w.lines.push(format!("if {when} {{"));
                    w.lines.extend(inner.into_iter().map(|l| format!("    {l}")));
                    w.lines.push("}".into());
                }
                if let Some(dest) = dest {
                    let mut lines = std::mem::take(&mut w.lines);
                    self.assign(&mut lines, w.frame, dest, "old");
                    w.lines = lines;
                }
            }
            _ => unreachable!("no access"),
        }
        self.block(w);
    }

    /// A lock or an unlock; `hold` ends the turn of a thread that waits for itself.
    pub(super) fn mutex(&self, w: &mut Writing<'_, 'p>, hold: &str) {
        let (address, locks) = match &w.step.edge.instr {
            Instr::Lock(address) => (address, true),
            Instr::Unlock(address) => (address, false),
            _ => unreachable!("no mutex"),
        };
        let meant = self.targets(w, address);
        if meant.is_empty() {
            return self.block(w);
        }
        self.check_lives(w, &meant);
        self.drain(&mut w.lines);
        let cell = self.number(w, &meant);
        let held = self.value(w, address, &meant, &cell, Sees::Memory);
        let owner = self.thread + 1;
        let shared = meant.first().is_some_and(|m| self.sequence.is_shared(m.loc));
        if locks {
            match shared {
                true => w.lines.push(format!("ASSUME({} == 0);", held.code)),
                false => {
                    w.lines.push(format!("if ({} != 0)", held.code));
                    w.lines.push(format!("    {hold}"));
                }
            }
            self.put(w, address, &meant, &cell, &Text::constant(owner as i64), self.now());
        } else {
            w.lines.push(format!("if ({} != {owner})", held.code));
            w.lines.push("    FAIL(\"unlock of a mutex that is not locked by the thread\");".into());
            self.put(w, address, &meant, &cell, &Text::constant(0), self.now());
        }
        self.block(w);
    }
}

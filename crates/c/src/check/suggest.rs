//! "Did you mean": the nearest name to one that is not known.

use super::scope::{Symbol, Tag};
use super::{Checker, Reported};
use crate::ast::Name;
use crate::hir::{RecordId, RecordKind, TypeId};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use std::collections::HashMap;

/// More unknown names are not compared with all others, so that a text with very many stays quick to read.
const MOST_COMPARED: usize = 100;

impl<'a> Checker<'a> {
    /// Reports a name that is not declared, once in a function.
    pub fn not_declared(&mut self, name: &'a str, span: Span) -> Reported {
        let mut diagnostic = Diagnostic::new(span, format!("`{name}` is not declared"));
        if self.mode.quiet == 0 && self.diagnostics.len() < MOST_COMPARED {
            let values = self.scopes.visible().filter(|(_, symbol)| !matches!(symbol, Symbol::Type(_)));
            if let Some(near) = nearest(name, values.map(|(name, _)| name)) {
                diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            }
        }
        if self.mode.quiet == 0 {
            self.scopes.break_name(name);
        }
        self.report(diagnostic)
    }

    /// Reports a member that a record does not have.
    pub fn no_member(&mut self, ty: TypeId, record: RecordId, name: &Name) -> Reported {
        let message = format!("`{}` has no member `{}`", self.show(ty), name.text);
        let mut diagnostic = Diagnostic::new(name.span, message);
        let mut names = Vec::new();
        self.member_names(record, &mut names);
        if let Some(near) = nearest(&name.text, names.iter().map(String::as_str)) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic)
    }

    /// A record with members whose tag is nearly that of one without.
    pub fn similar_record(&self, ty: TypeId) -> Option<String> {
        let tag = &self.types.records[self.types.record_id(ty)?].tag;
        if tag.is_empty() || self.diagnostics.len() >= MOST_COMPARED {
            return None;
        }
        let is_complete = |tag: &Tag| match tag {
            Tag::Record(id) => self.types.layout(*id).is_some(),
            Tag::Enum(_) => false,
        };
        let all = self.scopes.visible_tags().filter(|(_, tag)| is_complete(tag));
        let all: HashMap<&str, Tag> = all.collect();
        let near = nearest(tag, all.keys().copied())?;
        let Tag::Record(id) = all[near] else { return None };
        Some(match self.types.records[id].kind {
            RecordKind::Struct => format!("struct {near}"),
            RecordKind::Union => format!("union {near}"),
        })
    }

    /// Reports a label that stands nowhere.
    pub fn no_label(&mut self, name: &str, span: Span) -> Reported {
        let mut diagnostic = Diagnostic::new(span, format!("there is no label `{name}`"));
        let labels = self.body.as_ref().map(|body| body.placed_labels()).unwrap_or_default();
        if let Some(near) = nearest(name, labels.iter().map(String::as_str))
            && self.diagnostics.len() < MOST_COMPARED
        {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic)
    }

    /// The names of a record's members, and of those of unnamed records in it.
    fn member_names(&self, record: RecordId, names: &mut Vec<String>) {
        for member in self.types.layout(record).map_or(&[][..], |layout| &layout.members) {
            match self.types.record_id(member.ty) {
                Some(inner) if member.name.is_empty() => self.member_names(inner, names),
                _ => names.push(member.name.clone()),
            }
        }
    }
}

/// The name that differs least, if it differs in less than a third of its letters; the first in the alphabet of several.
fn nearest<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Of one or two letters any other is near.
    let most = match name.chars().count() {
        0..=2 => return None,
        n => n.div_ceil(3),
    };
    let near = all.filter(|other| !other.starts_with("__") || name.starts_with("__"));
    let near = near.filter(|other| other.len().abs_diff(name.len()) <= most && *other != name);
    let near = near.map(|other| (distance(name, other), other)).filter(|(d, _)| *d <= most);
    near.min().map(|(_, other)| other)
}

/// How many letters have to be added, left out, replaced or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                let swapped: &Vec<usize> = &before_last;
                least = least.min(swapped[j - 2] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("counter", "counter"), 0);
        assert_eq!(distance("conuter", "counter"), 1);
        assert_eq!(distance("count", "counter"), 2);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(nearest("flga", ["flag", "turn"].into_iter()), Some("flag"));
        assert_eq!(nearest("x", ["turn"].into_iter()), None);
    }
}

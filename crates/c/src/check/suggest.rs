//! "Did you mean": the nearest name to one that is not known.

use super::scope::{Symbol, Tag};
use super::{Checker, Reported};
use crate::ast::Name;
use crate::headers;
use crate::hir::{RecordId, RecordKind, TypeId};
use crate::nearest::nearest;
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use std::collections::HashMap;

/// More unknown names are not compared with all others, so that a text with very many stays quick to read.
const MOST_COMPARED: usize = 100;

/// More members are not listed.
const MOST_LISTED: usize = 8;

impl<'a> Checker<'a> {
    /// Reports a name that is not declared, once in a function.
    pub fn not_declared(&mut self, name: &'a str, span: Span) -> Reported {
        let mut diagnostic = Diagnostic::new(span, format!("`{name}` is not declared"));
        if self.mode.quiet == 0 && self.diagnostics.len() < MOST_COMPARED {
            let values = self.scopes.visible().filter(|(_, symbol)| !matches!(symbol, Symbol::Type(_)));
            let near = || nearest(name, values.map(|(name, _)| name));
            // Tests include nothing.
            let header = headers::declaring(name).filter(|_| !self.mode.is_test);
            diagnostic = match (header, near()) {
                (Some(header), _) => diagnostic.help(format!("include <{header}>")),
                (None, Some(near)) => diagnostic.help(format!("did you mean `{near}`?")),
                (None, None) if self.mode.is_test => diagnostic,
                (None, None) => diagnostic.help("declare it, or include the header that does"),
            };
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
        } else if (1..=MOST_LISTED).contains(&names.len()) {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            diagnostic = diagnostic.help(format!("it has {}", listed(&names)));
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

    /// Reports a label that does not exist.
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

/// Names in a row: `a`, `b` and `c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

//! `switch` and its cases.

use super::{Checker, Result};
use crate::ast::{self, LabelKind};
use crate::hir::{Case, StmtKind, Switch, TypeId};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use std::collections::BTreeMap;

/// A switch whose body is being checked.
pub struct OpenSwitch {
    /// The type of what is switched on.
    ty: TypeId,
    cases: Vec<Case>,
    /// The first value of each case, with its last one.
    places: BTreeMap<i128, (i128, Span)>,
    has_default: bool,
}

impl<'a> Checker<'a> {
    pub fn switch(&mut self, e: &'a ast::Expr, body: &'a ast::Stmt) -> StmtKind {
        let value = self.value(e).and_then(|value| match self.types.is_integer(value.ty) {
            true => self.promote(value),
            false => {
                let message = format!("this needs an integer, not `{}`", self.show(value.ty));
                self.fail(e.span, message)
            }
        });
        let value = value.unwrap_or_else(|_| self.error(e.span));
        let open =
            OpenSwitch { ty: value.ty, cases: Vec::new(), places: BTreeMap::new(), has_default: false };
        self.body().switches.push(open);
        self.body().breakable += 1;
        let body = self.nested(body);
        self.body().breakable -= 1;
        let cases = self.body().switches.pop().expect("just pushed").cases;
        StmtKind::Switch(Box::new(Switch { value, cases, body }))
    }

    /// `case` or `default`: its number in the switch around it.
    pub fn case(&mut self, label: &'a ast::Label) -> Result<usize> {
        let values = match &label.kind {
            LabelKind::Case(e) => self.case_value(e).map(|value| Some((value, value))),
            LabelKind::Range(from, to) => {
                let (from, to) = (self.case_value(from), self.case_value(to));
                from.and_then(|from| Ok(Some((from, to?))))
            }
            LabelKind::Name(_) | LabelKind::Default => Ok(None),
        }?;
        let Some(switch) = self.body().switches.last_mut() else {
            return self.fail(label.span, "this case stands in no switch");
        };
        match values {
            Some((from, to)) => {
                let below = switch.places.range(..=to).next_back();
                if let Some((_, (_, first))) = below.filter(|(_, (end, _))| from <= *end) {
                    let first = format!("first in line {}", first.line);
                    let twice = Diagnostic::new(label.span, "this case stands twice").label(first);
                    return Err(self.report(twice));
                }
                // A range from a larger value to a smaller one is empty.
                if from <= to {
                    switch.places.insert(from, (to, label.span));
                }
            }
            None if switch.has_default => {
                return self.fail(label.span, "this switch has a `default` already");
            }
            None => switch.has_default = true,
        }
        switch.cases.push(Case { values, span: label.span });
        Ok(switch.cases.len() - 1)
    }

    /// A case's value, in the type of what is switched on.
    fn case_value(&mut self, e: &'a ast::Expr) -> Result<i128> {
        let value = self.integer_constant(e)?;
        match self.body().switches.last().map(|switch| switch.ty) {
            Some(ty) => Ok(self.convert_constant(value, ty)),
            None => Ok(value),
        }
    }
}

//! Labels and jumps to them.

use super::statement::Body;
use super::{Checker, Result};
use crate::ast::{self, LabelKind};
use crate::hir::{Expr, ExprKind, Label, LabelId, Stmt, StmtKind};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use std::collections::HashMap;

/// The labels of a function by their names.
#[derive(Default)]
pub struct Labels<'a> {
    /// Those of the whole function, and after them those that `__label__` gives to blocks, innermost last.
    scopes: Vec<HashMap<&'a str, LabelId>>,
    /// The place of each.
    placed: HashMap<LabelId, Span>,
    /// Jumps to labels, in the order of the text.
    used: Vec<(LabelId, Span)>,
}

impl Body<'_> {
    /// The names of the labels that are placed somewhere.
    pub fn placed_labels(&self) -> Vec<String> {
        self.names.placed.keys().map(|id| self.labels[*id].name.clone()).collect()
    }
}

impl<'a> Checker<'a> {
    /// The labels that belong to a block.
    pub fn open_labels(&mut self, names: &'a [ast::Name]) {
        if names.is_empty() {
            return;
        }
        let body = self.body();
        if body.names.scopes.is_empty() {
            body.names.scopes.push(HashMap::new());
        }
        let labels = names.iter().map(|name| {
            let label = Label { name: name.text.clone(), addressed: false, span: name.span };
            (name.text.as_str(), body.labels.push(label))
        });
        let labels: HashMap<&'a str, LabelId> = labels.collect();
        body.names.scopes.push(labels);
    }

    pub fn close_labels(&mut self, names: &'a [ast::Name]) {
        if !names.is_empty() {
            self.body().names.scopes.pop();
        }
    }

    /// The label of a name, which may come later.
    fn label_id(&mut self, name: &'a str, span: Span) -> LabelId {
        let body = self.body();
        let known = body.names.scopes.iter().rev().find_map(|labels| labels.get(name)).copied();
        known.unwrap_or_else(|| {
            let id = body.labels.push(Label { name: name.to_string(), addressed: false, span });
            if body.names.scopes.is_empty() {
                body.names.scopes.push(HashMap::new());
            }
            body.names.scopes[0].insert(name, id);
            id
        })
    }

    /// A label before a statement.
    pub fn label(&mut self, label: &'a ast::Label, items: &mut Vec<Stmt>) {
        let span = label.span;
        // What is not evaluated may be looked at again where it is.
        if self.mode.unevaluated > 0 {
            return;
        }
        let kind = match &label.kind {
            LabelKind::Name(name) => {
                let id = self.label_id(name, span);
                self.body().labels[id].span = span;
                if let Some(first) = self.body().names.placed.insert(id, span) {
                    let message = format!("the label `{name}` stands twice");
                    let first = format!("first in line {}", first.line);
                    self.report(Diagnostic::new(span, message).label(first));
                    return;
                }
                StmtKind::Label(id)
            }
            LabelKind::Case(_) | LabelKind::Range(..) | LabelKind::Default => match self.case(label) {
                Ok(number) => StmtKind::Case(number),
                Err(_) => return,
            },
        };
        items.push(Stmt { kind, span });
    }

    fn no_cleanups(&mut self, span: Span) -> Result<()> {
        if self.body().cleanups > 0 {
            let message = "`goto` is not supported where a variable with the attribute `cleanup` is in scope";
            return self.fail(span, message);
        }
        Ok(())
    }

    pub fn goto(&mut self, name: &'a ast::Name, span: Span) -> Result<StmtKind> {
        self.no_cleanups(span)?;
        Ok(StmtKind::Goto(self.used_label(name)))
    }

    /// A label that something jumps to.
    pub fn used_label(&mut self, name: &'a ast::Name) -> LabelId {
        let id = self.label_id(&name.text, name.span);
        if self.mode.unevaluated == 0 {
            self.body().names.used.push((id, name.span));
        }
        id
    }

    /// `goto *p;`
    pub fn computed_goto(&mut self, e: &'a ast::Expr, span: Span) -> Result<StmtKind> {
        self.no_cleanups(span)?;
        let target = self.value(e)?;
        let ty = self.types.void_pointer();
        self.converted(target, ty).map(StmtKind::GotoComputed)
    }

    /// `&&label`
    pub fn label_address(&mut self, name: &'a ast::Name, span: Span) -> Result<Expr> {
        if self.body.is_none() {
            return self.fail(span, "the address of this label is not supported here");
        }
        let id = self.used_label(name);
        self.body().labels[id].addressed = true;
        let ty = self.types.void_pointer();
        Ok(Expr { kind: ExprKind::LabelAddress(id), ty, span })
    }

    /// Reports jumps to labels that do not exist.
    pub fn labels_are_placed(&mut self) {
        let used = std::mem::take(&mut self.body().names.used);
        for (id, span) in used {
            if self.body().names.placed.contains_key(&id) {
                continue;
            }
            let name = self.body().labels[id].name.clone();
            self.no_label(&name, span);
            // One error for all jumps to it.
            self.body().names.placed.insert(id, span);
        }
    }
}

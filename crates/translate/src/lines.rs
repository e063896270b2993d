//! The lines of a translated body: words of the language that is written, new variables, calls of the translation's own.

use crate::body::Body;
use crate::c::CWords;
use crate::c_program::words_of;
use crate::comments;
use crate::support::Helper;
use fencepost_ir::tree::{Choices, Expr, ExprKind, LocalId, Place, Type, VarRef, Variable, Words};
use fencepost_ir::{Scalar, Span};
use std::collections::BTreeSet;
use std::fmt::Write;

impl Body<'_> {
    /// The lines, with the declarations that they need.
    pub fn finish(self) -> String {
        let unread = self.unread();
        let mut out = String::new();
        let early = self.early.iter().map(|id| &self.procedure.locals[id.0]);
        for variable in early.chain(&self.procedure.locals[self.original_locals..]) {
            let _ = writeln!(out, "    {};", self.declaration(variable));
            if unread.contains(&variable.name) {
                let _ = writeln!(out, "    (void){};", variable.name);
            }
        }
        let mut comments = self.comments.iter().peekable();
        for i in 0..=self.lines.len() {
            if let Some((_, here)) = comments.next_if(|(before, _)| **before == i) {
                let lines = here.iter().flat_map(|(text, indent)| comments::indented(text, *indent));
                lines.for_each(|line| out += &format!("{line}\n"));
            }
            let Some(line) = self.lines.get(i) else { break };
            let _ = writeln!(out, "{line}");
            if let Some(name) = self.declared.get(&i).filter(|name| unread.contains(*name)) {
                let indent = line.len() - line.trim_start().len();
                let _ = writeln!(out, "{:indent$}(void){name};", "");
            }
        }
        out
    }

    /// Variables of C text that get values and are not used, which compilers warn about.
    fn unread(&self) -> BTreeSet<String> {
        if !self.language().is_c() {
            return BTreeSet::new();
        }
        let mut all: BTreeSet<String> =
            self.procedure.locals[self.procedure.params..].iter().map(|v| v.name.clone()).collect();
        for (i, line) in self.lines.iter().enumerate() {
            let text = line.trim_start();
            let set = text.split_once(" = ").map(|(left, _)| left);
            let declared = self.declared.get(&i);
            for (n, word) in words_of(text).filter(|w| !w.is_empty()).enumerate() {
                let is_target = (n == 0 && set.is_some_and(|left| left.starts_with(word)))
                    || declared.is_some_and(|d| d == word);
                if !is_target {
                    all.remove(word);
                }
            }
        }
        all
    }

    /// The expression's text.
    pub fn expr(&self, e: &Expr) -> String {
        if self.language().is_c() { self.c_words().expr(e, 0) } else { self.words().expr(e, 0) }
    }

    /// The text of a value that goes to a place.
    pub fn expr_to(&self, e: &Expr, place: &Place) -> String {
        if self.language().is_c() { self.c_words().converted_to(e, place) } else { self.expr(e) }
    }

    /// The text of a value that goes to a local variable.
    pub fn expr_to_local(&self, e: &Expr, id: LocalId) -> String {
        self.expr_to(e, &Place::variable(VarRef::Local(id), Span::NONE))
    }

    /// The text of an argument of one of the translation's own procedures.
    pub fn argument(&self, e: &Expr) -> String {
        if self.language().is_c() { self.c_words().converted(e, None) } else { self.expr(e) }
    }

    /// The text of a procedure's result.
    pub fn result_text(&self, e: &Expr) -> String {
        if !self.language().is_c() {
            return self.expr(e);
        }
        let program = &self.translator.program;
        let ty = self.procedure.result.map(Type::Scalar);
        let target = ty.and_then(|ty| program.spelled(self.procedure.span, &ty));
        self.c_words().converted(e, target)
    }

    pub fn words(&self) -> Words<'_> {
        Words { program: &self.translator.program, procedure: Some(&self.procedure) }
    }

    pub fn c_words(&self) -> CWords<'_> {
        self.translator.c_words(Some(&self.procedure))
    }

    pub fn declaration(&self, v: &Variable) -> String {
        if self.language().is_c() { self.c_words().declaration(v) } else { self.words().declaration(v) }
    }

    /// Arguments, without parentheses.
    pub fn args(&self, args: &[Expr]) -> String {
        if self.language().is_c() { self.c_words().args(args) } else { self.words().args(args) }
    }

    /// The place's text.
    pub fn place_text(&self, place: &Place) -> String {
        if self.language().is_c() { self.c_words().place(place) } else { self.words().place(place) }
    }

    /// The type's text.
    pub fn type_text(&self, ty: Scalar) -> String {
        if self.language().is_c() { self.c_words().scalar(ty) } else { ty.to_string() }
    }

    /// The address of a place, in C.
    pub fn address(&self, place: &Place) -> String {
        self.c_words().address(place)
    }

    /// The texts of a place's indices.
    pub fn indices(&self, place: &Place) -> Vec<String> {
        let text = |e| if self.language().is_c() { self.c_words().index(e) } else { self.expr(e) };
        place.indices().map(text).collect()
    }

    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{:1$}{2}", "", self.indent * 4, text.as_ref()));
    }

    pub fn label(&mut self, name: &str) {
        let end = if self.language().is_c() { ";" } else { "" };
        self.lines.push(format!("{:1$}{name}:{end}", "", self.indent * 4 - 2));
    }

    /// Calls a procedure of the translation's own.
    pub fn call(&mut self, helper: Helper) {
        let name = self.translator.helper(helper);
        self.line(format!("{name}();"));
    }

    /// Here a round may end.
    pub fn switch(&mut self) {
        let name = self.translator.helper(Helper::Switch);
        let text = format!("{name}();");
        // Twice in a row is once.
        if self.lines.last().is_none_or(|last| last.trim() != text) {
            self.line(text);
        }
    }

    /// A new variable.
    pub fn temporary(&mut self, ty: Scalar) -> LocalId {
        let id = LocalId(self.procedure.locals.len());
        let name = format!("{}{}", self.translator.prefix, id.0 - self.original_locals);
        let init = vec![Choices::one(ty.default_value())];
        self.procedure.locals.push(Variable::new(name, Type::Scalar(ty), init, Span::NONE));
        id
    }

    /// The value of a variable.
    pub fn read_local(&self, id: LocalId, ty: Scalar, span: Span) -> Expr {
        Expr { kind: ExprKind::Read(Place::variable(VarRef::Local(id), span)), ty, span }
    }

    /// Gives a variable a value.
    pub fn assign(&mut self, id: LocalId, value: &str) {
        let name = self.procedure.locals[id.0].name.clone();
        self.line(format!("{name} = {value};"));
    }

    /// The value kept, so that nothing that follows changes it.
    pub fn keep(&mut self, e: Expr) -> Expr {
        if let ExprKind::Const(_) = e.kind {
            return e;
        }
        let id = self.temporary(e.ty);
        let text = self.expr(&e);
        self.assign(id, &text);
        self.read_local(id, e.ty, e.span)
    }
}

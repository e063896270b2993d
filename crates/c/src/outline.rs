//! Where the statements of a C file begin and in which function, and which variables all functions see: what formats
//! need that speak of a run by places in the text.

use super::ast::*;
use super::{Options, parse};
use fencepost_ir::{FileId, Sources, Span};

/// The statements of a file, and its variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// In the order of the text.
    marks: Vec<Mark>,
    globals: Vec<String>,
}

/// A place where something begins.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mark {
    line: u32,
    column: u32,
    function: String,
    /// Whether it is a statement or a declaration, and not the condition after a loop's body.
    statement: bool,
}

/// Where a statement begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Begin<'a> {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The function it is in.
    pub function: &'a str,
}

/// The outline of a file; empty where it cannot be read.
pub fn outline(name: &str, text: &str, options: &Options) -> Outline {
    let mut sources = Sources::default();
    let Ok(unit) = parse(name, text, options, &mut sources) else { return Outline::default() };
    let mut finder = Finder { outline: Outline::default(), function: String::new() };
    finder.unit(&unit);
    let mut outline = finder.outline;
    outline.marks.sort_by_key(|mark| (mark.line, mark.column));
    outline.marks.dedup_by_key(|mark| (mark.line, mark.column));
    outline
}

impl Outline {
    /// The statement that a place of the file is in: what began last before it, since inner statements follow what
    /// belongs to the outer one. `None` outside of functions, and in the condition after a loop's body.
    pub fn statement(&self, span: Span) -> Option<Begin<'_>> {
        let behind = self.marks.partition_point(|mark| (mark.line, mark.column) <= (span.line, span.column));
        let mark = self.marks.get(behind.checked_sub(1)?)?;
        let here = span.is_some() && span.file == FileId(0) && mark.statement;
        here.then_some(Begin { line: mark.line, column: mark.column, function: &mark.function })
    }

    /// Whether all functions see a variable of this name.
    pub fn is_global(&self, name: &str) -> bool {
        self.globals.iter().any(|global| global == name)
    }
}

/// Finds the statements, and the variables that are in no function.
struct Finder {
    outline: Outline,
    /// The function at hand; empty outside.
    function: String,
}

impl Finder {
    fn mark(&mut self, span: Span, statement: bool) {
        if span.is_some() && span.file == FileId(0) {
            let function = self.function.clone();
            self.outline.marks.push(Mark { line: span.line, column: span.column, function, statement });
        }
    }
}

impl Visitor for Finder {
    fn function(&mut self, function: &Function) {
        self.function = function.name().text.clone();
        self.block(&function.body);
        self.function.clear();
    }

    fn declaration(&mut self, declaration: &Declaration) {
        if self.function.is_empty() {
            let names = declaration.declarators.iter().filter_map(|d| d.declarator.name.as_ref());
            self.outline.globals.extend(names.map(|name| name.text.clone()));
        } else {
            self.mark(declaration.span, true);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(_) | StmtKind::Labeled(..) => walk_statement(self, stmt),
            StmtKind::For(f) => {
                self.statement(&f.body);
                self.mark(stmt.span, true);
            }
            StmtKind::DoWhile(body, condition) => {
                self.statement(body);
                self.mark(condition.span, false);
            }
            _ => {
                walk_statement(self, stmt);
                self.mark(stmt.span, true);
            }
        }
    }

    // Statements inside of expressions belong to the statement around.
    fn expression(&mut self, _: &Expr) {}
}

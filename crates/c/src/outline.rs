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
    /// Whether it is a statement or a declaration, and not the condition behind a loop's body.
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
    let mut outline = Outline::default();
    for item in &unit.items {
        match item {
            Item::Function(function) => {
                let name = &function.name().text;
                outline.block(&function.body, name);
            }
            Item::Declaration(declaration) => {
                let names = declaration.declarators.iter().filter_map(|d| d.declarator.name.as_ref());
                outline.globals.extend(names.map(|name| name.text.clone()));
            }
            Item::StaticAssert(_) | Item::Asm(_) => {}
        }
    }
    outline.marks.sort_by_key(|mark| (mark.line, mark.column));
    outline.marks.dedup_by_key(|mark| (mark.line, mark.column));
    outline
}

impl Outline {
    /// The statement that a place of the file is in: what began last before it, since inner statements follow what
    /// belongs to the outer one. `None` outside of functions, and in the condition behind a loop's body.
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

    fn mark(&mut self, span: Span, function: &str, statement: bool) {
        if span.is_some() && span.file == FileId(0) {
            let function = function.to_string();
            self.marks.push(Mark { line: span.line, column: span.column, function, statement });
        }
    }

    fn block(&mut self, block: &Block, function: &str) {
        for item in &block.items {
            match item {
                BlockItem::Declaration(declaration) => self.mark(declaration.span, function, true),
                BlockItem::StaticAssert(_) => {}
                BlockItem::Statement(stmt) => self.stmt(stmt, function),
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt, function: &str) {
        match &stmt.kind {
            StmtKind::Block(block) => return self.block(block, function),
            StmtKind::Labeled(_, inner) => return self.stmt(inner, function),
            StmtKind::If(_, then, otherwise) => {
                self.stmt(then, function);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise, function);
                }
            }
            StmtKind::Switch(_, body) | StmtKind::While(_, body) => self.stmt(body, function),
            StmtKind::DoWhile(body, condition) => {
                self.stmt(body, function);
                self.mark(condition.span, function, false);
                return;
            }
            StmtKind::For(inner) => self.stmt(&inner.body, function),
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_) => {}
        }
        self.mark(stmt.span, function, true);
    }
}

//! Sites in a C file: before each part of a block and at its end, before and after a statement that is
//! the whole body of an `if` or a loop.
//!
//! What a macro expands to is at the macro's name, so of the statements that begin there only the
//! outermost counts: a fence goes before the macro, not into it. Statements of included files have no sites.

use crate::fence_words::{FenceWord, Words};
use crate::{Options, ast::*, parse};
use fencepost_ir::tree::FenceKind;
use fencepost_ir::{FileId, Sources, Span};
use fencepost_text::fences::{FenceSyntax, Lines, Shape, Site, in_order, skipped};
use std::collections::BTreeSet;

/// Fences in C, in files that are read with these options.
pub struct Fences {
    /// How the file is read.
    options: Options,
    words: Words,
}

impl Fences {
    /// Fences in the words of C11.
    pub fn new(options: Options) -> Fences {
        Fences { options, words: Words::default() }
    }

    /// Fences in the words of a program, or in those that are wanted; or why these are none.
    pub fn of(
        sources: &Sources,
        (name, text): (&str, &str),
        options: Options,
        wanted: &[FenceWord],
    ) -> Result<Fences, String> {
        let words = Words::of(sources, (name, text), &options, wanted)?;
        Ok(Fences { options, words })
    }
}

impl FenceSyntax for Fences {
    fn sites(&self, name: &str, text: &str) -> Vec<Site> {
        let mut sources = Sources::default();
        let Ok(unit) = parse(name, text, &self.options, &mut sources) else { return Vec::new() };
        let mut finder = Finder { text, lines: Lines::new(text), begun: BTreeSet::new(), sites: Vec::new() };
        for item in &unit.items {
            if let Item::Function(function) = item
                && !unit.origins.is_system(function.span)
            {
                finder.block(&function.body);
            }
        }
        in_order(finder.sites)
    }

    fn fence(&self, kind: FenceKind) -> &str {
        self.words.statement(kind)
    }

    fn bare_fence(&self, kind: FenceKind) -> &str {
        match kind {
            FenceKind::Full => "__atomic_thread_fence(__ATOMIC_SEQ_CST);",
            FenceKind::StoreStore => "__atomic_thread_fence(__ATOMIC_RELEASE);",
        }
    }

    fn missing_line(&self, text: &str, kinds: &[FenceKind]) -> Option<(usize, &'static str)> {
        match kinds.iter().any(|kind| self.words.needs_header(*kind)) {
            true => Some((missing_include(text)?, "#include <stdatomic.h>")),
            false => None,
        }
    }
}

struct Finder<'a> {
    text: &'a str,
    lines: Lines<'a>,
    /// Where statements begin that have their sites.
    begun: BTreeSet<usize>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    /// The offset of a place in the file itself, unless something has begun there.
    fn begin(&mut self, span: Span) -> Option<usize> {
        let at = self.lines.start(span);
        (span.file == FileId(0) && span.is_some() && self.begun.insert(at)).then_some(at)
    }

    fn before(&mut self, span: Span) {
        if let Some(at) = self.begin(span) {
            self.sites.push(Site { at, shape: Shape::Before });
        }
    }

    fn block(&mut self, block: &Block) {
        for item in &block.items {
            match item {
                BlockItem::Declaration(d) => self.before(d.span),
                BlockItem::StaticAssert(_) | BlockItem::Broken(_) => {}
                BlockItem::Statement(stmt) => {
                    self.before(stmt.span);
                    self.inside(stmt);
                }
            }
        }
        self.before(block.end);
    }

    /// The statements in a statement.
    fn inside(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::Labeled(_, inner) => {
                let at = self.lines.start(inner.span);
                // Before `}` and declarations there is no statement to be labelled.
                if !matches!(inner.kind, StmtKind::Empty) || self.text[at..].starts_with(';') {
                    self.before(inner.span);
                }
                self.inside(inner);
            }
            StmtKind::If(_, then, otherwise) => {
                self.alone(then);
                if let Some(otherwise) = otherwise {
                    self.alone(otherwise);
                }
            }
            StmtKind::Switch(_, body) => self.inside(body),
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) => self.alone(body),
            StmtKind::For(f) => self.alone(&f.body),
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_) => {}
        }
    }

    /// A statement that is the whole body of another.
    fn alone(&mut self, stmt: &Stmt) {
        if !matches!(stmt.kind, StmtKind::Block(_) | StmtKind::Labeled(..))
            && let Some(at) = self.begin(stmt.span)
            && let Some(end) = self.end(stmt)
        {
            if matches!(stmt.kind, StmtKind::Empty) {
                self.sites.push(Site { at, shape: Shape::Empty(end) });
            } else {
                self.sites.push(Site { at, shape: Shape::AloneBefore(end) });
                self.sites.push(Site { at, shape: Shape::AloneBehind(end) });
            }
        }
        self.inside(stmt);
    }

    /// The offset after a statement.
    fn end(&self, stmt: &Stmt) -> Option<usize> {
        match &stmt.kind {
            StmtKind::Block(block) => Some(self.lines.end(block.end)),
            StmtKind::Labeled(_, inner) => self.end(inner),
            StmtKind::If(_, then, otherwise) => self.end(otherwise.as_ref().unwrap_or(then)),
            StmtKind::Switch(_, body) | StmtKind::While(_, body) => self.end(body),
            StmtKind::For(f) => self.end(&f.body),
            StmtKind::DoWhile(body, _) => behind_semicolon(self.text, self.end(body)?),
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_) => behind_semicolon(self.text, self.lines.start(stmt.span)),
        }
    }
}

/// The offset after the next semicolon outside of brackets, literals and comments.
fn behind_semicolon(text: &str, from: usize) -> Option<usize> {
    let mut depth = 0i32;
    let mut at = from;
    while at < text.len() {
        let rest = &text[at..];
        let blank = skipped(rest);
        if blank > 0 {
            at += blank;
            continue;
        }
        let c = rest.chars().next()?;
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return Some(at + 1),
            '"' | '\'' => {
                at += literal(rest, c)?;
                continue;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        at += c.len_utf8();
    }
    None
}

/// Bytes of a string or character literal.
fn literal(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(i + 1),
            _ => {}
        }
    }
    None
}

/// Where to include the header for fences, after the last such line, if there is none for it.
fn missing_include(text: &str) -> Option<usize> {
    let directive = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        Some(rest.trim().to_string())
    };
    let includes = |line: &str| directive(line).is_some();
    if text.lines().any(|l| directive(l).is_some_and(|f| f.starts_with("<stdatomic.h>"))) {
        return None;
    }
    let mut at = 0;
    let mut depth = 0;
    let mut place = None;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let trimmed = line.trim_start();
        if trimmed.starts_with("#if") {
            depth += 1;
        } else if trimmed.starts_with("#endif") {
            depth -= 1;
        } else if includes(line) && depth == 0 && line.ends_with('\n') {
            place = Some(at);
        }
    }
    Some(place.unwrap_or(0))
}

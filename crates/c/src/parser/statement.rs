//! Statements.

use super::{Keyword, Parser, Result, TokenKind, refused};
use crate::ast::*;
use fencepost_text::Diagnostic;

/// The lists after an asm template.
struct AsmLists {
    outputs: Vec<AsmOperand>,
    inputs: Vec<AsmOperand>,
    clobbers: Vec<String>,
    labels: Vec<Name>,
}

impl Parser<'_, '_> {
    /// `{ ... }`, with a scope of its own.
    pub(super) fn block(&mut self) -> Result<Block> {
        self.scoped(|p| {
            let span = p.expect("{")?;
            let mut labels = Vec::new();
            while p.take_word(Keyword::Label) {
                loop {
                    labels.push(p.name("a label")?);
                    if !p.take(",") {
                        break;
                    }
                }
                p.expect(";")?;
            }
            let mut items = Vec::new();
            while !p.is("}") {
                if p.at_end() {
                    return Err(p.unexpected("`}`"));
                }
                p.item_of_block(&mut items)?;
            }
            Ok(Block { labels, items, span, end: p.expect("}")? })
        })
    }

    pub(super) fn block_item(&mut self, items: &mut Vec<BlockItem>) -> Result<()> {
        if self.is_word(Keyword::StaticAssert) {
            items.push(BlockItem::StaticAssert(self.static_assert()?));
            return Ok(());
        }
        if self.is_declaration() && !self.is_label() {
            items.push(BlockItem::Declaration(self.declaration()?));
        } else {
            items.push(BlockItem::Statement(self.deeper(Self::statement)?));
        }
        Ok(())
    }

    /// Whether a label is next. Labels have names of their own, so that even a type's may be one.
    fn is_label(&self) -> bool {
        match self.kind() {
            TokenKind::Identifier => self.is_at(1, ":"),
            TokenKind::Keyword(Keyword::Case | Keyword::Default) => true,
            _ => false,
        }
    }

    /// A statement inside of another.
    pub(super) fn inner(&mut self) -> Result<Box<Stmt>> {
        Ok(Box::new(self.deeper(Self::statement)?))
    }

    pub(super) fn statement(&mut self) -> Result<Stmt> {
        let start = self.here();
        let mut labels = Vec::new();
        loop {
            // Those that a statement or label may have, `fallthrough` and `unused`, change nothing.
            if self.is_attribute() && !self.is_declaration() {
                self.attributes(&mut Vec::new())?;
            }
            if !self.is_label() {
                break;
            }
            labels.push(self.label()?);
        }
        let kind = if labels.is_empty() {
            self.unlabeled()?
        } else {
            let place = self.here();
            let inner = if self.is("}") || self.at_end() || self.is_declaration() {
                Stmt { kind: StmtKind::Empty, span: self.before() }
            } else {
                let kind = self.deeper(Self::unlabeled)?;
                Stmt { kind, span: self.since(place) }
            };
            StmtKind::Labeled(labels, Box::new(inner))
        };
        Ok(Stmt { kind, span: self.since(start) })
    }

    fn label(&mut self) -> Result<Label> {
        let start = self.advance();
        let kind = match start.kind {
            TokenKind::Keyword(Keyword::Case) => {
                let first = self.conditional()?;
                if self.take("...") {
                    LabelKind::Range(first, self.conditional()?)
                } else {
                    LabelKind::Case(first)
                }
            }
            TokenKind::Keyword(Keyword::Default) => LabelKind::Default,
            _ => LabelKind::Name(start.text.to_string()),
        };
        let span = self.since(start.span);
        self.expect(":")?;
        Ok(Label { kind, span })
    }

    fn unlabeled(&mut self) -> Result<StmtKind> {
        let token = self.peek();
        match token.kind {
            TokenKind::Symbol("{") => return Ok(StmtKind::Block(self.block()?)),
            TokenKind::Symbol(";") => {
                self.advance();
                return Ok(StmtKind::Empty);
            }
            TokenKind::Keyword(keyword) => {
                if let Some(kind) = self.keyword_statement(keyword)? {
                    return Ok(kind);
                }
            }
            TokenKind::Identifier if self.peek_at(1).kind == TokenKind::Identifier => {
                return Err(self.unknown_type());
            }
            TokenKind::Symbol("}") | TokenKind::End => return Err(self.unexpected("a statement")),
            _ => {}
        }
        let value = self.expression()?;
        self.expect(";")?;
        Ok(StmtKind::Expr(value))
    }

    /// A statement that begins with a keyword; none if an expression does.
    fn keyword_statement(&mut self, keyword: Keyword) -> Result<Option<StmtKind>> {
        Ok(Some(match keyword {
            Keyword::If => self.if_chain()?,
            Keyword::Switch => {
                self.advance();
                StmtKind::Switch(self.condition()?, self.inner()?)
            }
            Keyword::While => {
                self.advance();
                StmtKind::While(self.condition()?, self.inner()?)
            }
            Keyword::Do => {
                self.advance();
                let body = self.inner()?;
                self.expect_word(Keyword::While, "while")?;
                let condition = self.condition()?;
                self.expect(";")?;
                StmtKind::DoWhile(body, condition)
            }
            Keyword::For => {
                self.advance();
                StmtKind::For(self.scoped(Self::for_loop)?)
            }
            Keyword::Goto => {
                self.advance();
                let kind = if self.take("*") {
                    StmtKind::GotoComputed(self.expression()?)
                } else {
                    StmtKind::Goto(self.name("a label or `*`")?)
                };
                self.expect(";")?;
                kind
            }
            Keyword::Continue => {
                self.advance();
                self.expect(";")?;
                StmtKind::Continue
            }
            Keyword::Break => {
                self.advance();
                self.expect(";")?;
                StmtKind::Break
            }
            Keyword::Return => {
                self.advance();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                StmtKind::Return(value)
            }
            Keyword::Asm => StmtKind::Asm(Box::new(self.asm()?)),
            Keyword::Else => {
                return refused(Diagnostic::new(self.here(), "this `else` belongs to no `if`"));
            }
            Keyword::Label => {
                return refused(Diagnostic::new(
                    self.here(),
                    "`__label__` stands at the beginning of a block",
                ));
            }
            _ if self.is_declaration() => {
                return refused(
                    Diagnostic::new(self.here(), "expected a statement, found a declaration")
                        .label("a declaration")
                        .help("put braces around it"),
                );
            }
            _ => return Ok(None),
        }))
    }

    /// `(a)`
    pub(super) fn condition(&mut self) -> Result<Expr> {
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        Ok(condition)
    }

    fn for_loop(&mut self) -> Result<Box<For>> {
        self.expect("(")?;
        let init = if self.take(";") {
            ForInit::Empty
        } else if self.is_declaration() {
            ForInit::Declaration(self.declaration()?)
        } else {
            let init = self.expression()?;
            self.expect(";")?;
            ForInit::Expr(init)
        };
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        Ok(Box::new(For { init, condition, step, body: self.deeper(Self::statement)? }))
    }

    /// `asm volatile (...);`, in a function or outside of one.
    pub(super) fn asm(&mut self) -> Result<Asm> {
        let start = self.advance().span;
        let mut is_volatile = false;
        let mut is_goto = false;
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Volatile) => is_volatile = true,
                TokenKind::Keyword(Keyword::Goto) => is_goto = true,
                TokenKind::Keyword(Keyword::Inline | Keyword::Const) => {}
                _ => break,
            }
            self.advance();
        }
        self.expect("(")?;
        let template = self.string()?;
        let lists = self.asm_lists()?;
        self.expect(")")?;
        self.expect(";")?;
        let AsmLists { outputs, inputs, clobbers, labels } = lists;
        let span = self.since(start);
        Ok(Asm { is_volatile, is_goto, template, outputs, inputs, clobbers, labels, span })
    }

    /// `: outputs : inputs : clobbers : labels`, of which the last may be missing.
    fn asm_lists(&mut self) -> Result<AsmLists> {
        let mut lists =
            AsmLists { outputs: Vec::new(), inputs: Vec::new(), clobbers: Vec::new(), labels: Vec::new() };
        if self.take(":") {
            lists.outputs = self.asm_list(Self::asm_operand)?;
        }
        if self.take(":") {
            lists.inputs = self.asm_list(Self::asm_operand)?;
        }
        if self.take(":") {
            lists.clobbers = self.asm_list(|p| Ok(p.string()?.text()))?;
        }
        if self.take(":") {
            lists.labels = self.asm_list(|p| p.name("a label"))?;
        }
        Ok(lists)
    }

    fn asm_list<T>(&mut self, mut parse: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = Vec::new();
        if self.is(":") || self.is(")") {
            return Ok(list);
        }
        loop {
            list.push(parse(self)?);
            if !self.take(",") {
                return Ok(list);
            }
        }
    }

    /// `[name] "constraint" (expr)`
    fn asm_operand(&mut self) -> Result<AsmOperand> {
        let mut name = None;
        if self.take("[") {
            name = Some(self.name("an operand's name")?);
            self.expect("]")?;
        }
        let constraint = self.string()?.text();
        self.expect("(")?;
        let expr = self.deeper(Self::expression)?;
        self.expect(")")?;
        Ok(AsmOperand { name, constraint, expr })
    }
}

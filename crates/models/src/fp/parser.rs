//! Tokens to syntax, by recursive descent.
//!
//! Expressions are in [`super::parse_expression`].

use super::ast::*;
use fencepost_ir::tree::{BinaryOp, Drain, Fence, FenceKind, Quantifier};
use fencepost_ir::{Access, Order};
use fencepost_text::Diagnostic;
use fencepost_text::cursor::Cursor;
use fencepost_text::fences::Seen;
use fencepost_text::lexer::{Token, TokenKind};
use std::ops::{Deref, DerefMut};

pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// Strength of `+` and `-`.
pub(super) const ADDITIVE: u8 = 8;

/// Words that are not names of variables, labels or procedures.
pub const RESERVED: [&str; 49] = [
    "any",
    "and",
    "assert",
    "assume",
    "at",
    "atomic",
    "atomic_begin",
    "atomic_end",
    "bool",
    "break",
    "choose",
    "const",
    "continue",
    "do",
    "else",
    "false",
    "fence",
    "final",
    "forbid",
    "goto",
    "i16",
    "i32",
    "i64",
    "i8",
    "if",
    "int",
    "integer",
    "join",
    "local",
    "lock",
    "mutex",
    "nodrain",
    "none",
    "or",
    "process",
    "return",
    "shared",
    "skip",
    "spawn",
    "start",
    "thread",
    "thread_id",
    "true",
    "u16",
    "u32",
    "u64",
    "unlock",
    "void",
    "while",
];

pub const TYPES: [&str; 13] =
    ["bool", "i16", "i32", "i64", "i8", "int", "integer", "thread_id", "u1", "u16", "u32", "u64", "u8"];

/// The items of a program.
pub fn parse(tokens: &[Token]) -> Result<Vec<Item>> {
    parse_seen(tokens).map(|(items, _)| items)
}

/// The items of a program, and the places between its statements.
pub fn parse_seen(tokens: &[Token]) -> Result<(Vec<Item>, Vec<Seen>)> {
    let mut parser = Parser(Cursor::new(tokens));
    let mut items = Vec::new();
    while !parser.at_end() {
        items.push(parser.item()?);
    }
    Ok((items, std::mem::take(&mut parser.seen)))
}

pub(super) struct Parser<'a>(Cursor<'a>);

impl<'a> Deref for Parser<'a> {
    type Target = Cursor<'a>;
    fn deref(&self) -> &Cursor<'a> {
        &self.0
    }
}

impl<'a> DerefMut for Parser<'a> {
    fn deref_mut(&mut self) -> &mut Cursor<'a> {
        &mut self.0
    }
}

impl Parser<'_> {
    pub(super) fn name(&mut self, what: &str) -> Result<Name> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Word(text)
                if !RESERVED.contains(&text.as_str()) && !TYPES.contains(&text.as_str()) =>
            {
                self.advance();
                Ok(Name { text, span: token.span })
            }
            TokenKind::Word(text) => Err(self
                .unexpected(what)
                .help(format!("`{text}` is a word of the language and cannot be a name"))),
            _ => Err(self.unexpected(what)),
        }
    }

    /// Runs `parse` one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.enter()?;
        let result = parse(self);
        self.leave();
        result
    }

    pub(super) fn separated<T>(&mut self, mut parse: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![parse(self)?];
        while self.take_symbol(",") {
            items.push(parse(self)?);
        }
        Ok(items)
    }

    // Items

    fn item(&mut self) -> Result<Item> {
        let span = self.peek().span;
        let TokenKind::Word(word) = self.peek().kind.clone() else {
            if self.at_type() {
                return self.function();
            }
            return Err(self.unexpected("a declaration"));
        };
        match word.as_str() {
            "shared" => {
                self.advance();
                let ty = self.type_expr()?;
                Ok(Item::Shared(self.declarations(ty)?))
            }
            "mutex" => {
                let name = Name { text: word, span: self.advance().span };
                Ok(Item::Shared(self.declarations(TypeExpr::Named(name))?))
            }
            "local" => {
                self.advance();
                let ty = self.type_expr()?;
                Ok(Item::Local(self.declarations(ty)?))
            }
            "const" => {
                self.advance();
                let name = self.name("a name for the constant")?;
                self.expect_symbol("=")?;
                let value = self.expr()?;
                self.expect_symbol(";")?;
                Ok(Item::Const(name, value))
            }
            "process" => {
                self.advance();
                let name = self.name("a name for the process")?;
                let params = self.params()?;
                let body = self.braced()?;
                Ok(Item::Procedure(Procedure { kind: ProcedureKind::Process, name, params, body }))
            }
            "thread" => {
                self.advance();
                let name = self.name("a name for the thread")?;
                let count = self.count()?;
                let body = self.braced()?;
                Ok(Item::Procedure(Procedure { kind: ProcedureKind::Thread(count), name, params: Vec::new(), body }))
            }
            "start" => {
                self.advance();
                let starts = self.separated(Self::start)?;
                self.expect_symbol(";")?;
                Ok(Item::Start(starts))
            }
            "forbid" => {
                self.advance();
                let mut parts = vec![self.at_label()?];
                while self.take_word("and") {
                    parts.push(self.at_label()?);
                }
                let end = self.expect_symbol(";")?;
                Ok(Item::Forbid(parts, span.to(end)))
            }
            "at" => {
                self.advance();
                self.expect_word("most")?;
                let number = self.expr()?;
                self.expect_word("at")?;
                let label = self.name("a label")?;
                let end = self.expect_symbol(";")?;
                Ok(Item::AtMost(number, label, span.to(end)))
            }
            "final" => {
                self.advance();
                let quantifier = if self.take_word("not") {
                    self.expect_word("exists")?;
                    Quantifier::NotExists
                } else if self.take_word("exists") {
                    Quantifier::Exists
                } else if self.take_word("forall") {
                    Quantifier::Forall
                } else {
                    return Err(self.unexpected("`exists`, `not exists` or `forall`"));
                };
                let condition = self.expr()?;
                let end = self.expect_symbol(";")?;
                Ok(Item::Final(quantifier, condition, span.to(end)))
            }
            "void" => self.function(),
            _ if self.at_type() => self.function(),
            _ => Err(self.unexpected("a declaration").help(
                "a program consists of `shared`, `local`, `mutex` and `const` declarations, functions, `process` and \
                 `thread` blocks, `start`, `forbid`, `at most` and `final`",
            )),
        }
    }

    fn function(&mut self) -> Result<Item> {
        let result = if self.take_word("void") { None } else { Some(self.type_expr()?) };
        let name = self.name("a name for the function")?;
        if !self.is_symbol("(") {
            return Err(self
                .unexpected("`(`")
                .help("variables are declared with `shared` or `local` in front"));
        }
        let params = self.params()?;
        let body = self.braced()?;
        Ok(Item::Procedure(Procedure { kind: ProcedureKind::Function(result), name, params, body }))
    }

    fn params(&mut self) -> Result<Vec<(TypeExpr, Name)>> {
        self.expect_symbol("(")?;
        if self.take_symbol(")") {
            return Ok(Vec::new());
        }
        let params = self.separated(|p| Ok((p.type_expr()?, p.name("a name for the parameter")?)))?;
        self.expect_symbol(")")?;
        Ok(params)
    }

    fn count(&mut self) -> Result<CountExpr> {
        if !self.take_symbol("[") {
            return Ok(CountExpr::Once);
        }
        let count = if self.take_symbol("*") { CountExpr::Any } else { CountExpr::Times(self.expr()?) };
        self.expect_symbol("]")?;
        Ok(count)
    }

    fn start(&mut self) -> Result<Start> {
        let first = self.name("a process to start")?;
        let (name, process) = if self.take_symbol("=") {
            (Some(first), self.name("a process to start")?)
        } else {
            (None, first)
        };
        let count = self.count()?;
        let args = if self.is_symbol("(") { self.args()? } else { Vec::new() };
        Ok(Start { name, process, count, args })
    }

    /// `thread at label`
    fn at_label(&mut self) -> Result<(Expr, Name)> {
        let span = self.peek().span;
        let who = if self.take_word("any") {
            Expr { kind: ExprKind::Any(Vec::new()), span }
        } else {
            let name = self.name("a thread, a process or `any`")?;
            let kind = if self.is_symbol("(") {
                ExprKind::Call(name, self.args()?)
            } else {
                ExprKind::Variable(name, Vec::new(), Access::Plain)
            };
            Expr { kind, span }
        };
        self.expect_word("at")?;
        Ok((who, self.name("a label")?))
    }

    // Types and declarations

    fn at_type(&self) -> bool {
        match &self.peek().kind {
            TokenKind::Word(w) => {
                TYPES.contains(&w.as_str()) || matches!(self.peek_at(1).kind, TokenKind::Symbol(".."))
            }
            TokenKind::Number(_) => true,
            TokenKind::Symbol(s) => *s == "-" || *s == "(",
            TokenKind::End => false,
        }
    }

    fn type_expr(&mut self) -> Result<TypeExpr> {
        let token = self.peek().clone();
        match token.kind {
            TokenKind::Word(text) if TYPES.contains(&text.as_str()) => {
                self.advance();
                Ok(TypeExpr::Named(Name { text, span: token.span }))
            }
            _ if self.at_type() => {
                let lo = self.deeper(Self::unary)?;
                self.expect_symbol("..")?;
                let hi = self.binary(ADDITIVE)?;
                Ok(TypeExpr::Range(lo, hi))
            }
            _ => Err(self
                .unexpected("a type")
                .help("types are `bool`, `int`, `i8` to `u64`, and ranges such as `0..3`")),
        }
    }

    fn declarations(&mut self, ty: TypeExpr) -> Result<Vec<Declaration>> {
        let declarations = self.separated(|p| {
            let name = p.name("a name for the variable")?;
            let mut dims = Vec::new();
            while p.take_symbol("[") {
                let star = p.peek().span;
                let unbounded = p.take_symbol("*");
                dims.push(if unbounded { Dimension::Unbounded(star) } else { Dimension::Size(p.expr()?) });
                p.expect_symbol("]")?;
            }
            let init = if p.take_symbol("=") { Some(p.init()?) } else { None };
            Ok(Declaration { ty: ty.clone(), name, dims, init })
        })?;
        self.expect_symbol(";")?;
        Ok(declarations)
    }

    fn init(&mut self) -> Result<Init> {
        let span = self.peek().span;
        if !self.take_symbol("{") {
            return Ok(Init::Value(self.expr()?));
        }
        let values = self.deeper(|p| p.separated(Self::init))?;
        let end = self.expect_symbol("}")?;
        Ok(Init::List(values, span.to(end)))
    }

    // Statements

    fn braced(&mut self) -> Result<Vec<Stmt>> {
        self.expect_symbol("{")?;
        self.deeper(|p| {
            let mut stmts = Vec::new();
            while !p.is_symbol("}") {
                let start = p.here();
                p.seen.push(Seen::Before(start));
                stmts.push(p.stmt()?);
            }
            let end = p.advance().span;
            p.seen.push(Seen::Before(end));
            Ok(stmts)
        })
    }

    /// The body of `if` or a loop: a block, or one statement.
    pub(super) fn body(&mut self) -> Result<Vec<Stmt>> {
        if self.is_symbol("{") {
            return self.braced();
        }
        let start = self.here();
        if self.take_symbol(";") {
            self.seen.push(Seen::Empty(start));
            return Ok(Vec::new());
        }
        let stmt = self.deeper(|p| p.stmt())?;
        let end = self.before();
        self.seen.push(Seen::Alone(start, end));
        Ok(vec![stmt])
    }

    fn stmt(&mut self) -> Result<Stmt> {
        let start = self.peek().span;
        let kind = self.stmt_kind()?;
        let end = self.before();
        Ok(Stmt { kind, span: start.to(end) })
    }

    fn stmt_kind(&mut self) -> Result<StmtKind> {
        if self.is_symbol("{") {
            return Ok(StmtKind::Block(self.braced()?));
        }
        if self.take_symbol(";") {
            return Ok(StmtKind::Block(Vec::new()));
        }
        let TokenKind::Word(word) = self.peek().kind.clone() else {
            if self.at_type() {
                let ty = self.type_expr()?;
                return Ok(StmtKind::Declare(self.declarations(ty)?));
            }
            return Err(self.unexpected("a statement"));
        };
        if self.at_type() {
            let ty = self.type_expr()?;
            return Ok(StmtKind::Declare(self.declarations(ty)?));
        }
        let keyword = RESERVED.contains(&word.as_str());
        if !keyword && matches!(self.peek_at(1).kind, TokenKind::Symbol(":")) {
            let name = self.name("a label")?;
            self.advance();
            return Ok(StmtKind::Label(name));
        }
        if !keyword || word == "spawn" {
            return self.simple_stmt();
        }
        match word.as_str() {
            "if" => {
                return self.if_chain();
            }
            "while" => {
                self.advance();
                let cond = self.parenthesised()?;
                return Ok(StmtKind::While(cond, self.body()?));
            }
            "choose" => {
                self.advance();
                let mut blocks = vec![self.braced()?];
                while self.take_word("or") {
                    blocks.push(self.braced()?);
                }
                return Ok(StmtKind::Choose(blocks));
            }
            "atomic" => {
                self.advance();
                let drain = self.drain();
                return Ok(StmtKind::Atomic(drain, self.braced()?));
            }
            _ => {}
        }
        let kind = match word.as_str() {
            "do" => {
                self.advance();
                let body = self.body()?;
                self.expect_word("while")?;
                StmtKind::DoWhile(body, self.parenthesised()?)
            }
            "skip" => self.plain(StmtKind::Skip),
            "break" => self.plain(StmtKind::Break),
            "continue" => self.plain(StmtKind::Continue),
            "goto" => {
                self.advance();
                StmtKind::Goto(self.name("a label")?)
            }
            "return" => {
                self.advance();
                StmtKind::Return(if self.is_symbol(";") { None } else { Some(self.expr()?) })
            }
            "atomic_begin" => {
                self.advance();
                StmtKind::AtomicBegin(self.drain())
            }
            "atomic_end" => {
                self.advance();
                StmtKind::AtomicEnd(self.drain())
            }
            "fence" => {
                self.advance();
                let order = Order::ALL.into_iter().find(|order| self.is_word(order.name()));
                StmtKind::Fence(match order {
                    Some(order) => {
                        self.advance();
                        Fence::Thread(order)
                    }
                    None if self.take_word("store_store") => Fence::Machine(FenceKind::StoreStore),
                    None => Fence::Machine(FenceKind::Full),
                })
            }
            "assume" => {
                self.advance();
                StmtKind::Assume(self.parenthesised()?)
            }
            "assert" => {
                self.advance();
                StmtKind::Assert(self.parenthesised()?)
            }
            "lock" => {
                self.advance();
                StmtKind::Lock(self.parenthesised()?)
            }
            "unlock" => {
                self.advance();
                StmtKind::Unlock(self.parenthesised()?)
            }
            "join" => {
                self.advance();
                StmtKind::Join(self.parenthesised()?)
            }
            _ => return Err(self.unexpected("a statement")),
        };
        self.expect_symbol(";")?;
        Ok(kind)
    }

    fn plain(&mut self, kind: StmtKind) -> StmtKind {
        self.advance();
        kind
    }

    pub(super) fn drain(&mut self) -> Drain {
        if self.take_word("nodrain") { Drain::No } else { Drain::Yes }
    }

    pub(super) fn parenthesised(&mut self) -> Result<Expr> {
        self.expect_symbol("(")?;
        let e = self.expr()?;
        self.expect_symbol(")")?;
        Ok(e)
    }

    /// Assignments, updates and calls.
    fn simple_stmt(&mut self) -> Result<StmtKind> {
        let first = self.deeper(Self::unary)?;
        let span = first.span;
        let one = |span| Expr { kind: ExprKind::Number(1), span };
        let updates = [
            ("+=", BinaryOp::Add),
            ("-=", BinaryOp::Sub),
            ("*=", BinaryOp::Mul),
            ("/=", BinaryOp::Div),
            ("%=", BinaryOp::Rem),
            ("&=", BinaryOp::BitAnd),
            ("|=", BinaryOp::BitOr),
            ("^=", BinaryOp::BitXor),
            ("<<=", BinaryOp::Shl),
            (">>=", BinaryOp::Shr),
        ];
        let kind = if self.take_symbol("++") {
            StmtKind::Update(first, BinaryOp::Add, one(span))
        } else if self.take_symbol("--") {
            StmtKind::Update(first, BinaryOp::Sub, one(span))
        } else if let Some((symbol, op)) = updates.iter().find(|(s, _)| self.is_symbol(s)) {
            self.expect_symbol(symbol)?;
            StmtKind::Update(first, *op, self.expr()?)
        } else if self.is_symbol("=") || self.is_symbol(",") {
            let mut targets = vec![first];
            while self.take_symbol(",") {
                targets.push(self.deeper(Self::unary)?);
            }
            self.expect_symbol("=")?;
            StmtKind::Assign(targets, self.separated(Self::expr)?)
        } else {
            StmtKind::Eval(first)
        };
        self.expect_symbol(";")?;
        Ok(kind)
    }
}

//! Tokens of an `.rmm` file to syntax.

use super::ast::*;
use fencepost_ir::tree::{BinaryOp, FenceKind};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;
use fencepost_text::cursor::Cursor;
use fencepost_text::fences::Seen;
use fencepost_text::lexer::{Token, TokenKind};
use std::ops::{Deref, DerefMut};

type Result<T> = std::result::Result<T, Diagnostic>;

const MAX_PROCESSES: usize = 1000;

const SECTIONS: [&str; 6] = ["forbidden", "data", "process", "registers", "text", "macro"];

/// The sections of a file.
pub fn parse(tokens: &[Token]) -> Result<File> {
    parse_seen(tokens).map(|(file, _)| file)
}

/// The sections of a file, and the places between its statements.
pub fn parse_seen(tokens: &[Token]) -> Result<(File, Vec<Seen>)> {
    let mut parser = Parser(Cursor::new(tokens));
    let mut file = File::default();
    if parser.take_word("forbidden") {
        file.forbidden = parser.forbidden()?;
    }
    if parser.take_word("data") {
        file.data = parser.declarations("")?;
    }
    while parser.is_word("process") {
        file.processes.push(parser.process()?);
        if file.processes.iter().map(|p| p.count).sum::<usize>() > MAX_PROCESSES {
            return Err(Diagnostic::new(parser.here(), format!("more than {MAX_PROCESSES} processes")));
        }
    }
    match parser.peek().kind {
        TokenKind::End if file.processes.is_empty() => Err(parser.unexpected("`process`")),
        TokenKind::End => Ok((file, std::mem::take(&mut parser.seen))),
        _ => Err(parser.unexpected("`forbidden`, `data` or `process`, in this order")),
    }
}

struct Parser<'a>(Cursor<'a>);

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
    fn name(&mut self, what: &str) -> Result<Name> {
        match self.peek().kind.clone() {
            TokenKind::Word(text) if !SECTIONS.contains(&text.as_str()) => {
                Ok(Name { text, span: self.advance().span })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn number(&mut self) -> Result<i64> {
        let negative = self.take_symbol("-");
        let TokenKind::Number(number) = self.peek().kind else { return Err(self.unexpected("a number")) };
        let number = number.map(|n| if negative { -n } else { n }).and_then(|n| i64::try_from(n).ok());
        match number {
            Some(number) => {
                self.advance();
                Ok(number)
            }
            None => Err(Diagnostic::new(self.here(), "this number does not fit 64 bits")),
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.enter()?;
        let result = parse(self);
        self.leave();
        result
    }

    fn forbidden(&mut self) -> Result<Vec<(Vec<Option<Name>>, Span)>> {
        let mut lines = Vec::new();
        loop {
            let start = self.here();
            let mut places = Vec::new();
            let mut end = start;
            loop {
                if self.is_symbol("*") {
                    end = self.advance().span;
                    places.push(None);
                } else if matches!(&self.peek().kind, TokenKind::Word(w) if !SECTIONS.contains(&w.as_str())) {
                    let name = self.name("a label")?;
                    end = name.span;
                    places.push(Some(name));
                } else {
                    break;
                }
            }
            if places.is_empty() {
                return Err(self.unexpected("a label or `*` for each process"));
            }
            lines.push((places, start.to(end)));
            if !self.take_symbol(";") {
                return Ok(lines);
            }
        }
    }

    /// `name = value : domain`, one after another; registers have `$` in front.
    fn declarations(&mut self, sigil: &'static str) -> Result<Vec<Declaration>> {
        let mut declarations: Vec<Declaration> = Vec::new();
        loop {
            let more = match sigil {
                "" => matches!(&self.peek().kind, TokenKind::Word(w) if !SECTIONS.contains(&w.as_str())),
                sigil => self.take_symbol(sigil),
            };
            if !more {
                return Ok(declarations);
            }
            let name = self.name("a name")?;
            if declarations.iter().any(|d| d.name.text == name.text) {
                return Err(Diagnostic::new(name.span, format!("`{}` is declared twice", name.text)));
            }
            self.expect_symbol("=")?;
            let init_span = self.here();
            let init = if self.take_symbol("*") { None } else { Some(self.number()?) };
            let domain = if self.take_symbol(":") { self.domain()? } else { Scalar::Integer };
            if let Some(value) = init
                && !domain.contains(value)
            {
                return Err(Diagnostic::new(init_span, format!("{value} is outside the domain {domain}")));
            }
            declarations.push(Declaration { name, init, domain });
        }
    }

    fn domain(&mut self) -> Result<Scalar> {
        if self.take_word("Z") {
            return Ok(Scalar::Integer);
        }
        let start = self.expect_symbol("[").map_err(|_| self.unexpected("a domain, `[lo:hi]` or `Z`"))?;
        let lo = self.number()?;
        self.expect_symbol(":")?;
        let hi = self.number()?;
        let end = self.expect_symbol("]")?;
        if lo > hi {
            return Err(Diagnostic::new(start.to(end), "this domain is empty"));
        }
        Ok(Scalar::Range { lo, hi })
    }

    fn process(&mut self) -> Result<Process> {
        let span = self.advance().span;
        let mut count = 1;
        if self.take_symbol("(") {
            let place = self.here();
            count = match self.number()? {
                n @ 1..=1000 => n as usize,
                n => return Err(Diagnostic::new(place, format!("{n} processes are not between 1 and 1000"))),
            };
            self.expect_symbol(")")?;
        }
        let data = if self.take_word("data") { self.declarations("")? } else { Vec::new() };
        let registers = if self.take_word("registers") { self.declarations("$")? } else { Vec::new() };
        if !self.take_word("text") {
            return Err(self.unexpected("`text`, the code of the process"));
        }
        Ok(Process { count, data, registers, text: self.sequence()?, span })
    }

    // Statements

    /// Statements between semicolons; one may follow the last.
    fn sequence(&mut self) -> Result<Vec<Stmt>> {
        let mut stmts = vec![self.part()?];
        let mut end = self.before();
        while self.take_symbol(";") {
            if self.ends_sequence() {
                break;
            }
            stmts.push(self.part()?);
            end = self.before();
        }
        self.seen.push(Seen::Behind(end));
        Ok(stmts)
    }

    /// A statement of a sequence.
    fn part(&mut self) -> Result<Stmt> {
        let start = self.here();
        self.seen.push(Seen::Before(start));
        self.stmt()
    }

    /// A statement that is the whole body of another.
    fn alone(&mut self) -> Result<Box<Stmt>> {
        let start = self.here();
        let is_block = self.is_symbol("{");
        let stmt = self.stmt()?;
        if !is_block {
            let end = self.before();
            self.seen.push(Seen::Alone(start, end));
        }
        Ok(Box::new(stmt))
    }

    fn ends_sequence(&self) -> bool {
        self.is_symbol("}")
            || self.is_word("or")
            || self.is_word("process")
            || self.peek().kind == TokenKind::End
    }

    fn stmt(&mut self) -> Result<Stmt> {
        self.deeper(|p| {
            let start = p.here();
            let label = if p.at_label() {
                let name = p.name("a label")?;
                p.expect_symbol(":")?;
                Some(name)
            } else {
                None
            };
            let kind = if label.is_some() && p.ends_sequence() {
                StmtKind::Nop // a label at the very end
            } else if label.is_some() && p.at_label() {
                StmtKind::Block(vec![p.stmt()?])
            } else {
                if label.is_some() {
                    let start = p.here();
                    p.seen.push(Seen::Before(start));
                }
                p.stmt_kind()?
            };
            let end = p.before();
            Ok(Stmt { label, kind, span: start.to(end) })
        })
    }

    fn at_label(&self) -> bool {
        let instructions = ["read", "write", "syncwr", "syncrd", "assume"];
        matches!((&self.peek().kind, &self.peek_at(1).kind),
            (TokenKind::Word(word), TokenKind::Symbol(":")) if !instructions.contains(&word.as_str()))
    }

    fn stmt_kind(&mut self) -> Result<StmtKind> {
        if self.take_symbol("{") {
            let stmts = self.sequence()?;
            self.expect_symbol("}")?;
            return Ok(StmtKind::Block(stmts));
        }
        if self.is_symbol("$") {
            let register = self.register()?;
            self.expect_symbol(":=")?;
            return Ok(StmtKind::Assign(register, self.arithmetic()?));
        }
        let TokenKind::Word(word) = self.peek().kind.clone() else {
            return Err(self.unexpected("a statement"));
        };
        let span = self.advance().span;
        match word.as_str() {
            "nop" => Ok(StmtKind::Nop),
            "fence" => Ok(StmtKind::Fence(FenceKind::Full)),
            "ssfence" => Ok(StmtKind::Fence(FenceKind::StoreStore)),
            // Loads are never reordered with loads here.
            "llfence" => Ok(StmtKind::Nop),
            "read" | "syncrd" => {
                self.expect_symbol(":")?;
                if self.is_symbol("$") {
                    let register = self.register()?;
                    self.expect_symbol(":=")?;
                    return Ok(StmtKind::Read(register, self.memory()?));
                }
                let memory = self.memory()?;
                self.expect_symbol("=")?;
                Ok(StmtKind::ReadEqual(memory, self.arithmetic()?))
            }
            "write" => self.write(WriteKind::Plain),
            "syncwr" => self.write(WriteKind::Locked),
            "slocked" => {
                if !self.take_word("write") {
                    return Err(self.unexpected("`write`"));
                }
                self.write(WriteKind::StoreLocked)
            }
            "locked" => {
                if self.take_word("write") {
                    return self.write(WriteKind::Locked);
                }
                Ok(StmtKind::Locked(self.alternatives()?))
            }
            "cas" => {
                self.expect_symbol("(")?;
                let memory = self.memory()?;
                self.expect_symbol(",")?;
                let expected = self.arithmetic()?;
                self.expect_symbol(",")?;
                let new = self.arithmetic()?;
                self.expect_symbol(")")?;
                Ok(StmtKind::Cas(memory, expected, new))
            }
            "assume" => {
                self.expect_symbol(":")?;
                Ok(StmtKind::Assume(self.boolean()?))
            }
            "if" => {
                let condition = self.boolean()?;
                if !self.take_word("then") {
                    return Err(self.unexpected("`then`"));
                }
                let then = self.alone()?;
                let otherwise = if self.take_word("else") { Some(self.alone()?) } else { None };
                Ok(StmtKind::If(condition, then, otherwise))
            }
            "while" => {
                let condition = self.boolean()?;
                if !self.take_word("do") {
                    return Err(self.unexpected("`do`"));
                }
                Ok(StmtKind::While(condition, self.alone()?))
            }
            "goto" => Ok(StmtKind::Goto(self.name("a label")?)),
            "either" => Ok(StmtKind::Either(self.alternatives()?)),
            other => {
                Err(Diagnostic::new(span, format!("`{other}` begins no statement"))
                    .label("expected a statement"))
            }
        }
    }

    fn write(&mut self, kind: WriteKind) -> Result<StmtKind> {
        self.expect_symbol(":")?;
        let memory = self.memory()?;
        self.expect_symbol(":=")?;
        Ok(StmtKind::Write(kind, memory, self.arithmetic()?))
    }

    fn alternatives(&mut self) -> Result<Vec<Vec<Stmt>>> {
        self.expect_symbol("{")?;
        let mut alternatives = vec![self.sequence()?];
        while self.take_word("or") {
            alternatives.push(self.sequence()?);
        }
        self.expect_symbol("}")?;
        Ok(alternatives)
    }

    fn register(&mut self) -> Result<Name> {
        let span = self.expect_symbol("$")?;
        let name = self.name("the name of a register")?;
        Ok(Name { span: span.to(name.span), ..name })
    }

    fn memory(&mut self) -> Result<Memory> {
        if self.take_symbol("[") {
            let address = self.arithmetic()?;
            self.expect_symbol("]")?;
            return Ok(Memory::Pointer(address));
        }
        let name = self.name("a memory location")?;
        if !self.take_symbol("[") {
            return Ok(Memory::Global(name));
        }
        let memory = if self.take_word("my") {
            Memory::Own(name)
        } else {
            let place = self.here();
            match usize::try_from(self.number()?) {
                Ok(i) => Memory::Other(name, i),
                Err(_) => return Err(Diagnostic::new(place, "processes are counted from 0")),
            }
        };
        self.expect_symbol("]")?;
        Ok(memory)
    }

    // Expressions

    fn arithmetic(&mut self) -> Result<Expr> {
        let mut left = self.product()?;
        let mut length = 0;
        loop {
            let op = if self.take_symbol("+") {
                BinaryOp::Add
            } else if self.take_symbol("-") {
                BinaryOp::Sub
            } else {
                return Ok(left);
            };
            length += 1;
            self.check_row(length)?;
            left = Expr::Binary(op, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr> {
        let mut left = self.atom()?;
        let mut length = 0;
        while self.take_symbol("*") {
            length += 1;
            self.check_row(length)?;
            left = Expr::Binary(BinaryOp::Mul, Box::new(left), Box::new(self.atom()?));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr> {
        self.deeper(|p| {
            let span = p.here();
            if p.take_symbol("(") {
                let e = p.arithmetic()?;
                p.expect_symbol(")")?;
                return Ok(e);
            }
            if p.is_symbol("$") {
                return Ok(Expr::Register(p.register()?));
            }
            if p.is_symbol("-") && !matches!(p.peek_at(1).kind, TokenKind::Number(_)) {
                p.advance();
                return Ok(Expr::Negated(Box::new(p.atom()?)));
            }
            match p.peek().kind {
                TokenKind::Number(_) | TokenKind::Symbol("-") => Ok(Expr::Number(p.number()?, span)),
                _ => Err(p.unexpected("a number or a register").help("memory is read with `read: $r := x`")),
            }
        })
    }

    fn boolean(&mut self) -> Result<Expr> {
        self.deeper(|p| {
            let mut left = p.conjunction()?;
            while p.take_symbol("||") {
                left = Expr::Binary(BinaryOp::Or, Box::new(left), Box::new(p.conjunction()?));
            }
            Ok(left)
        })
    }

    fn conjunction(&mut self) -> Result<Expr> {
        let mut left = self.literal()?;
        let mut length = 0;
        while self.take_symbol("&&") {
            length += 1;
            self.check_row(length)?;
            left = Expr::Binary(BinaryOp::And, Box::new(left), Box::new(self.literal()?));
        }
        Ok(left)
    }

    fn literal(&mut self) -> Result<Expr> {
        self.deeper(|p| {
            let span = p.here();
            if p.take_word("true") {
                return Ok(Expr::Truth(true, span));
            }
            if p.take_word("false") {
                return Ok(Expr::Truth(false, span));
            }
            if p.take_word("not") || p.take_symbol("!") {
                return Ok(Expr::Not(Box::new(p.literal()?)));
            }
            if p.take_symbol("[") {
                let e = p.boolean()?;
                p.expect_symbol("]")?;
                return Ok(e);
            }
            let left = p.arithmetic()?;
            let op = match p.peek().kind {
                TokenKind::Symbol("=" | "==") => BinaryOp::Eq,
                TokenKind::Symbol("!=") => BinaryOp::Ne,
                TokenKind::Symbol("<") => BinaryOp::Lt,
                TokenKind::Symbol("<=") => BinaryOp::Le,
                TokenKind::Symbol(">") => BinaryOp::Gt,
                TokenKind::Symbol(">=") => BinaryOp::Ge,
                _ => return Err(p.unexpected("a comparison")),
            };
            p.advance();
            Ok(Expr::Binary(op, Box::new(left), Box::new(p.arithmetic()?)))
        })
    }
}

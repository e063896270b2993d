//! One x86 instruction, in either order of operands: `movq $1,(x)` and `MOV [x],$1`.
//!
//! Both ways of writing an operand are read in both kinds of tests; the architecture decides the order
//! and the width that is meant where nothing says one. herd writes `cmpxchgl (x),%ecx` where the
//! manuals write `cmpxchgl %ecx,(x)`: the operand in memory is the destination either way.

use super::ast::*;
use super::parser::{Parser, Result};
use super::register::{COUNTER, Part, Register};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use fencepost_text::lexer::TokenKind;

/// An operand, and the width that it says itself.
struct Parsed {
    operand: Operand,
    width: Option<Width>,
    span: Span,
}

/// Reads an instruction up to the end of its cell.
pub fn parse(parser: &mut Parser<'_>) -> Result<Instr> {
    let start = parser.here();
    let name = parser.name("an instruction")?;
    let mnemonic = name.text.to_ascii_lowercase();
    let kind = if mnemonic == "lock" {
        // herd's own printing puts a semicolon after the prefix.
        parser.take_symbol(";");
        let name = parser.name("an instruction behind `lock`")?;
        let span = name.span;
        let kind = parser.instruction(name)?;
        lock(kind).ok_or_else(|| {
            Diagnostic::new(span, "this instruction takes no `lock` prefix")
                .help("`lock` makes an instruction atomic that reads and writes memory")
        })?
    } else {
        parser.instruction(name)?
    };
    Ok(Instr { kind, span: start.to(parser.before()) })
}

/// The instruction with a `lock` prefix; `None` where it has no place.
fn lock(mut kind: InstrKind) -> Option<InstrKind> {
    use InstrKind::*;
    match &mut kind {
        Exchange { first, second, locked, .. } => {
            *locked = Locked::Yes;
            let memory = matches!(first, Operand::Memory(_)) || matches!(second, Operand::Memory(_));
            memory.then_some(kind)
        }
        ExchangeAdd { dest, locked, .. }
        | CompareExchange { dest, locked, .. }
        | Binary { dest, locked, .. }
        | Unary { dest, locked, .. } => {
            *locked = Locked::Yes;
            matches!(dest, Operand::Memory(_)).then_some(kind)
        }
        Nop
        | Mov { .. }
        | MovExtend { .. }
        | Lea { .. }
        | Fence
        | StoreFence
        | Shift { .. }
        | Compare { .. }
        | Test { .. }
        | Jump(_)
        | JumpIf(..)
        | Set(..)
        | MoveIf { .. }
        | Return => None,
    }
}

fn suffix(letter: &str) -> Option<Width> {
    match letter {
        "b" => Some(Width::Byte),
        "w" => Some(Width::Word),
        "l" => Some(Width::Long),
        "q" => Some(Width::Quad),
        _ => None,
    }
}

/// `Some` if the mnemonic is `base`, with or without a width after it.
fn with_suffix(mnemonic: &str, base: &str) -> Option<Option<Width>> {
    match mnemonic.strip_prefix(base)? {
        "" => Some(None),
        letter => suffix(letter).map(Some),
    }
}

fn test(code: &str) -> Option<super::ast::Test> {
    use super::ast::Test::*;
    Some(match code {
        "e" | "z" => Equal,
        "ne" | "nz" => NotEqual,
        "b" | "c" | "nae" => Below,
        "ae" | "nb" | "nc" => AboveEqual,
        "be" | "na" => BelowEqual,
        "a" | "nbe" => Above,
        "l" | "lt" | "nge" => Less,
        "ge" | "nl" => GreaterEqual,
        "le" | "ng" => LessEqual,
        "g" | "gt" | "nle" => Greater,
        "s" => Sign,
        "ns" => NotSign,
        "o" => Overflow,
        "no" => NotOverflow,
        _ => return None,
    })
}

impl Parser<'_> {
    fn instruction(&mut self, name: Name) -> Result<InstrKind> {
        let mnemonic = name.text.to_ascii_lowercase();
        let m = mnemonic.as_str();
        match m {
            // The long forms of `nop` have an operand that is never touched.
            "nop" | "nopw" | "nopl" => {
                while !self.is_symbol("|") && !self.is_symbol(";") && !self.at_end() {
                    self.advance();
                }
                return Ok(InstrKind::Nop);
            }
            "pause" | "endbr64" | "endbr32" | "lfence" => return Ok(InstrKind::Nop),
            "mfence" => return Ok(InstrKind::Fence),
            "sfence" => return Ok(InstrKind::StoreFence),
            "ret" | "retq" | "retl" => return Ok(InstrKind::Return),
            "jmp" => return Ok(InstrKind::Jump(self.name("a label")?)),
            _ => {}
        }
        if let Some(test) = m.strip_prefix('j').and_then(test) {
            return Ok(InstrKind::JumpIf(test, self.name("a label")?));
        }
        if let Some(test) = m.strip_prefix("set").and_then(test) {
            return Ok(InstrKind::Set(test, self.operand()?.operand));
        }
        if let Some(code) = m.strip_prefix("cmov") {
            let (short, letter) = code.split_at(code.len().saturating_sub(1));
            let with_letter = || Some((test(short)?, Some(suffix(letter)?)));
            if let Some((test, width)) = test(code).map(|t| (t, None)).or_else(with_letter) {
                let (dest, source, width) = self.two(width)?;
                return Ok(InstrKind::MoveIf { test, width, dest: register(&dest)?, source: source.operand });
            }
        }
        if let Some(kind) = self.extending_move(m)? {
            return Ok(kind);
        }
        let binary = [
            ("add", Binary::Add),
            ("sub", Binary::Sub),
            ("and", Binary::And),
            ("or", Binary::Or),
            ("xor", Binary::Xor),
        ];
        for (base, op) in binary {
            if let Some(width) = with_suffix(m, base) {
                let (dest, source, width) = self.two(width)?;
                let dest = writable(dest, &source)?;
                return Ok(InstrKind::Binary { op, width, dest, source: source.operand, locked: Locked::No });
            }
        }
        let unary = [("inc", Unary::Inc), ("dec", Unary::Dec), ("neg", Unary::Neg), ("not", Unary::Not)];
        for (base, op) in unary {
            if let Some(width) = with_suffix(m, base) {
                let dest = self.operand()?;
                let width = width.or(dest.width);
                return Ok(InstrKind::Unary { op, width, dest: written(dest)?, locked: Locked::No });
            }
        }
        let shifts =
            [("shl", Shift::Left), ("sal", Shift::Left), ("shr", Shift::Right), ("sar", Shift::Arithmetic)];
        for (base, op) in shifts {
            if let Some(width) = with_suffix(m, base) {
                return self.shift(op, width);
            }
        }
        if let Some(width) = with_suffix(m, "mov").or_else(|| with_suffix(m, "movabs")) {
            let (dest, source, width) = self.two(width)?;
            let dest = writable(dest, &source)?;
            return Ok(InstrKind::Mov { width, dest, source: source.operand });
        }
        if let Some(width) = with_suffix(m, "cmp") {
            let (left, right, width) = self.two(width)?;
            return Ok(InstrKind::Compare { width, left: left.operand, right: right.operand });
        }
        if let Some(width) = with_suffix(m, "test") {
            let (left, right, width) = self.two(width)?;
            return Ok(InstrKind::Test { width, left: left.operand, right: right.operand });
        }
        if with_suffix(m, "lea").is_some() {
            let (dest, source, _) = self.two(None)?;
            let Operand::Memory(address) = source.operand else {
                return Err(Diagnostic::new(source.span, "`lea` needs an address in memory"));
            };
            return Ok(InstrKind::Lea { dest: register(&dest)?, address });
        }
        for (base, locked) in [("xchg", Locked::Yes), ("uxch", Locked::No)] {
            if let Some(width) = with_suffix(m, base) {
                let (first, second, width) = self.two(width)?;
                let (first, second) = (written(first)?, written(second)?);
                return Ok(InstrKind::Exchange { width, first, second, locked });
            }
        }
        for base in ["xadd", "cmpxchg"] {
            let Some(width) = with_suffix(m, base) else { continue };
            let (mut dest, mut source, width) = self.two(width)?;
            if matches!(source.operand, Operand::Memory(_)) {
                std::mem::swap(&mut dest, &mut source);
            }
            let (source, dest, locked) = (register(&source)?, written(dest)?, Locked::No);
            return Ok(if base == "xadd" {
                InstrKind::ExchangeAdd { width, dest, source, locked }
            } else {
                InstrKind::CompareExchange { width, dest, source, locked }
            });
        }
        Err(Diagnostic::new(name.span, format!("the instruction `{}` is not supported", name.text))
            .help("docs/litmus.md lists the instructions that are read"))
    }

    /// `movzbl`, `movslq`, `movzx`, ...
    fn extending_move(&mut self, m: &str) -> Result<Option<InstrKind>> {
        let (extend, rest) = match (m.strip_prefix("movz"), m.strip_prefix("movs")) {
            (Some(rest), _) => (Extend::Zero, rest),
            (_, Some(rest)) => (Extend::Sign, rest),
            (None, None) => return Ok(None),
        };
        let from = match rest {
            "x" | "xd" => None,
            "bw" | "bl" | "bq" => Some(Width::Byte),
            "wl" | "wq" => Some(Width::Word),
            "lq" if extend == Extend::Sign => Some(Width::Long),
            _ => return Ok(None),
        };
        let (dest, source, _) = self.two(None)?;
        let Some(from) = from.or(source.width) else {
            return Err(Diagnostic::new(source.span, "the width of this operand is not known")
                .help("write it, as in `movzbl` or `movzx EAX, byte ptr [x]`"));
        };
        Ok(Some(InstrKind::MovExtend { extend, from, dest: register(&dest)?, source: source.operand }))
    }

    fn shift(&mut self, op: Shift, width: Option<Width>) -> Result<InstrKind> {
        let first = self.operand()?;
        if !self.is_symbol(",") {
            let one = Operand::Immediate(Constant::Number(1));
            let width = width.or(first.width);
            return Ok(InstrKind::Shift { op, width, dest: written(first)?, by: one });
        }
        self.advance();
        let second = self.operand()?;
        let (dest, by) = if self.arch == Arch::X86 { (first, second) } else { (second, first) };
        let counter = Register { base: COUNTER, part: Part::Low(Width::Byte) };
        if !matches!(by.operand, Operand::Immediate(Constant::Number(_)))
            && by.operand != Operand::Register(counter)
        {
            return Err(Diagnostic::new(by.span, "a shift counts by a number or by `cl`"));
        }
        let width = width.or(dest.width);
        Ok(InstrKind::Shift { op, width, dest: written(dest)?, by: by.operand })
    }

    /// Destination, source and width of an instruction with two operands.
    fn two(&mut self, width: Option<Width>) -> Result<(Parsed, Parsed, Option<Width>)> {
        let first = self.operand()?;
        self.expect_symbol(",")?;
        let second = self.operand()?;
        let (dest, source) = if self.arch == Arch::X86 { (first, second) } else { (second, first) };
        if let (Operand::Memory(_), Operand::Memory(_)) = (&dest.operand, &source.operand) {
            return Err(Diagnostic::new(source.span, "x86 has no instruction with two operands in memory")
                .help("use a register for one of them"));
        }
        let width = width.or(dest.width).or(source.width);
        Ok((dest, source, width))
    }

    fn operand(&mut self) -> Result<Parsed> {
        let start = self.here();
        if self.take_symbol("$") {
            let constant = self.value()?.0;
            let span = start.to(self.before());
            return Ok(Parsed { operand: Operand::Immediate(constant), width: None, span });
        }
        if let Some(register) = self.register_here()? {
            let span = start.to(self.before());
            return Ok(Parsed { operand: Operand::Register(register), width: Some(register.width()), span });
        }
        let width = self.size_prefix()?;
        let number = matches!(self.peek().kind, TokenKind::Number(_) | TokenKind::Symbol("-"));
        let mut displacement = 0;
        if number {
            let value = self.number()?;
            if !self.is_symbol("(") && !self.is_symbol("[") {
                let span = start.to(self.before());
                let operand = Operand::Immediate(Constant::Number(value));
                return Ok(Parsed { operand, width: None, span });
            }
            displacement = value as i64;
        }
        let mut memory = Memory { symbol: None, displacement, base: None, index: None, span: start };
        if let TokenKind::Word(_) = self.peek().kind {
            memory.symbol = Some(self.name("a location")?);
            if self.take_symbol("+") {
                memory.displacement = memory.displacement.wrapping_add(self.number()? as i64);
            }
            if !self.is_symbol("(") && !self.is_symbol("[") {
                return Ok(Parsed { operand: Operand::Memory(memory), width, span: start });
            }
        }
        if self.take_symbol("(") {
            self.parenthesized(&mut memory)?;
        } else if self.take_symbol("[") {
            self.bracketed(&mut memory)?;
        } else {
            return Err(self.unexpected("an operand"));
        }
        memory.span = start.to(self.before());
        let span = memory.span;
        Ok(Parsed { operand: Operand::Memory(memory), width, span })
    }

    /// A register, with or without `%`.
    fn register_here(&mut self) -> Result<Option<Register>> {
        let start = self.here();
        let sigil = self.take_symbol("%");
        let TokenKind::Word(word) = &self.peek().kind else {
            return if sigil { Err(self.unexpected("the name of a register")) } else { Ok(None) };
        };
        match Register::parse(self.arch, word) {
            Some(register) => {
                self.advance();
                Ok(Some(register))
            }
            None if sigil => {
                let message = format!("`%{word}` is no register that can be used here");
                Err(Diagnostic::new(start.to(self.here()), message))
            }
            None => Ok(None),
        }
    }

    /// `dword ptr`, as Intel's order writes widths.
    fn size_prefix(&mut self) -> Result<Option<Width>> {
        let TokenKind::Word(word) = &self.peek().kind else { return Ok(None) };
        let width = match word.to_ascii_lowercase().as_str() {
            "byte" => Width::Byte,
            "word" => Width::Word,
            "dword" => Width::Long,
            "qword" => Width::Quad,
            _ => return Ok(None),
        };
        let TokenKind::Word(next) = &self.peek_at(1).kind else { return Ok(None) };
        if !next.eq_ignore_ascii_case("ptr") {
            return Ok(None);
        }
        self.advance();
        self.advance();
        Ok(Some(width))
    }

    /// `(x)`, `(base)`, `(base,index)`, `(base,index,scale)`, `(,index,scale)`, `(%rip)`.
    fn parenthesized(&mut self, memory: &mut Memory) -> Result<()> {
        if !self.is_symbol(",") {
            let start = self.here();
            let sigil = usize::from(self.is_symbol("%"));
            if matches!(&self.peek_at(sigil).kind, TokenKind::Word(w) if w.eq_ignore_ascii_case("rip")) {
                // Addresses relative to the code are just names here.
                for _ in 0..=sigil {
                    self.advance();
                }
            } else if let Some(register) = self.register_here()? {
                memory.base = Some(register);
            } else {
                let name = self.name("a location or a register")?;
                if memory.symbol.replace(name).is_some() {
                    return Err(Diagnostic::new(start, "this operand names two locations"));
                }
                if self.take_symbol("+") {
                    memory.displacement = memory.displacement.wrapping_add(self.number()? as i64);
                }
            }
        }
        if self.take_symbol(",") {
            let Some(index) = self.register_here()? else { return Err(self.unexpected("a register")) };
            let scale = if self.take_symbol(",") { self.scale()? } else { 1 };
            memory.index = Some((index, scale));
        }
        self.expect_symbol(")")?;
        Ok(())
    }

    fn scale(&mut self) -> Result<u8> {
        let place = self.here();
        match self.number()? {
            n @ (1 | 2 | 4 | 8) => Ok(n as u8),
            n => Err(Diagnostic::new(place, format!("an index is scaled by 1, 2, 4 or 8, not by {n}"))),
        }
    }

    /// A sum in brackets: a location, up to two registers of which one may be scaled, numbers.
    fn bracketed(&mut self, memory: &mut Memory) -> Result<()> {
        loop {
            let place = self.here();
            if matches!(self.peek().kind, TokenKind::Number(_) | TokenKind::Symbol("-")) {
                memory.displacement = memory.displacement.wrapping_add(self.number()? as i64);
            } else if let Some(register) = self.register_here()? {
                if self.take_symbol("*") {
                    let scale = self.scale()?;
                    if memory.index.replace((register, scale)).is_some() {
                        return Err(Diagnostic::new(place, "this operand has two indices"));
                    }
                } else if memory.base.is_none() {
                    memory.base = Some(register);
                } else if memory.index.replace((register, 1)).is_some() {
                    return Err(Diagnostic::new(place, "this operand has too many registers"));
                }
            } else {
                let name = self.name("a location, a register or a number")?;
                if memory.symbol.replace(name).is_some() {
                    return Err(Diagnostic::new(place, "this operand names two locations"));
                }
            }
            if self.take_symbol("]") {
                return Ok(());
            }
            if !self.is_symbol("-") {
                self.expect_symbol("+").map_err(|_| self.unexpected("`+` or `]`"))?;
            }
        }
    }
}

/// The register that an operand has to be.
fn register(parsed: &Parsed) -> Result<Register> {
    match parsed.operand {
        Operand::Register(register) => Ok(register),
        Operand::Immediate(_) | Operand::Memory(_) => {
            Err(Diagnostic::new(parsed.span, "expected a register").label("expected a register"))
        }
    }
}

/// An operand that can be written to.
fn written(parsed: Parsed) -> Result<Operand> {
    match parsed.operand {
        Operand::Immediate(_) => Err(Diagnostic::new(parsed.span, "a number cannot be written to")),
        operand => Ok(operand),
    }
}

/// A destination; says what order was expected where it is a number and the source is not.
fn writable(dest: Parsed, source: &Parsed) -> Result<Operand> {
    let swapped = !matches!(source.operand, Operand::Immediate(_));
    let span = dest.span;
    written(dest).map_err(|d| {
        if swapped {
            Diagnostic::new(span, "the destination is a number").help(
                "`X86` tests name the destination first, as in `MOV [x],$1`, `X86_64` tests last, as in `movq $1,(x)`",
            )
        } else {
            d
        }
    })
}

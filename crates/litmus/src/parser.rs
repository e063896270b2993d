//! The frame of a litmus test: init block, columns of code, and what comes after the code. The
//! instructions themselves are in [`super::instruction`].
//!
//! In conditions `=>` binds tighter than `/\`, and that tighter than `\/`: herd reads them so. A bare
//! name on the right of `=` is an address, as in `0:rax=x`; `[x]` and `*x` are contents.

use super::ast::*;
use super::instruction;
use fencepost_ir::Span;
use fencepost_ir::tree::Quantifier;
use fencepost_text::Diagnostic;
use fencepost_text::cursor::Cursor;
use fencepost_text::lexer::{Token, TokenKind};

pub type Result<T> = std::result::Result<T, Diagnostic>;

/// More elements than this are refused: each is a memory cell.
const MAX_ELEMENTS: u32 = 4096;

/// Words that end the code.
const TAIL_WORDS: [&str; 8] =
    ["locations", "filter", "exists", "forall", "final", "observed", "Observed", "with"];

/// Parses a test for x86, from its init block on.
pub fn parse(arch: Arch, name: String, tokens: &[Token]) -> Result<File> {
    let mut parser = Parser { cursor: Cursor::new(tokens), arch };
    let init = parser.init_block()?;
    let columns = parser.columns()?;
    let tail = parser.tail()?;
    Ok(File { arch, name, init, columns, tail })
}

pub struct Parser<'a> {
    pub cursor: Cursor<'a>,
    pub arch: Arch,
}

impl<'a> std::ops::Deref for Parser<'a> {
    type Target = Cursor<'a>;
    fn deref(&self) -> &Cursor<'a> {
        &self.cursor
    }
}

impl<'a> std::ops::DerefMut for Parser<'a> {
    fn deref_mut(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }
}

impl Parser<'_> {
    pub fn name(&mut self, what: &str) -> Result<Name> {
        match self.peek().kind.clone() {
            TokenKind::Word(text) => Ok(Name { text, span: self.advance().span }),
            _ => Err(self.unexpected(what)),
        }
    }

    /// A number that fits 64 bits, with or without sign.
    pub fn number(&mut self) -> Result<i128> {
        let start = self.here();
        let negative = self.take_symbol("-");
        let TokenKind::Number(number) = self.peek().kind else { return Err(self.unexpected("a number")) };
        let number = number.map(|n| if negative { -n } else { n }).filter(|n| *n >= i64::MIN.into());
        let span = start.to(self.advance().span);
        number.ok_or_else(|| Diagnostic::new(span, "this number does not fit 64 bits"))
    }

    fn small_number(&mut self, limit: u32, what: &str) -> Result<u32> {
        let start = self.here();
        let number = self.number()?;
        match u32::try_from(number) {
            Ok(n) if n <= limit => Ok(n),
            _ => Err(Diagnostic::new(start, format!("{number} is not {what} up to {limit}"))),
        }
    }

    pub fn symbol_at(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.peek_at(ahead).kind, TokenKind::Symbol(s) if s == symbol)
    }

    fn word_at(&self, ahead: usize) -> Option<&str> {
        match &self.peek_at(ahead).kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether a thread's number and a colon are there: `0:` or `P0:`.
    fn thread_at(&self, ahead: usize) -> bool {
        let thread = match &self.peek_at(ahead).kind {
            TokenKind::Number(_) => true,
            TokenKind::Word(word) => thread_number(word).is_some(),
            TokenKind::Symbol(_) | TokenKind::End => false,
        };
        thread && self.symbol_at(ahead + 1, ":")
    }

    // The init block

    pub fn init_block(&mut self) -> Result<Vec<Init>> {
        self.expect_symbol("{")?;
        let mut items = Vec::new();
        loop {
            if self.take_symbol(";") {
                continue;
            }
            if self.take_symbol("}") {
                return Ok(items);
            }
            items.push(self.init_item()?);
            if !self.is_symbol("}") && !self.is_symbol(";") {
                return Err(self.unexpected("`;` or `}`"));
            }
        }
    }

    fn init_item(&mut self) -> Result<Init> {
        let (ty, c_type) = self.declared()?;
        // `t[2]` after a type is an array; elsewhere only the array as a whole has initial values.
        if let (Some(_), true) = (self.word_at(0), self.symbol_at(1, "[")) {
            let name = self.name("a location")?;
            self.advance();
            let elements = self.small_number(MAX_ELEMENTS, "a number of elements")?;
            self.expect_symbol("]")?;
            let start = self.here();
            let values = if self.take_symbol("=") { self.value_list()? } else { Vec::new() };
            if !values.is_empty() && values.len() != elements as usize {
                let message = format!("{} values for {elements} elements", values.len());
                return Err(Diagnostic::new(start, message));
            }
            let (location, elements) = (Location::Memory(name), Some(elements));
            return Ok(Init { location, ty, c_type, values, in_braces: true, elements });
        }
        let location = self.location()?;
        let mut values = Vec::new();
        let mut in_braces = false;
        if self.take_symbol("=") {
            in_braces = self.arch == Arch::C && self.is_symbol("{");
            values = if in_braces { self.value_list()? } else { vec![self.value()?] };
        }
        Ok(Init { location, ty, c_type, values, in_braces, elements: None })
    }

    /// The type before a name, if there is one; in tests in C only its text is looked at here.
    fn declared(&mut self) -> Result<(Declared, Option<Name>)> {
        let mut words: Vec<String> = Vec::new();
        let start = self.here();
        while let Some(word) = self.word_at(0) {
            let goes_on = self.word_at(1).is_some()
                || self.symbol_at(1, "*")
                || self.thread_at(1)
                || self.symbol_at(1, "[") && self.word_at(2).is_some();
            if !goes_on || self.thread_at(0) {
                break;
            }
            words.push(word.to_string());
            self.advance();
        }
        let span = start.to(self.before());
        let mut stars = String::new();
        while self.take_symbol("*") {
            stars.push('*');
        }
        let text = words.join(" ");
        if self.arch == Arch::C {
            let ty = (!words.is_empty()).then(|| Name { text: text + &stars, span });
            return Ok((Declared::Default, ty));
        }
        if !stars.is_empty() {
            return Ok((Declared::Pointer, None));
        }
        if words.is_empty() {
            return Ok((Declared::Default, None));
        }
        let ty = named_type(self.arch, &words);
        let ty = ty.ok_or_else(|| Diagnostic::new(span, format!("the type `{text}` is not known")))?;
        Ok((ty, None))
    }

    pub fn value_list(&mut self) -> Result<Vec<(Constant, Span)>> {
        self.expect_symbol("{")?;
        let mut values = vec![self.value()?];
        while self.take_symbol(",") {
            values.push(self.value()?);
        }
        self.expect_symbol("}")?;
        Ok(values)
    }

    /// A number or an address.
    pub fn value(&mut self) -> Result<(Constant, Span)> {
        let start = self.here();
        if self.word_at(0).is_some_and(|w| w.starts_with("ATOMIC_")) && self.symbol_at(1, "(") {
            self.advance();
            self.advance();
            let value = self.value()?;
            self.expect_symbol(")")?;
            return Ok(value);
        }
        if self.take_symbol("&") || self.word_at(0).is_some() {
            let name = self.name("a location")?;
            let (mut bytes, mut elements) = (0, 0);
            if self.take_symbol("[") {
                elements = self.small_number(MAX_ELEMENTS, "an index")?.into();
                self.expect_symbol("]")?;
            } else if self.take_symbol("+") {
                bytes = self.small_number(u32::MAX, "a number of bytes")?.into();
            }
            return Ok((Constant::Address { name, bytes, elements }, start.to(self.before())));
        }
        if !matches!(self.peek().kind, TokenKind::Number(_) | TokenKind::Symbol("-")) {
            return Err(self.unexpected("a number or a location"));
        }
        let number = self.number()?;
        Ok((Constant::Number(number), start.to(self.before())))
    }

    /// `0:rax`, `P0:rax`, `x`, `[x]`, `*x`.
    fn location(&mut self) -> Result<Location> {
        if self.thread_at(0) {
            let start = self.here();
            let thread = match self.peek().kind.clone() {
                TokenKind::Word(word) => {
                    self.advance();
                    thread_number(&word)
                }
                _ => u32::try_from(self.number()?).ok(),
            };
            self.expect_symbol(":")?;
            self.take_symbol("%");
            let name = self.name("a register")?;
            let thread =
                thread.ok_or_else(|| Diagnostic::new(start, "this number of a thread is too large"))?;
            let span = start.to(name.span);
            return Ok(Location::Register { thread, name: Name { span, ..name } });
        }
        if self.take_symbol("*") {
            return self.location();
        }
        let start = self.here();
        if self.take_symbol("[") {
            let name = self.name("a location")?;
            let end = self.expect_symbol("]")?;
            return Ok(Location::Memory(Name { span: start.to(end), ..name }));
        }
        let name = self.name("a location or a register")?;
        Ok(Location::Memory(name))
    }

    /// A location that may be an element.
    fn element_or_location(&mut self) -> Result<Location> {
        if let (Some(_), true) = (self.word_at(0), self.symbol_at(1, "[")) {
            let name = self.name("a location")?;
            self.advance();
            let index = self.small_number(MAX_ELEMENTS, "an index")?;
            let end = self.expect_symbol("]")?;
            let span = name.span.to(end);
            return Ok(Location::Element(Name { span, ..name }, index));
        }
        self.location()
    }

    // Code

    fn columns(&mut self) -> Result<Vec<Column>> {
        self.take_symbol(";");
        let mut columns: Vec<Column> = Vec::new();
        loop {
            let name = self.name("a column's head, as in `P0`")?;
            let Some(thread) = thread_number(&name.text) else {
                return Err(Diagnostic::new(
                    name.span,
                    format!("`{}` is not the head of a column", name.text),
                )
                .label("expected `P0`, `P1`, ..."));
            };
            if columns.iter().any(|c| c.thread == thread) {
                return Err(Diagnostic::new(name.span, format!("there are two columns `{}`", name.text)));
            }
            columns.push(Column { thread, span: name.span, lines: Vec::new() });
            if self.take_symbol("|") {
                continue;
            }
            self.expect_symbol(";")?;
            break;
        }
        while !self.at_tail() {
            self.row(&mut columns)?;
        }
        Ok(columns)
    }

    fn at_tail(&self) -> bool {
        self.at_end()
            || self.is_symbol("~")
            || self.is_symbol("(")
            || self.word_at(0).is_some_and(|w| {
                (TAIL_WORDS.contains(&w) || w == "not" && self.word_at(1) == Some("exists"))
                    && !self.symbol_at(1, ":")
            })
    }

    fn row(&mut self, columns: &mut [Column]) -> Result<()> {
        let mut column = 0;
        loop {
            let Some(current) = columns.get_mut(column) else {
                let message = format!("this row has more cells than there are columns, {}", columns.len());
                return Err(Diagnostic::new(self.here(), message));
            };
            while self.word_at(0).is_some() && self.symbol_at(1, ":") {
                let name = self.name("a label")?;
                self.advance();
                current.lines.push(Line::Label(name));
            }
            if !self.is_symbol("|") && !self.is_symbol(";") {
                current.lines.push(Line::Instr(instruction::parse(self)?));
            }
            if self.take_symbol("|") {
                column += 1;
                continue;
            }
            if !self.is_symbol(";") {
                return Err(self.unexpected("`|` or `;` behind the instruction"));
            }
            self.advance();
            return Ok(());
        }
    }

    // Behind the code

    pub fn tail(&mut self) -> Result<Tail> {
        let mut locations = Vec::new();
        let mut filter = None;
        if self.take_word("locations") {
            self.expect_symbol("[")?;
            while !self.take_symbol("]") {
                if self.take_symbol(";") {
                    continue;
                }
                locations.push(self.element_or_location()?);
                // The format allows a type after the location, for printing.
                while self.word_at(0).is_some() || self.is_symbol("*") {
                    self.advance();
                }
                if !self.is_symbol(";") && !self.is_symbol("]") {
                    return Err(self.unexpected("`;` or `]`"));
                }
            }
        }
        if self.take_word("filter") {
            filter = Some(self.prop()?);
        }
        let start = self.here();
        let (quantifier, condition) = self.condition()?;
        let span = start.to(self.before());
        self.take_symbol(";");
        if self.take_word("with") {
            self.other_models()?;
        }
        if !self.at_end() {
            return Err(self.unexpected("`/\\`, `\\/`, `=>` or the end of the test"));
        }
        Ok(Tail { locations, filter, quantifier, condition, span })
    }

    /// What is expected of other models, as in `tso: exists; sc: ~exists`: here the model that is asked for decides.
    fn other_models(&mut self) -> Result<()> {
        loop {
            self.name("a model and what holds under it, as in `tso: ~exists`")?;
            self.expect_symbol(":")?;
            let negated = self.take_symbol("~") || self.take_word("not");
            if !self.take_word("exists") && (negated || !self.take_word("forall")) {
                return Err(self.unexpected("`exists`, `~exists` or `forall`"));
            }
            if !self.take_symbol(";") || self.at_end() {
                return Ok(());
            }
        }
    }

    fn condition(&mut self) -> Result<(Quantifier, Prop)> {
        if self.at_end() {
            return Ok((Quantifier::Forall, Prop::True));
        }
        if self.is_symbol("(") {
            return Ok((Quantifier::Exists, self.prop()?));
        }
        if self.take_symbol("~") || self.take_word("not") {
            self.expect_word("exists")?;
            return Ok((Quantifier::NotExists, self.prop()?));
        }
        if self.take_word("exists") || self.take_word("final") {
            return Ok((Quantifier::Exists, self.prop()?));
        }
        if self.take_word("forall") {
            return Ok((Quantifier::Forall, self.prop()?));
        }
        if self.take_word("observed") || self.take_word("Observed") {
            return Ok((Quantifier::Exists, self.observed()?));
        }
        Err(self.unexpected("a condition: `exists`, `~exists`, `forall`, `final` or `observed`"))
    }

    /// States as their lists of values: `0:rax=1; [x]=2; and 0:rax=0; [x]=1;`.
    fn observed(&mut self) -> Result<Prop> {
        let mut states = Prop::False;
        loop {
            let mut state = Prop::True;
            while !self.at_end() && !self.is_word("and") {
                let atom = self.comparison()?;
                state = if state == Prop::True { atom } else { Prop::And(state.into(), atom.into()) };
                if !self.take_symbol(";") {
                    break;
                }
            }
            states = if states == Prop::False { state } else { Prop::Or(states.into(), state.into()) };
            if !self.take_word("and") {
                return Ok(states);
            }
        }
    }

    fn prop(&mut self) -> Result<Prop> {
        self.row_of(&["\\/"], Self::conjunction, Prop::Or)
    }

    fn conjunction(&mut self) -> Result<Prop> {
        self.row_of(&["/\\"], Self::implication, Prop::And)
    }

    fn row_of(
        &mut self,
        symbols: &[&str],
        part: fn(&mut Self) -> Result<Prop>,
        join: fn(Box<Prop>, Box<Prop>) -> Prop,
    ) -> Result<Prop> {
        let mut left = part(self)?;
        let mut length = 0;
        while symbols.iter().any(|s| self.take_symbol(s)) {
            length += 1;
            self.check_row(length)?;
            left = join(left.into(), part(self)?.into());
        }
        Ok(left)
    }

    fn implication(&mut self) -> Result<Prop> {
        self.enter()?;
        let left = self.literal()?;
        let prop = if self.take_symbol("=>") {
            Prop::Implies(left.into(), self.implication()?.into())
        } else {
            left
        };
        self.leave();
        Ok(prop)
    }

    fn literal(&mut self) -> Result<Prop> {
        self.enter()?;
        let prop = if self.take_symbol("~") || self.take_word("not") {
            Prop::Not(self.literal()?.into())
        } else if self.take_symbol("(") {
            let inner = self.prop()?;
            self.expect_symbol(")")?;
            inner
        } else if self.take_word("true") {
            Prop::True
        } else if self.take_word("false") {
            Prop::False
        } else {
            self.comparison()?
        };
        self.leave();
        Ok(prop)
    }

    fn comparison(&mut self) -> Result<Prop> {
        let start = self.here();
        let left = self.element_or_location()?;
        let mut differs = false;
        let relation = if self.take_symbol("=") || self.take_symbol("==") {
            Relation::Equal
        } else if self.take_symbol("!=") || self.take_symbol("<>") {
            differs = true;
            Relation::Equal
        } else if self.take_symbol("<=") {
            Relation::LessEqual
        } else if self.take_symbol("<") {
            Relation::Less
        } else if self.take_symbol(">=") {
            Relation::GreaterEqual
        } else if self.take_symbol(">") {
            Relation::Greater
        } else {
            return Err(self.unexpected("`=`, `!=`, `<`, `<=`, `>` or `>=`"));
        };
        let right = if self.is_symbol("{") {
            Side::Values(self.value_list()?)
        } else if self.thread_at(0) || self.is_symbol("[") || self.is_symbol("*") {
            Side::Location(self.location()?)
        } else {
            Side::Constant(self.value()?.0)
        };
        let prop = Prop::Compare(relation, left, right, start.to(self.before()));
        Ok(if differs { Prop::Not(prop.into()) } else { prop })
    }
}

/// Whether what comes after the code comes next, in a text.
pub fn at_tail(rest: &str) -> bool {
    let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.is_empty()
        || rest.starts_with(['~', '('])
        || TAIL_WORDS.contains(&&rest[..word])
        || &rest[..word] == "not"
}

/// The number of `P0`, `P1`, ...
pub fn thread_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('P')?;
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// The type of C's words for it.
pub fn named_type(arch: Arch, words: &[String]) -> Option<Declared> {
    let long = if arch == Arch::X86 { 32 } else { 64 };
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.retain(|w| !["_Atomic", "volatile", "const", "signed"].contains(w));
    let unsigned = words.contains(&"unsigned");
    words.retain(|w| *w != "unsigned");
    let int = |bits, signed: bool| Some(Declared::Int { bits, signed: signed && !unsigned });
    let one = match words[..] {
        [] => "int",
        [one] => one,
        ["long", "long"] | ["long", "long", "int"] => "long_long",
        ["long", "int"] => "long",
        ["short", "int"] => "short",
        _ => return None,
    };
    match one.strip_prefix("atomic_").unwrap_or(one) {
        "int" | "int32_t" => int(32, true),
        "uint" | "uint32_t" => int(32, false),
        "char" | "schar" | "int8_t" => int(8, true),
        "uchar" | "uint8_t" | "bool" | "_Bool" => int(8, false),
        "short" | "int16_t" => int(16, true),
        "ushort" | "uint16_t" => int(16, false),
        "long" | "intptr_t" | "ptrdiff_t" | "ssize_t" => int(long, true),
        "ulong" | "uintptr_t" | "size_t" => int(long, false),
        "long_long" | "llong" | "int64_t" => int(64, true),
        "ullong" | "uint64_t" => int(64, false),
        _ => None,
    }
}

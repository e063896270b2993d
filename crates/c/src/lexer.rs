//! Preprocessed text to tokens that are where the user wrote them.
//!
//! Line markers (`# 12 "file.c" 2`, `#line 12`) say which file and line the text stems from; columns
//! come from [`super::align`], where the file can be read. Text without markers and fragments keep their
//! own lines and columns.

use super::align::UserText;
use super::ast::Pragma;
use super::literal::{self, Number};
use super::origin::{FileKind, Origins};
use super::scan::{Piece, PieceKind, Scanner};
use super::token::{Keyword, Token, TokenKind, without_digraphs};
use fencepost_ir::{FileId, Sources, Span, wanted};
use fencepost_text::Diagnostic;
use fencepost_text::bounded::read_regular;
use std::collections::HashMap;
use std::path::Path;

/// What the lexer makes of a text.
pub struct Lexed<'a> {
    /// With [`TokenKind::End`] last.
    pub tokens: Vec<Token<'a>>,
    pub pragmas: Vec<Pragma>,
    pub origins: Origins,
}

/// Where tokens are said to be.
pub enum Places<'s> {
    /// In the files that the line markers name. The first file is in the table already.
    Marked(Files<'s>),
    /// In the text itself, which is a file or begins somewhere in one.
    Own { file: FileId, line: u32, column: u32 },
}

/// The files that line markers name.
pub struct Files<'s> {
    sources: &'s mut Sources,
    /// The folder of Fencepost's own headers.
    headers: &'s Path,
    /// Where files are looked for besides the current folder.
    folder: Option<&'s Path>,
    main: FileId,
    known: HashMap<String, FileId>,
    texts: HashMap<FileId, UserText>,
}

impl<'s> Files<'s> {
    /// A table in which `file` is called `main` by the markers. Headers are in a folder.
    pub fn new(sources: &'s mut Sources, file: FileId, main: &str, headers: &'s Path) -> Files<'s> {
        let texts = HashMap::from([(file, UserText::new(sources.text(file).to_string()))]);
        let known = HashMap::from([(main.to_string(), file)]);
        Files { sources, headers, folder: None, main: file, known, texts }
    }

    /// A table for a text that came with its markers, in a file of a folder.
    pub fn marked(sources: &'s mut Sources, file: FileId, folder: &'s Path) -> Files<'s> {
        let (known, texts) = (HashMap::new(), HashMap::new());
        Files { sources, headers: Path::new("<>"), folder: Some(folder), main: file, known, texts }
    }

    /// The file of a name, with whether it is new. Files that cannot be read have no text.
    pub fn find(&mut self, name: &str) -> (FileId, bool) {
        if let Some(file) = self.known.get(name) {
            return (*file, false);
        }
        let beside = || self.folder.map(|folder| folder.join(name));
        let bytes = read_regular(Path::new(name)).or_else(|| read_regular(&beside()?));
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        let shown = match Path::new(name).strip_prefix(self.headers) {
            Ok(header) => format!("<{}>", header.display()),
            Err(_) => name.to_string(),
        };
        let file = self.sources.add(shown, text.clone());
        self.known.insert(name.to_string(), file);
        self.texts.insert(file, UserText::new(text));
        (file, true)
    }
}

/// All tokens of a text.
pub fn lex<'a>(text: &'a str, places: Places<'_>) -> Result<Lexed<'a>, Diagnostic> {
    let (file, line, column) = match places {
        Places::Marked(ref files) => (files.main, 1, 1),
        Places::Own { file, line, column } => (file, line, column),
    };
    let mut lexer = Lexer {
        scanner: Scanner::new(text, line, column),
        places,
        file,
        shift: 0,
        names: HashMap::new(),
        system_since: None,
        lexed: Lexed { tokens: Vec::new(), pragmas: Vec::new(), origins: Origins::default() },
        unaligned: 0,
    };
    lexer.run()?;
    Ok(lexer.lexed)
}

struct Lexer<'a, 's> {
    scanner: Scanner<'a>,
    places: Places<'s>,
    /// The file that the text stems from at the moment.
    file: FileId,
    /// What has to be added to the text's lines to get the file's.
    shift: i64,
    /// Whose the files are that markers named, by name.
    names: HashMap<String, FileKind>,
    /// The first line of system headers that were not left yet, if tokens keep their own places.
    system_since: Option<u32>,
    lexed: Lexed<'a>,
    /// Tokens from here on have their line, but the text's column.
    unaligned: usize,
}

impl<'a> Lexer<'a, '_> {
    fn run(&mut self) -> Result<(), Diagnostic> {
        while let Some(piece) = self.scanner.next() {
            wanted::point();
            let span = self.span(&piece);
            if piece.is_first && matches!(piece.kind, PieceKind::Symbol("#" | "%:")) {
                let rest = self.scanner.directive();
                self.directive(rest, &piece, span)?;
                continue;
            }
            if let Some(last) = self.lexed.tokens.last()
                && (last.span.line, last.span.file) != (span.line, span.file)
            {
                self.align();
            }
            match kind(&piece) {
                Ok(kind) => self.lexed.tokens.push(Token { kind, text: piece.text, span }),
                Err(wrong) => {
                    // Columns are only known for a row of tokens: this one ends with the error.
                    self.lexed.tokens.push(Token { kind: TokenKind::End, text: piece.text, span });
                    self.align();
                    let span = self.lexed.tokens.last().map_or(span, |token| token.span);
                    return Err(Diagnostic { span, ..wrong });
                }
            }
        }
        self.align();
        if let Some(first) = self.system_since {
            self.lexed.origins.add_system_lines(self.file, first, self.scanner.line());
        }
        // The end is after the last token, which is a better place than a line that a marker
        // does not speak of.
        let span = match (self.lexed.tokens.last(), &self.places) {
            (Some(last), Places::Marked(_)) => {
                Span { column: last.span.column + last.span.length, length: 0, ..last.span }
            }
            _ => {
                let (line, column) = (self.scanner.line(), self.scanner.column());
                Span { file: self.file, line, column, length: 0 }
            }
        };
        self.lexed.tokens.push(Token { kind: TokenKind::End, text: "", span });
        Ok(())
    }

    /// A piece's place, with the column of the text.
    fn span(&self, piece: &Piece<'_>) -> Span {
        let line = u32::try_from(i64::from(piece.line) + self.shift).unwrap_or(0).max(1);
        // Only what has no end continues over lines.
        let length = piece.text.lines().next().unwrap_or("").chars().count() as u32;
        Span { file: self.file, line, column: piece.column, length }
    }

    /// Gives the tokens of the last line their columns in the user's file. They all stem from one line.
    fn align(&mut self) {
        let tokens = &mut self.lexed.tokens[self.unaligned..];
        if let (Some(first), Places::Marked(files)) = (tokens.first().copied(), &self.places)
            && let Some(text) = files.texts.get(&first.span.file)
        {
            let row: Vec<&str> = tokens.iter().map(|token| token.text).collect();
            for (token, place) in tokens.iter_mut().zip(text.align(first.span.line, &row)) {
                if let Some(place) = place {
                    let file = token.span.file;
                    token.span = Span { file, line: place.line, column: place.column, length: place.length };
                }
            }
        }
        self.unaligned = self.lexed.tokens.len();
    }

    fn directive(&mut self, rest: &'a str, sharp: &Piece<'_>, span: Span) -> Result<(), Diagnostic> {
        let rest = rest.trim();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        let after = rest[word.len()..].trim_start();
        match word {
            // A lone `#` does nothing.
            "" if rest.is_empty() => Ok(()),
            "line" => self.marker(after, sharp, span),
            "pragma" => {
                let span = Span { length: 1 + rest.chars().count() as u32, ..span };
                self.lexed.pragmas.push(Pragma { text: after.to_string(), span });
                Ok(())
            }
            // What `cc -E -dD` leaves in the text, and notes for object files.
            "define" | "undef" | "ident" | "sccs" | "assert" | "unassert" => Ok(()),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.marker(rest, sharp, span),
            _ => Err(Diagnostic::new(span, format!("`#{rest}` is not expected in preprocessed text"))
                .label("left over")
                .help("a file with directives is named `.c`, one without them `.i`")),
        }
    }

    /// `12 "file.c" 1 3 4`: the next line is line 12 of the file.
    fn marker(&mut self, text: &str, sharp: &Piece<'_>, span: Span) -> Result<(), Diagnostic> {
        let wrong = || Diagnostic::new(span, format!("`#{text}` is no line marker"));
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let number: u32 = text[..digits].parse().map_err(|_| wrong())?;
        let rest = text[digits..].trim_start();
        let mut name = None;
        let mut flags = rest;
        if let Some(quoted) = rest.strip_prefix('"') {
            let (unescaped, after) = file_name(quoted).ok_or_else(wrong)?;
            name = Some(unescaped);
            flags = after;
        }
        let has_flag = |flag: &str| flags.split_whitespace().any(|f| f == flag);
        // `<built-in>` and `<command-line>` hold no tokens.
        let is_file = |name: &&String| !name.starts_with('<') || self.is_known(name);
        if let Some(name) = name.as_ref().filter(is_file) {
            let is_system =
                has_flag("3") || name.starts_with("/usr/include/") || name.starts_with("/usr/lib/");
            // Within a file the flag only says that a system header's macro is at work.
            let kind = if is_system { FileKind::System } else { FileKind::User };
            let kind = *self.names.entry(name.clone()).or_insert(kind);
            self.enter(name, kind, sharp, span);
        }
        if let Places::Marked(_) = self.places {
            self.shift = i64::from(number) - i64::from(self.scanner.line()) - 1;
        }
        Ok(())
    }

    fn is_known(&self, name: &str) -> bool {
        matches!(&self.places, Places::Marked(files) if files.known.contains_key(name))
    }

    fn enter(&mut self, name: &str, kind: FileKind, sharp: &Piece<'_>, span: Span) {
        match &mut self.places {
            Places::Marked(files) => {
                let (file, is_new) = files.find(name);
                if is_new {
                    // The marker is on the line of the directive that it stands for.
                    self.lexed.origins.add_file(file, kind, include_place(files, self.file, span.line));
                }
                self.file = file;
            }
            Places::Own { .. } => match (kind, self.system_since) {
                (FileKind::System, None) => self.system_since = Some(sharp.line),
                (FileKind::User, Some(first)) => {
                    self.lexed.origins.add_system_lines(self.file, first, sharp.line);
                    self.system_since = None;
                }
                (FileKind::System, Some(_)) | (FileKind::User, None) => {}
            },
        }
    }
}

/// The `#include` on a line or the last one before it.
fn include_place(files: &Files<'_>, file: FileId, line: u32) -> Span {
    let lines: Vec<&str> = files.sources.text(file).lines().take(line as usize).collect();
    for (index, text) in lines.iter().enumerate().rev() {
        let directive = text.trim_start().strip_prefix('#').map(str::trim_start);
        if directive.is_some_and(|d| d.starts_with("include")) {
            let column = (text.chars().take_while(|c| c.is_whitespace()).count() + 1) as u32;
            let length = text.trim().chars().count() as u32;
            return Span { file, line: index as u32 + 1, column, length };
        }
    }
    Span::NONE
}

/// The name in a line marker after its first quote, and what follows its last. Bytes that are not
/// printable in ASCII are written in octal.
fn file_name(quoted: &str) -> Option<(String, &str)> {
    let bytes = quoted.as_bytes();
    let mut name = Vec::new();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some((String::from_utf8_lossy(&name).into_owned(), &quoted[at + 1..])),
            b'\\' => {
                let octal = quoted.get(at + 1..at + 4).and_then(|digits| u8::from_str_radix(digits, 8).ok());
                name.push(octal.unwrap_or(*bytes.get(at + 1)?));
                at += if octal.is_some() { 4 } else { 2 };
            }
            byte => {
                name.push(byte);
                at += 1;
            }
        }
    }
}

/// What a piece means; the error has no place yet.
fn kind(piece: &Piece<'_>) -> Result<TokenKind, Diagnostic> {
    let wrong = |message: String| Diagnostic::new(Span::NONE, message);
    match piece.kind {
        PieceKind::Word => Ok(Keyword::of(piece.text).map_or(TokenKind::Identifier, TokenKind::Keyword)),
        PieceKind::Number => match literal::number(piece.text).map_err(wrong)? {
            Number::Integer(literal) => Ok(TokenKind::Integer(literal)),
            Number::Float => Ok(TokenKind::Float),
        },
        PieceKind::Character => literal::character(piece.text).map(TokenKind::Character).map_err(wrong),
        PieceKind::String => Ok(TokenKind::String),
        PieceKind::Symbol(symbol) => match without_digraphs(symbol) {
            symbol @ ("#" | "##") => Err(wrong(format!("stray `{symbol}`"))
                .help("a directive begins its line, and macros are expanded before the text is parsed")),
            symbol => Ok(TokenKind::Symbol(symbol)),
        },
        PieceKind::Open => Err(match piece.text.chars().find(|c| matches!(c, '/' | '"' | '\'')) {
            Some('/') => wrong("this comment has no end".to_string()).help("close it with `*/`"),
            Some('"') => wrong("this string has no end".to_string()).help("close it with `\"`"),
            _ => wrong("this character constant has no end".to_string()).help("close it with `'`"),
        }),
        PieceKind::Stray => {
            let shown = piece.text.escape_default();
            Err(wrong(format!("the character `{shown}` has no meaning here")))
        }
    }
}

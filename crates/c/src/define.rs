//! Function-like macros for texts that no preprocessor sees.
//!
//! A text inside of another file may use words that only a macro can mean, since they take places or any type, as
//! `READ_ONCE(*x)` does. Their definitions are written as for the preprocessor, and tokens of the text are replaced by those of
//! a definition before they are parsed. What a definition gives is where the word is; arguments are where they
//! are written, so messages about them are right.

use super::lexer::{self, Places};
use super::token::{Token, TokenKind};
use fencepost_ir::{FileId, Span};
use fencepost_text::Diagnostic;
use std::collections::{HashMap, HashSet};

/// A text with more tokens than this is refused: words that use their arguments several times make nested ones long.
const MOST_TOKENS: usize = 200_000;

/// The definitions of words.
pub struct Definitions {
    known: HashMap<&'static str, Definition>,
}

struct Definition {
    parameters: Vec<&'static str>,
    meaning: Meaning,
}

enum Meaning {
    Tokens(Vec<Token<'static>>),
    /// It has none, for this reason.
    Refused(&'static str),
}

impl Definitions {
    /// The `#define` lines of a text, and words that are refused with a reason.
    pub fn new(text: &'static str, refused: &[(&'static str, &'static str)]) -> Definitions {
        let mut known = HashMap::new();
        let mut rest = text;
        while let Some(start) = rest.find("#define ") {
            rest = &rest[start + "#define ".len()..];
            let end = logical_line(rest);
            let (name, definition) = definition(&rest[..end]);
            known.insert(name, definition);
            rest = &rest[end..];
        }
        for (name, reason) in refused {
            known.insert(name, Definition { parameters: Vec::new(), meaning: Meaning::Refused(reason) });
        }
        Definitions { known }
    }

    /// The tokens with all words replaced, but for those that the text gives a meaning of its own.
    pub fn expand<'a>(
        &self,
        tokens: &[Token<'a>],
        own: &HashSet<&str>,
    ) -> Result<Vec<Token<'a>>, Diagnostic> {
        let mut out = Vec::with_capacity(tokens.len());
        let busy: Vec<&str> = own.iter().copied().collect();
        self.expand_into(tokens, &busy, &mut out)?;
        Ok(out)
    }

    fn expand_into<'a>(
        &self,
        tokens: &[Token<'a>],
        busy: &[&str],
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), Diagnostic> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if out.len() > MOST_TOKENS {
                return Err(Diagnostic::new(token.span, "this becomes too long").help("nest fewer calls"));
            }
            let is_call = is_symbol(tokens.get(at + 1), "(");
            let known = self.known.get_key_value(token.text);
            let (name, definition) = match known {
                Some((name, definition))
                    if token.kind == TokenKind::Identifier && is_call && !busy.contains(name) =>
                {
                    (*name, definition)
                }
                _ => {
                    out.push(*token);
                    at += 1;
                    continue;
                }
            };
            let body = match &definition.meaning {
                Meaning::Tokens(body) => body,
                Meaning::Refused(reason) => return Err(Diagnostic::new(token.span, *reason)),
            };
            let Some((args, end)) = arguments(tokens, at + 2) else {
                let message = format!("the arguments of `{name}` have no end");
                return Err(Diagnostic::new(token.span, message).help("close them with `)`"));
            };
            if args.len() != definition.parameters.len() {
                return Err(takes(name, definition.parameters.len(), args.len(), token.span));
            }
            let mut expanded = Vec::with_capacity(args.len());
            for arg in args {
                let mut tokens = Vec::with_capacity(arg.len());
                self.expand_into(arg, busy, &mut tokens)?;
                expanded.push(tokens);
            }
            let replaced = substituted(body, &definition.parameters, &expanded, token.span);
            let busy: Vec<&str> = busy.iter().copied().chain([name]).collect();
            self.expand_into(&replaced, &busy, out)?;
            at = end;
        }
        Ok(())
    }
}

/// How long a line is, with those that backslashes join to it.
fn logical_line(text: &str) -> usize {
    let mut end = 0;
    loop {
        end += text[end..].find('\n').unwrap_or(text.len() - end);
        if end == text.len() || !text[..end].ends_with('\\') {
            return end;
        }
        end += 1;
    }
}

/// `NAME(A, B) tokens`
fn definition(line: &'static str) -> (&'static str, Definition) {
    let (name, rest) = line.split_once('(').expect("words take arguments");
    let (parameters, body) = rest.split_once(')').expect("the parameters have an end");
    let parameters = parameters.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
    let places = Places::Own { file: FileId(0), line: 1, column: 1 };
    let mut tokens = lexer::lex(body, places).expect("a definition is of C's tokens").tokens;
    tokens.pop();
    (name, Definition { parameters, meaning: Meaning::Tokens(tokens) })
}

fn is_symbol(token: Option<&Token<'_>>, symbol: &str) -> bool {
    matches!(token.map(|t| t.kind), Some(TokenKind::Symbol(s)) if s == symbol)
}

/// The arguments of a call, which begin after its `(`, and where the tokens after its `)` begin.
fn arguments<'t, 'a>(tokens: &'t [Token<'a>], start: usize) -> Option<(Vec<&'t [Token<'a>]>, usize)> {
    let mut args = Vec::new();
    let mut depth = 0usize;
    let mut first = start;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.kind {
            TokenKind::Symbol("(" | "[" | "{") => depth += 1,
            TokenKind::Symbol(")") if depth == 0 => {
                if at > start {
                    args.push(&tokens[first..at]);
                }
                return Some((args, at + 1));
            }
            TokenKind::Symbol(")" | "]" | "}") => depth = depth.checked_sub(1)?,
            TokenKind::Symbol(",") if depth == 0 => {
                args.push(&tokens[first..at]);
                first = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// The tokens of a definition with arguments for its parameters.
fn substituted<'a>(
    body: &[Token<'static>],
    parameters: &[&str],
    args: &[Vec<Token<'a>>],
    span: Span,
) -> Vec<Token<'a>> {
    let mut out = Vec::with_capacity(body.len());
    for token in body {
        match parameters.iter().position(|p| *p == token.text) {
            Some(number) => out.extend_from_slice(&args[number]),
            None => out.push(Token { span, ..*token }),
        }
    }
    out
}

fn takes(name: &str, expected: usize, given: usize, span: Span) -> Diagnostic {
    let count = match expected {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    };
    Diagnostic::new(span, format!("`{name}` takes {count}, not {given}"))
}

//! `macro name(a, b) ... endmacro`: a call `name(x, y)` stands for the body with the arguments in
//! place of the parameters, token by token. Arguments end at commas outside parentheses. A macro
//! may use those before it, not itself.

use fencepost_text::Diagnostic;
use fencepost_text::lexer::{Token, TokenKind};
use std::collections::HashMap;

/// More tokens than this come from a mistake.
const MAX_TOKENS: usize = 1 << 20;

struct Macro {
    params: Vec<String>,
    body: Vec<Token>,
}

fn word(token: &Token) -> Option<&str> {
    match &token.kind {
        TokenKind::Word(word) => Some(word),
        _ => None,
    }
}

fn is_symbol(token: &Token, symbol: &str) -> bool {
    matches!(token.kind, TokenKind::Symbol(s) if s == symbol)
}

/// The tokens without macro definitions and calls.
pub fn expand(tokens: Vec<Token>) -> Result<Vec<Token>, Diagnostic> {
    let mut macros = HashMap::new();
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if word(&tokens[at]) == Some("macro") {
            at = define(&tokens, at, &mut macros)?;
        } else {
            at = copy(&tokens, at, &macros, &mut out)?;
        }
    }
    Ok(out)
}

/// Reads the definition at `at`; gives where it ends.
fn define(tokens: &[Token], at: usize, macros: &mut HashMap<String, Macro>) -> Result<usize, Diagnostic> {
    let Some(name) = tokens.get(at + 1).and_then(word) else {
        return Err(Diagnostic::new(tokens[at].span, "a macro needs a name"));
    };
    let (params, start) = match tokens.get(at + 2) {
        Some(token) if is_symbol(token, "(") => {
            let (args, end) = arguments(tokens, at + 2)?;
            let mut params = Vec::new();
            for arg in args {
                match &arg[..] {
                    [one] if word(one).is_some() => params.extend(word(one).map(str::to_string)),
                    _ => return Err(Diagnostic::new(token.span, "parameters of a macro are names")),
                }
            }
            (params, end)
        }
        _ => (Vec::new(), at + 2),
    };
    let Some(length) = tokens[start..].iter().position(|t| word(t) == Some("endmacro")) else {
        return Err(
            Diagnostic::new(tokens[at].span, "this macro has no end").help("close it with `endmacro`")
        );
    };
    let mut body = Vec::new();
    let mut inner = start;
    while inner < start + length {
        inner = copy(&tokens[..start + length], inner, macros, &mut body)?;
    }
    if macros.insert(name.to_string(), Macro { params, body }).is_some() {
        return Err(Diagnostic::new(tokens[at + 1].span, format!("the macro `{name}` is defined twice")));
    }
    Ok(start + length + 1)
}

/// Copies the token or expands the call at `at`; gives where that ends.
fn copy(
    tokens: &[Token],
    at: usize,
    macros: &HashMap<String, Macro>,
    out: &mut Vec<Token>,
) -> Result<usize, Diagnostic> {
    let token = &tokens[at];
    if out.len() > MAX_TOKENS {
        return Err(Diagnostic::new(token.span, "the macros expand to more than a million words"));
    }
    let Some(called) = word(token).and_then(|name| macros.get(name)) else {
        out.push(token.clone());
        return Ok(at + 1);
    };
    let call = tokens.get(at + 1).is_some_and(|t| is_symbol(t, "("));
    let (args, end) = if call { arguments(tokens, at + 1)? } else { (Vec::new(), at + 1) };
    if args.len() != called.params.len() {
        let message = format!("the macro takes {} arguments, not {}", called.params.len(), args.len());
        return Err(Diagnostic::new(token.span, message));
    }
    // Arguments may be calls themselves.
    let mut values = Vec::new();
    for arg in &args {
        let mut value = Vec::new();
        let mut inner = 0;
        while inner < arg.len() {
            inner = copy(arg, inner, macros, &mut value)?;
        }
        values.push(value);
    }
    for token_of_body in &called.body {
        let param = word(token_of_body).and_then(|w| called.params.iter().position(|p| p == w));
        match param {
            // A place inside a macro is shown where the macro is used.
            Some(i) => out.extend(values[i].iter().cloned()),
            None => out.push(Token { kind: token_of_body.kind.clone(), span: token.span }),
        }
    }
    Ok(end)
}

/// The arguments in parentheses at `at`, and where they end.
fn arguments(tokens: &[Token], at: usize) -> Result<(Vec<Vec<Token>>, usize), Diagnostic> {
    let mut args = vec![Vec::new()];
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        let (opens, closes) = (is_symbol(token, "("), is_symbol(token, ")"));
        depth += i32::from(opens) - i32::from(closes);
        if depth == 0 {
            if args.len() == 1 && args[0].is_empty() {
                args.clear();
            }
            return Ok((args, i + 1));
        }
        if depth == 1 && is_symbol(token, ",") {
            args.push(Vec::new());
        } else if !(depth == 1 && opens) {
            args.last_mut().expect("there is one from the start").push(token.clone());
        }
    }
    Err(Diagnostic::new(tokens[at].span, "this parenthesis is never closed"))
}

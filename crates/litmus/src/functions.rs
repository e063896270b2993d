//! herd's `C` tests: the frame around the threads' functions, and the program that they are.
//!
//! A thread is a function `P0 (atomic_int* x, int* y) { ... }` whose parameters name the locations that it uses. The C front
//! end reads and lowers the functions ([`fencepost_c::threads`]), and what else comes before them: types, and functions that
//! they call. What C and the Linux kernel offer them is `litmus.h`. Its kernel words are macros there, and not names
//! that the front end knows: ordinary C programs mean by `xchg` or `atomic_add` what they define, and in litmus tests they are
//! C11's functions by another name.

use super::ast::*;
use super::layout::{Layout, Place, shown};
use super::lexer::Scanner;
use super::lower::add_properties;
use super::observe::{NamedRegister, Observation, Observer};
use super::parser::{Parser, at_tail, thread_number};
use fencepost_c::Fragment;
use fencepost_c::threads::{
    self, Dialect, Initial, InitialValue, Parsed, Processes, Shared, Thread, TypeText, ValueKind,
};
use fencepost_ir::Span;
use fencepost_ir::tree::{self, ThreadId};
use fencepost_text::Diagnostic;
use fencepost_text::cursor::Cursor;
use std::sync::LazyLock;

type Result<T> = std::result::Result<T, Vec<Diagnostic>>;

/// What the kernel has and models with store buffers do not.
const REFUSED: [(&str, &str); 7] = {
    const READERS: &str = "waiting for the readers of RCU is not modelled";
    [
        ("synchronize_rcu", READERS),
        ("synchronize_rcu_expedited", READERS),
        ("synchronize_srcu", READERS),
        ("synchronize_srcu_expedited", READERS),
        ("call_rcu", READERS),
        ("srcu_down_read", READERS),
        ("srcu_up_read", READERS),
    ]
};

static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(include_str!("litmus.h"), &REFUSED));

/// A piece of the code.
enum Piece<'a> {
    Declaration(Fragment<'a>),
    Function(Function<'a>),
}

/// A thread's function.
struct Function<'a> {
    thread: u32,
    name: &'a str,
    text: Fragment<'a>,
    /// The names of its variables that the test looks at.
    observed: Vec<String>,
}

/// Reads a test from its init block on.
pub fn read(scanner: &mut Scanner<'_>) -> Result<(tree::Program, Observation)> {
    let init = init_block(scanner).map_err(one)?;
    let (mut declarations, mut functions) = (Vec::new(), Vec::new());
    loop {
        scanner.skip_blank().map_err(one)?;
        if at_tail(scanner.rest) {
            break;
        }
        match piece(scanner).map_err(one)? {
            Piece::Declaration(text) => declarations.push(text),
            Piece::Function(function) => functions.push(function),
        }
    }
    if functions.is_empty() {
        return Err(vec![no_function(scanner)]);
    }
    let tokens = scanner.tokens().map_err(one)?;
    let tail = Parser { cursor: Cursor::new(&tokens), arch: Arch::C }.tail().map_err(one)?;
    for function in &mut functions {
        tail.visit(&mut |location| match location {
            Location::Register { thread, name } if *thread == function.thread => {
                function.observed.push(name.text.clone());
            }
            _ => {}
        });
    }
    let threads = functions.iter().map(|f| Thread {
        name: f.name,
        function: f.text,
        observed: f.observed.iter().map(String::as_str).collect(),
    });
    let parsed = threads::parse(&DIALECT, &declarations, threads.collect())?;
    lower(&init, &functions, parsed, &tail)
}

fn one(diagnostic: Diagnostic) -> Vec<Diagnostic> {
    vec![diagnostic]
}

fn init_block(scanner: &mut Scanner<'_>) -> std::result::Result<Vec<Init>, Diagnostic> {
    let Some(end) = closing_brace(scanner.rest) else {
        return Err(no_end(scanner, 0, "the init block"));
    };
    let tokens = scanner.take(end).tokens()?;
    let init = Parser { cursor: Cursor::new(&tokens), arch: Arch::C }.init_block()?;
    for item in &init {
        if let Location::Register { name, .. } = &item.location {
            return Err(Diagnostic::new(name.span, "registers of C tests get their values in the code"));
        }
    }
    Ok(init)
}

fn no_function(scanner: &Scanner<'_>) -> Diagnostic {
    Diagnostic::new(scanner.here(1), "expected the function of a thread, as in `P0 (int* x) { ... }`")
}

/// What has a beginning at an offset, but no end.
fn no_end(scanner: &Scanner<'_>, offset: usize, what: &str) -> Diagnostic {
    let mut start = *scanner;
    start.advance(offset);
    Diagnostic::new(start.here(1), format!("{what} has no end")).help("close it with `}`")
}

/// The next function or declaration.
fn piece<'a>(scanner: &mut Scanner<'a>) -> std::result::Result<Piece<'a>, Diagnostic> {
    let end = match item_end(scanner.rest) {
        Ok(end) => end,
        Err(Some(brace)) => return Err(no_end(scanner, brace, "the function")),
        Err(None) => return Err(no_function(scanner)),
    };
    let place = scanner.here(0);
    let text = scanner.advance(end);
    let fragment = Fragment { text, file: place.file, line: place.line, column: place.column };
    let head = text.split('(').next().unwrap_or("").trim_end();
    let name = head.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    Ok(match thread_number(name).filter(|_| text.ends_with('}')) {
        Some(thread) => Piece::Function(Function { thread, name, text: fragment, observed: Vec::new() }),
        None => Piece::Declaration(fragment),
    })
}

/// Characters of C that are in no comment and no text, with their offsets.
fn significant(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let c = text[at..].chars().next()?;
            let start = at;
            let after =
                |end: &str| text[start + 1..].find(end).map_or(text.len(), |i| start + 1 + i + end.len());
            at = match c {
                '"' => after("\""),
                '\'' => after("'"),
                '/' if text[at..].starts_with("//") => after("\n"),
                '/' if text[at..].starts_with("/*") => after("*/"),
                _ => {
                    at += c.len_utf8();
                    return Some((start, c));
                }
            };
        }
    })
}

/// Where a text in braces ends.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in significant(text) {
        depth = match c {
            '{' => depth + 1,
            '}' => depth.checked_sub(1)?,
            _ => depth,
        };
        if depth == 0 {
            return (c == '}').then_some(at + 1);
        }
    }
    None
}

/// Where a function or a declaration ends: with the braces after a `)`, or with a semicolon outside of all brackets. The error is
/// the place of a brace that is not closed, if there is one.
fn item_end(text: &str) -> std::result::Result<usize, Option<usize>> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut before = ' ';
    for (at, c) in significant(text) {
        match c {
            '(' | '[' => open.push((at, before)),
            '{' => open.push((at, before)),
            ')' | ']' | '}' => {
                let (_, before) = open.pop().ok_or(None)?;
                if c == '}' && before == ')' && open.is_empty() {
                    return Ok(at + 1);
                }
            }
            ';' if open.is_empty() => return Ok(at + 1),
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    Err(open.iter().map(|(at, _)| *at).find(|at| text[*at..].starts_with('{')))
}

fn lower(
    init: &[Init],
    functions: &[Function<'_>],
    parsed: Parsed<'_>,
    tail: &Tail,
) -> Result<(tree::Program, Observation)> {
    let named: Vec<Name> =
        parsed.parameters().map(|name| Name { text: name.text.clone(), span: name.span }).collect();
    let mut layout = Layout::new(Width::Quad, init, &named, &[], tail).map_err(one)?;
    layout.number_objects();
    let shared: Vec<Shared> = layout.places.iter().map(|place| shared(place, init)).collect();
    let Processes { mut program, observed } = parsed.lower(&shared)?;
    for (place, variable) in layout.places.iter_mut().zip(&program.shared) {
        place.is_of(&variable.ty);
    }
    let register = |thread: u32, name: &Name| {
        let Some(index) = functions.iter().position(|f| f.thread == thread) else {
            return Err(Diagnostic::new(name.span, format!("there is no thread P{thread}")));
        };
        let asked = functions[index].observed.iter().position(|n| *n == name.text);
        let Some(local) = observed[index][asked.expect("all names of the tail have been asked for")] else {
            let message = format!("P{thread} has no variable `{}`", name.text);
            return Err(Diagnostic::new(name.span, message));
        };
        let ty = &program.procedure(program.threads[index].procedure).locals[local.0].ty;
        let Some((scalar, ty, holds)) = ty.as_scalar().and_then(shown) else {
            return Err(Diagnostic::new(
                name.span,
                format!("conditions look at numbers and addresses, and `{}` is neither", name.text),
            ));
        };
        Ok(NamedRegister {
            thread: ThreadId(index),
            local,
            scalar,
            order: 0,
            entry: name.text.clone(),
            name: name.text.clone(),
            shift: 0,
            bits: ty.bits,
            ty: Some(ty),
            holds,
        })
    };
    let observation = Observer::new(tail, &layout, &register).finish(&[]).map_err(one)?;
    let span = if tail.span.is_some() { tail.span } else { program.threads[0].span };
    add_properties(&mut program, &observation, span);
    Ok((program, observation))
}

/// A location as a variable of C.
fn shared(place: &Place, init: &[Init]) -> Shared {
    let item = init.iter().find(|item| matches!(&item.location, Location::Memory(n) if n.text == place.name));
    let value = |(constant, span): &(Constant, Span)| {
        let kind = match constant {
            Constant::Number(n) => ValueKind::Number(*n),
            Constant::Address { name, elements: 0, .. } => ValueKind::Address(name.text.clone()),
            Constant::Address { name, elements, .. } => {
                ValueKind::ElementAddress(name.text.clone(), *elements as u32)
            }
        };
        InitialValue { kind, span: *span }
    };
    let initial = |item: &Init| match (&item.values[..], item.in_braces) {
        ([], _) => Initial::Nothing,
        ([one], false) => Initial::One(value(one)),
        (values, _) => Initial::List(values.iter().map(value).collect()),
    };
    let ty = item.and_then(|item| item.c_type.as_ref());
    Shared {
        name: place.name.clone(),
        ty: ty.map(|ty| TypeText { text: ty.text.clone(), span: ty.span }),
        elements: place.elements,
        init: item.map_or(Initial::Nothing, initial),
        span: place.span,
    }
}

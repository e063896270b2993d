//! herd's `C` tests: the frame around the threads' functions, and the program that they are.
//!
//! A thread is a function `P0 (atomic_int* x, int* y) { ... }` whose parameters name the locations that it
//! uses. The C parser reads what stands in the braces; [`super::body`] lowers it.

use super::ast::*;
use super::body::{Body, Global};
use super::layout::{Layout, declared_bits};
use super::lexer::Scanner;
use super::lower::{add_properties, add_shared, add_thread};
use super::observe::{NamedRegister, Observation, Observer, int_type};
use super::parser::{Parser, named_type, thread_number};
use fencepost_c::Fragment;
use fencepost_ir::tree::{self, ThreadId};
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;
use fencepost_text::cursor::Cursor;
use fencepost_text::lexer::TokenKind;
use std::collections::HashMap;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Typedef names that stand for types in tests' code.
const TYPES: &[&str] = &[
    "atomic_bool",
    "atomic_char",
    "atomic_int",
    "atomic_uint",
    "atomic_long",
    "atomic_ulong",
    "atomic_llong",
    "atomic_ullong",
    "atomic_short",
    "atomic_ushort",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "intptr_t",
    "uintptr_t",
    "size_t",
    "bool",
];

/// A thread's function.
struct Function<'a> {
    thread: u32,
    parameters: Vec<Parameter>,
    body: Fragment<'a>,
    span: Span,
}

struct Parameter {
    name: Name,
    ty: Declared,
    atomic: bool,
}

/// Reads a test from its init block on.
pub fn read(scanner: &mut Scanner<'_>) -> Result<(tree::Program, Observation)> {
    let init_text = balanced(scanner, '{', '}', "the init block")?;
    let tokens = init_text.tokens()?;
    let init = Parser { cursor: Cursor::new(&tokens), arch: Arch::C }.init_block()?;
    let mut functions = Vec::new();
    loop {
        scanner.skip_blank()?;
        if !at_function(scanner.rest) {
            break;
        }
        functions.push(function(scanner)?);
    }
    if functions.is_empty() {
        return Err(Diagnostic::new(
            scanner.here(1),
            "expected the function of a thread, as in `P0 (int* x) { ... }`",
        ));
    }
    let tokens = scanner.tokens()?;
    let tail = Parser { cursor: Cursor::new(&tokens), arch: Arch::C }.tail()?;
    lower(&init, &functions, &tail)
}

/// Whether a word like `P0` and a parenthesis, or a result type before it, come next.
fn at_function(rest: &str) -> bool {
    let rest =
        rest.strip_prefix("void").or_else(|| rest.strip_prefix("static void")).unwrap_or(rest).trim_start();
    let word = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    thread_number(&rest[..word]).is_some() && rest[word..].trim_start().starts_with('(')
}

fn function<'a>(scanner: &mut Scanner<'a>) -> Result<Function<'a>> {
    for word in ["static", "void"] {
        if scanner.rest.starts_with(word) {
            scanner.advance(word.len());
            scanner.skip_blank()?;
        }
    }
    let length = scanner.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(scanner.rest.len());
    let span = scanner.here(length as u32);
    let name = scanner.advance(length);
    let Some(thread) = thread_number(name) else {
        return Err(Diagnostic::new(span, format!("`{name}` is not the name of a thread"))
            .label("expected `P0`, `P1`, ..."));
    };
    scanner.skip_blank()?;
    let parameters = parameters(balanced(scanner, '(', ')', "the parameters")?)?;
    scanner.skip_blank()?;
    let mut inside = balanced(scanner, '{', '}', "the function")?;
    inside.advance(1);
    let place = inside.here(0);
    let text = &inside.rest[..inside.rest.len() - 1];
    let body = Fragment { text, file: place.file, line: place.line, column: place.column, types: TYPES };
    Ok(Function { thread, parameters, body, span })
}

/// What stands between two brackets, and they themselves; comments and texts in it hide brackets.
fn balanced<'a>(scanner: &mut Scanner<'a>, open: char, close: char, what: &str) -> Result<Scanner<'a>> {
    let rest = scanner.rest;
    if !rest.starts_with(open) {
        let message = format!("expected `{open}`, the beginning of {what}");
        return Err(Diagnostic::new(scanner.here(1), message));
    }
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(c) = rest[at..].chars().next() {
        let skip = |end: &str| rest[at + 1..].find(end).map_or(rest.len(), |i| at + 1 + i + end.len());
        at = match c {
            '"' => skip("\""),
            '\'' => skip("'"),
            '/' if rest[at..].starts_with("//") => skip("\n"),
            '/' if rest[at..].starts_with("/*") => skip("*/"),
            '(' if rest[at..].starts_with("(*)") => at + 3,
            _ => {
                depth += usize::from(c == open);
                if c == close {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(scanner.take(at + c.len_utf8()));
                    }
                }
                at + c.len_utf8()
            }
        };
    }
    Err(Diagnostic::new(scanner.here(1), format!("{what} has no end"))
        .help(format!("close it with `{close}`")))
}

fn parameters(scanner: Scanner<'_>) -> Result<Vec<Parameter>> {
    let tokens = scanner.tokens()?;
    let mut cursor = Cursor::new(&tokens);
    cursor.expect_symbol("(")?;
    let mut parameters: Vec<Parameter> = Vec::new();
    if cursor.is_word("void") && matches!(cursor.peek_at(1).kind, TokenKind::Symbol(")")) {
        return Ok(parameters);
    }
    while !cursor.take_symbol(")") {
        let start = cursor.here();
        let mut words: Vec<Name> = Vec::new();
        let mut stars = 0;
        loop {
            if cursor.take_symbol("*") {
                stars += 1;
            } else if let TokenKind::Word(text) = &cursor.peek().kind {
                words.push(Name { text: text.clone(), span: cursor.advance().span });
            } else {
                break;
            }
        }
        let span = start.to(cursor.before());
        let Some(name) = words.pop() else { return Err(cursor.unexpected("a parameter, as in `int* x`")) };
        if stars != 1 {
            return Err(Diagnostic::new(span, "a parameter is a pointer to a location")
                .help("write it as in `int* x`"));
        }
        let atomic = words.iter().any(|w| w.text == "_Atomic" || w.text.starts_with("atomic_"));
        let texts: Vec<String> = words.into_iter().map(|w| w.text).collect();
        let Some(ty) = named_type(Arch::C, &texts) else {
            return Err(Diagnostic::new(span, format!("the type `{}` is not known", texts.join(" "))));
        };
        parameters.push(Parameter { name, ty, atomic });
        if !cursor.take_symbol(",") && !cursor.is_symbol(")") {
            return Err(cursor.unexpected("`,` or `)`"));
        }
    }
    Ok(parameters)
}

fn lower(init: &[Init], functions: &[Function<'_>], tail: &Tail) -> Result<(tree::Program, Observation)> {
    let named: Vec<Name> =
        functions.iter().flat_map(|f| f.parameters.iter().map(|p| p.name.clone())).collect();
    let mut layout = Layout::new(Width::Quad, init, &named, &[], tail)?;
    for parameter in functions.iter().flat_map(|f| &f.parameters) {
        let place = layout.find(&parameter.name.text);
        let place = &mut layout.places[place];
        if place.elements.is_some() {
            return Err(Diagnostic::new(parameter.name.span, "arrays are not supported in C tests"));
        }
        if place.ty == Declared::Default {
            place.ty = parameter.ty;
        } else if declared_bits(place.ty, Width::Quad) != declared_bits(parameter.ty, Width::Quad) {
            let message = format!("`{}` has another width elsewhere", place.name);
            return Err(Diagnostic::new(parameter.name.span, message));
        }
    }
    for place in &mut layout.places {
        place.cell = declared_bits(place.ty, Width::Quad).map_or(Width::Long, Width::of_bits);
    }
    for item in init {
        if let Location::Register { name, .. } = &item.location {
            return Err(Diagnostic::new(name.span, "registers of C tests get their values in the code"));
        }
    }
    let mut program = tree::Program::default();
    add_shared(&mut program, &layout);
    let mut bodies = Vec::new();
    for function in functions {
        if functions.iter().filter(|f| f.thread == function.thread).count() > 1 {
            let message = format!("there are two functions `P{}`", function.thread);
            return Err(Diagnostic::new(function.span, message));
        }
        let global = |p: &Parameter| {
            let place = layout.find(&p.name.text);
            let ty = int_type(p.ty, Width::Quad).expect("parameters have types");
            (p.name.text.clone(), Global { place, ty, atomic: p.atomic })
        };
        let globals: HashMap<String, Global> = function.parameters.iter().map(global).collect();
        let items = function.body.statements()?;
        bodies.push(Body::lower(globals, &items)?);
    }
    let register = |thread: u32, name: &Name| {
        let Some(index) = functions.iter().position(|f| f.thread == thread) else {
            return Err(Diagnostic::new(name.span, format!("there is no thread P{thread}")));
        };
        let Some((local, ty)) = bodies[index].local(&name.text) else {
            let message = format!("P{thread} has no variable `{}`", name.text);
            return Err(Diagnostic::new(name.span, message));
        };
        Ok(NamedRegister {
            thread: ThreadId(index),
            local,
            scalar: Scalar::Int(ty),
            order: 0,
            name: name.text.clone(),
            shift: 0,
            bits: ty.bits,
            ty: Some(ty),
        })
    };
    let observation = Observer::new(tail, &layout, &register).finish(&[])?;
    for (function, body) in functions.iter().zip(bodies) {
        add_thread(&mut program, function.thread, body.locals, body.stmts, function.span);
    }
    let span = if tail.span.is_some() { tail.span } else { functions[0].span };
    add_properties(&mut program, &observation, span);
    Ok((program, observation))
}

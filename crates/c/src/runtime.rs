//! Library functions as C of our own (the folder `runtime`), which lowering inlines where they are called.

use super::ast::{Expr, ExprKind, Unit, Visitor, walk_expression};
use super::lexer::{self, Places};
use super::{unit, without_errors};
use fencepost_ir::tree::BinaryOp;
use fencepost_ir::{FileId, Sources};
use fencepost_text::Diagnostic;

const TYPES: &str = include_str!("runtime/types.c");
const PLAIN_MUTEX: &str = include_str!("runtime/mutex_plain.c");
const MUTEX_KINDS: &str = include_str!("runtime/mutex_kinds.c");
const THREADS: &str = include_str!("runtime/threads.c");
const WAITING: &str = include_str!("runtime/waiting.c");
const FUTEX: &str = include_str!("runtime/futex.c");
const NAMED: &str = include_str!("runtime/named.c");
const MEMORY: &str = include_str!("runtime/memory.c");
const STRINGS: &str = include_str!("runtime/strings.c");
const FORMAT: &str = include_str!("runtime/format.c");
const NUMBERS: &str = include_str!("runtime/numbers.c");
const WIDE: &str = include_str!("runtime/wide.c");

/// The library's text: no file of the program.
pub(super) const FILE: FileId = FileId(u32::MAX);

/// What makes a program need mutexes that know their kind and owner.
const ASKS_FOR_KINDS: &[&str] = &[
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_mutexattr_settype",
    "PTHREAD_MUTEX_RECURSIVE_NP",
    "PTHREAD_MUTEX_ERRORCHECK_NP",
    "mtx_trylock",
    "mtx_timedlock",
    "mtx_recursive",
];

/// The library for a program of these units.
pub(super) fn library(units: &[Unit]) -> Unit {
    let mut asks = AsksForKinds(false);
    units.iter().for_each(|unit| asks.unit(unit));
    parse(if asks.0 { MUTEX_KINDS } else { PLAIN_MUTEX }).expect("the library is C that the front end takes")
}

struct AsksForKinds(bool);

impl Visitor for AsksForKinds {
    fn expression(&mut self, e: &Expr) {
        self.0 |= matches!(&e.kind, ExprKind::Identifier(name) if ASKS_FOR_KINDS.contains(&name.as_str()));
        walk_expression(self, e);
    }
}

fn parse(mutex: &str) -> Result<Unit, Vec<Diagnostic>> {
    let text =
        [TYPES, mutex, THREADS, WAITING, FUTEX, MEMORY, STRINGS, FORMAT, NUMBERS, WIDE, NAMED].concat();
    // Nothing of it is ever shown: what is inlined is at the call.
    let lexed = lexer::lex(&text, Places::Own { file: FILE, line: 1, column: 1 }).map_err(|d| vec![d])?;
    without_errors(unit(lexed, &Sources::default()))
}

/// The library's function that divides numbers of 128 bits.
pub(super) fn wide_division(op: BinaryOp, signed: bool) -> &'static str {
    match (op, signed) {
        (BinaryOp::Div, false) => "__fencepost_quotient",
        (BinaryOp::Div, true) => "__fencepost_signed_quotient",
        (_, false) => "__fencepost_remainder",
        (_, true) => "__fencepost_signed_remainder",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_parses() {
        for mutex in [PLAIN_MUTEX, MUTEX_KINDS] {
            assert!(parse(mutex).is_ok());
        }
    }
}

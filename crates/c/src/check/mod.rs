//! From the syntax tree to the typed program ([`hir`]).
//!
//! Declarations at file scope are taken note of in the order of the text ([`mod@unit`], [`link`]); function bodies and
//! initialisers are checked only once something that runs needs them, beginning with `main`, so that what a header
//! declares and no code uses costs nothing, however odd it is.
//!
//! An error ends the statement, declaration or operand that it is in, and no more: the others are checked as well. What has
//! been reported is [`Reported`], so that nothing is said twice, and nothing fails silently.

mod asm;
mod assign;
mod atomic;
mod atomic_name;
mod attribute;
mod builtin;
mod call;
mod conditional;
mod constant;
mod conversion;
mod declaration;
mod declarator;
mod designator;
mod entry;
mod enumeration;
mod expression;
mod generic;
mod initializer;
mod item;
mod label;
mod library;
mod library_names;
mod link;
mod literal;
mod operator;
mod pack;
mod part;
mod place;
mod record;
mod scope;
mod specifier;
mod statement;
mod suggest;
mod support;
mod switch;
mod threads;
mod unit;
mod vla;

use crate::ast;
use crate::hir::{self, Expr, ExprKind, FunctionId, GlobalId, LocalId, RecordId, TypeId, Types};
use crate::preprocess::Options;
use fencepost_ir::{Remark, Span};
use fencepost_text::Diagnostic;
use index_vec::IndexVec;
use link::{FunctionDecl, Link, VariableDecl};
use pack::Packs;
use scope::Scopes;
use statement::Body;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Checks the translation units of one program, which calls functions of the library.
pub(crate) fn check(
    units: &[ast::Unit],
    library: &ast::Unit,
    options: &Options,
) -> std::result::Result<hir::Program, Vec<Diagnostic>> {
    let program = Checker::of(units, library, options).program()?;
    debug_assert_eq!(hir::broken(&program), None, "a checked program is right in itself");
    Ok(program)
}

/// What else is wrong with units in which errors have been found.
pub(crate) fn further_errors(units: &[ast::Unit], library: &ast::Unit, options: &Options) -> Vec<Diagnostic> {
    Checker::of(units, library, options).program().err().unwrap_or_default()
}

pub(crate) use atomic_name::is_atomic_function;
pub(crate) use threads::{Threads, check_threads};

/// An error that has been reported.
#[derive(Clone, Copy, Debug)]
struct Reported(());

type Result<T> = std::result::Result<T, Reported>;

/// What is still to be checked because something that runs needs it.
enum Work {
    Function(FunctionDecl),
    Variable(VariableDecl),
}

/// What has been made so far.
#[derive(Default)]
struct Output {
    globals: IndexVec<GlobalId, hir::Global>,
    functions: IndexVec<FunctionId, hir::Function>,
    /// Library functions that known functions are made of, by their names.
    support: BTreeMap<&'static str, FunctionId>,
    /// What is to be said of the program, whatever comes of it.
    remarks: Vec<Remark>,
    /// String literals, by their element type and units.
    strings: HashMap<(TypeId, Vec<u32>), GlobalId>,
}

/// How expressions are looked at.
#[derive(Default)]
struct Mode {
    /// Inside how many operands that are not evaluated: what they name is not needed.
    unevaluated: u32,
    /// Depth of nested attempts, whose errors are dropped.
    quiet: u32,
    /// In the initialiser of a variable that lives as long as the program.
    is_static: bool,
    /// In threads of a test: pointers and integers become each other by casts only, and a name that is assigned without being
    /// declared is a register.
    is_test: bool,
}

struct Checker<'a> {
    options: &'a Options,
    types: Types,
    scopes: Scopes<'a>,
    link: Link<'a>,
    packs: Packs,
    /// Where each record has its members.
    defined: HashMap<RecordId, &'a ast::Record>,
    output: Output,
    waiting: VecDeque<Work>,
    /// The function whose body is being checked.
    body: Option<Body<'a>>,
    mode: Mode,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    /// All that the units of a program declare.
    fn of(units: &'a [ast::Unit], library: &'a ast::Unit, options: &'a Options) -> Checker<'a> {
        let mut checker = Checker::new(options, units.len() + 1);
        checker.library(library, units.len());
        for (i, unit) in units.iter().enumerate() {
            checker.scopes.enter_unit(i);
            checker.unit(unit);
        }
        checker
    }

    fn new(options: &'a Options, units: usize) -> Checker<'a> {
        Checker {
            options,
            types: Types::new(options.data_model),
            scopes: Scopes::new(units),
            link: Link::default(),
            packs: Packs::default(),
            defined: HashMap::new(),
            output: Output::default(),
            waiting: VecDeque::new(),
            body: None,
            mode: Mode::default(),
            diagnostics: Vec::new(),
        }
    }

    /// Declares the library's types and functions, in a unit of their own.
    fn library(&mut self, library: &'a ast::Unit, number: usize) {
        self.link.library_unit = number;
        self.scopes.enter_unit(number);
        self.unit(library);
        self.link.library = self.scopes.file_names().clone();
        self.link.library_records = self.types.records.len();
    }

    /// Checks `main` and all it needs.
    fn program(mut self) -> std::result::Result<hir::Program, Vec<Diagnostic>> {
        let main = self.main_function();
        let constructors = self.constructors();
        let destructors = self.destructors();
        self.check_waiting();
        while self.support_ends(!destructors.is_empty()) {
            self.check_waiting();
        }
        self.sort_diagnostics();
        match main {
            Ok(main) if self.diagnostics.is_empty() => {
                Ok(self.finished(hir::Start::Main(main), constructors, destructors))
            }
            _ => Err(self.diagnostics),
        }
    }

    /// What has been checked, as a program.
    fn finished(
        self,
        start: hir::Start,
        constructors: Vec<FunctionId>,
        destructors: Vec<FunctionId>,
    ) -> hir::Program {
        let Output { globals, functions, support, remarks, strings: _ } = self.output;
        let types = self.types;
        hir::Program { types, globals, functions, start, support, constructors, destructors, remarks }
    }

    /// Brings what is wrong into the order of the text, once each.
    fn sort_diagnostics(&mut self) {
        self.diagnostics.sort_by_key(|d| (d.span.file, d.span.line, d.span.column));
        self.diagnostics.dedup();
    }

    /// Checks what is used, and what that uses.
    fn check_waiting(&mut self) {
        while let Some(work) = self.waiting.pop_front() {
            match work {
                Work::Function(function) => self.function_body(function),
                Work::Variable(variable) => self.variable_initializer(variable),
            }
        }
    }

    /// Reports an error, unless this is only an attempt.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.mode.quiet == 0 {
            self.diagnostics.push(diagnostic);
        }
        Reported(())
    }

    /// Reports an error at a place.
    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(self.report(Diagnostic::new(span, message)))
    }

    /// Runs `inside` without reporting its errors.
    fn attempt<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Option<T> {
        self.mode.quiet += 1;
        let result = inside(self);
        self.mode.quiet -= 1;
        result.ok()
    }

    /// Runs `inside` on operands that are not evaluated.
    fn unevaluated<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.mode.unevaluated += 1;
        let lengths = self.body.as_mut().map(|body| std::mem::take(&mut body.lengths));
        let result = inside(self);
        if let (Some(body), Some(lengths)) = (&mut self.body, lengths) {
            body.lengths = lengths;
        }
        self.mode.unevaluated -= 1;
        result
    }

    /// What stands for an expression that could not be checked.
    fn error(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Error, ty: self.types.int(), span }
    }

    fn show(&self, ty: TypeId) -> String {
        self.types.show(ty)
    }

    /// The function that is being checked, where the grammar allows statements.
    fn body(&mut self) -> &mut Body<'a> {
        self.body.as_mut().expect("statements stand in functions")
    }

    /// A new local variable of the function.
    fn new_local(&mut self, name: &str, ty: TypeId, span: Span) -> LocalId {
        let addressed = !self.types.is_scalar(ty);
        let local = hir::Local { name: name.to_string(), ty, addressed, cleanup: None, span };
        self.body().locals.push(local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preprocess::DataModel;
    use fencepost_ir::Sources;

    /// Every function of the library, whether a program calls it or not.
    #[test]
    fn the_library_is_right() {
        let kinds = "int main(void) { return pthread_mutex_trylock(0); }";
        for text in ["int main(void) { return 0; }", kinds] {
            for data_model in [DataModel::Lp64, DataModel::Ilp32] {
                let options = Options { data_model, ..Options::default() };
                let unit = crate::parse("test.i", text, &options, &mut Sources::default()).expect("it is C");
                let units = [unit];
                let library = crate::runtime::library(&units);
                let mut checker = Checker::new(&options, 2);
                checker.library(&library, 1);
                let all = checker.link.functions.indices().collect::<Vec<_>>();
                checker.scopes.enter_unit(0);
                checker.unit(&units[0]);
                for decl in all {
                    checker.used_function(decl, Span::NONE).expect("the library has bodies");
                }
                let program = checker.program().unwrap_or_else(|d| panic!("{d:?}"));
                assert!(program.functions.len() > 100);
                assert_eq!(hir::broken(&program), None);
            }
        }
    }
}

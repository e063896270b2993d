//! Threads whose C text is inside of another file, as in litmus tests: functions that are there from the beginning,
//! the shared variables that their parameters point to, and declarations before them.
//!
//! No preprocessor runs. What such texts may use without declaring it is a [`Dialect`], read once: types, and words that are
//! macros ([`crate::define`]). The library is looked at only where a text calls something that it could have, so that
//! reading thousands of texts is quick.

use crate::ast::{
    self, ArrayBounds, ArraySize, Declaration, Declarator, Derived, Expr, ExprKind, InitDeclarator,
    Initializer, InitializerItem, InitializerList, IntegerLength, IntegerLiteral, Item, Parameters,
    Qualifiers, Radix, Specifiers, TypeSpecifier, UnaryOp, Unit,
};
use crate::check::{self, is_atomic_function};
use crate::define::Definitions;
use crate::lexer::{self, Places};
use crate::parser::Pieces;
use crate::preprocess::Options;
use crate::token::{self, Keyword, Token, TokenKind};
use crate::{Fragment, lower, runtime};
use fencepost_ir::{FileId, Span};
use fencepost_text::Diagnostic;
use std::collections::HashSet;
use std::sync::LazyLock;

pub use lower::Processes;

type Result<T> = std::result::Result<T, Diagnostic>;

/// What texts may use without declaring it.
pub struct Dialect {
    declared: Vec<Item>,
    pieces: Pieces,
    definitions: Definitions,
}

impl Dialect {
    /// From the text of a header, with declarations and `#define` lines of function-like macros, which are C that the
    /// front end takes; and from words that are refused with a reason.
    pub fn new(header: &'static str, refused: &[(&'static str, &'static str)]) -> Dialect {
        let places = Places::Own { file: FileId(0), line: 1, column: 1 };
        let mut pieces = Pieces::default();
        let items = lexer::lex(header, places).and_then(|lexed| pieces.items(&lexed.tokens).map_err(|d| *d));
        let items =
            items.unwrap_or_else(|d| panic!("the header is C: {} in line {}", d.message, d.span.line));
        Dialect { declared: items, pieces, definitions: Definitions::new(header, refused) }
    }

    /// The declarations that a text needs which uses some names, and what these need.
    fn needed(&self, names: &HashSet<&str>) -> Vec<&Item> {
        let mut names = names.clone();
        let mut needed = Vec::new();
        // What a declaration uses is before it.
        for item in self.declared.iter().rev() {
            let Item::Declaration(declaration) = item else { continue };
            let (constants, tag) = match &declaration.specifiers.ty {
                TypeSpecifier::Enum(of) => (of.enumerators.as_deref().unwrap_or_default(), None),
                TypeSpecifier::Record(of) => (&[][..], of.tag.as_ref()),
                _ => (&[][..], None),
            };
            let constants = constants.iter().map(|constant| &constant.name).chain(tag);
            let declared = declaration.declarators.iter().map(InitDeclarator::name);
            if declared.chain(constants).any(|name| names.contains(name.text.as_str())) {
                names.extend(named(&declaration.specifiers));
                needed.push(item);
            }
        }
        needed.reverse();
        needed
    }
}

/// The typedef name that a type is made of, if it is.
fn named(specifiers: &Specifiers) -> Option<&str> {
    match &specifiers.ty {
        TypeSpecifier::Named(name) => Some(&name.text),
        TypeSpecifier::Atomic(of) => named(&of.specifiers),
        _ => None,
    }
}

/// A thread.
pub struct Thread<'a> {
    /// The function's name.
    pub name: &'a str,
    /// The whole function, as in `P0 (int *x) { ... }`; without a result type it gives none. Its parameters are addresses of
    /// shared variables of the same names.
    pub function: Fragment<'a>,
    /// Names of local variables that are looked at when all threads have ended.
    pub observed: Vec<&'a str>,
}

/// A shared variable.
pub struct Shared {
    /// Its name.
    pub name: String,
    /// Its type, as C; without one it is what the first parameter of its name points to, else an `int`.
    pub ty: Option<TypeText>,
    /// How many elements it has, if it is an array.
    pub elements: Option<u32>,
    /// What it holds at first.
    pub init: Initial,
    /// Where it is declared, or used first.
    pub span: Span,
}

/// A type, as C, and its place.
pub struct TypeText {
    /// As in `unsigned long *`.
    pub text: String,
    /// Its place in the source.
    pub span: Span,
}

/// What a variable holds at first.
pub enum Initial {
    /// Zeros.
    Nothing,
    /// One value.
    One(InitialValue),
    /// Those of its parts.
    List(Vec<InitialValue>),
}

/// An initial value and its place.
pub struct InitialValue {
    /// Its kind.
    pub kind: ValueKind,
    /// Its place in the source.
    pub span: Span,
}

/// A number or an address.
pub enum ValueKind {
    /// Of up to 64 bits, with or without sign.
    Number(i128),
    /// Of a shared variable.
    Address(String),
    /// Of an element of a shared variable.
    ElementAddress(String, u32),
}

/// Threads that have been parsed.
pub struct Parsed<'a> {
    dialect: &'a Dialect,
    threads: Vec<Thread<'a>>,
    declarations: Vec<Item>,
    functions: Vec<Item>,
    pieces: Pieces,
    /// The names that the text uses.
    names: HashSet<&'a str>,
    asks_for_library: bool,
}

/// Parses threads, and declarations of types and functions that they use.
pub fn parse<'a>(
    dialect: &'a Dialect,
    declarations: &[Fragment<'a>],
    threads: Vec<Thread<'a>>,
) -> std::result::Result<Parsed<'a>, Vec<Diagnostic>> {
    let mut reader = Reader {
        definitions: &dialect.definitions,
        pieces: dialect.pieces.clone(),
        own: threads.iter().map(|thread| thread.name).collect(),
        names: HashSet::new(),
        asks_for_library: false,
        diagnostics: Vec::new(),
    };
    let declarations = reader.each(declarations, Reader::declaration);
    let functions = reader.each(&threads, Reader::thread);
    let Reader { pieces, names, asks_for_library, diagnostics, .. } = reader;
    match diagnostics.is_empty() {
        true => Ok(Parsed { dialect, threads, declarations, functions, pieces, names, asks_for_library }),
        false => Err(diagnostics),
    }
}

impl Parsed<'_> {
    /// The parameters of all threads.
    pub fn parameters(&self) -> impl Iterator<Item = &ast::Name> {
        self.all_parameters().filter_map(|p| p.declarator.name.as_ref())
    }

    fn all_parameters(&self) -> impl Iterator<Item = &ast::Parameter> {
        self.functions.iter().flat_map(|item| match item {
            Item::Function(function) => match function.parameters() {
                Parameters::Prototype { parameters, .. } => &parameters[..],
                Parameters::Unspecified | Parameters::Names(_) => &[],
            },
            Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => &[],
        })
    }

    /// Lowers the threads with what they share: a variable for each parameter's name, perhaps more. These are the first
    /// variables of the program, in order; locals that are not initialised hold zeros.
    pub fn lower(mut self, shared: &[Shared]) -> std::result::Result<Processes, Vec<Diagnostic>> {
        let mut variables = Vec::new();
        let mut diagnostics = Vec::new();
        for variable in shared {
            match self.shared_type(variable) {
                Ok((specifiers, derived)) => {
                    variables.push(Item::Declaration(declared(variable, specifiers, derived)));
                }
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let library = self.asks_for_library.then(|| &*LIBRARY);
        let mut names = self.names;
        let types = shared.iter().filter_map(|shared| shared.ty.as_ref());
        names.extend(types.flat_map(|ty| ty.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')));
        let mut text = self.dialect.needed(&names);
        text.extend(self.declarations.iter().chain(&variables).chain(&self.functions));
        let threads = check::Threads {
            shared: shared.iter().map(|shared| (shared.name.as_str(), shared.span)).collect(),
            functions: self.threads.iter().map(|thread| thread.name).collect(),
        };
        let options = Options::default();
        let typed = check::check_threads(&text, library, &threads, &options)?;
        let observed: Vec<&[&str]> = self.threads.iter().map(|thread| &thread.observed[..]).collect();
        lower::lower_threads(&typed, &options, &observed)
    }

    /// What comes before and after a variable's name.
    fn shared_type(&mut self, variable: &Shared) -> Result<(Specifiers, Vec<Derived>)> {
        if let Some(ty) = &variable.ty {
            return self.named_type(&ty.text, ty.span);
        }
        let is_named =
            |p: &&ast::Parameter| p.declarator.name.as_ref().is_some_and(|name| name.text == variable.name);
        let parameter = self.all_parameters().find(is_named);
        match parameter.map(|p| (&p.specifiers, &p.declarator.derived[..])) {
            Some((specifiers, [Derived::Pointer(_) | Derived::Array(_), rest @ ..])) => {
                Ok((specifiers.clone(), rest.to_vec()))
            }
            _ => self.named_type("int", variable.span),
        }
    }

    fn named_type(&mut self, text: &str, span: Span) -> Result<(Specifiers, Vec<Derived>)> {
        let places = Places::Own { file: span.file, line: span.line, column: span.column };
        let mut tokens = lexer::lex(text, places)?.tokens;
        token::with_new_keywords(&mut tokens);
        tokens.iter_mut().for_each(|token| token.span = span);
        let name = self.pieces.type_name(&tokens).map_err(|d| *d)?;
        Ok((name.specifiers, name.declarator.derived))
    }
}

static LIBRARY: LazyLock<Unit> = LazyLock::new(|| runtime::library(&[]));

/// Texts to syntax trees. What is wrong with one of them leaves the others as they are.
struct Reader<'a> {
    definitions: &'a Definitions,
    pieces: Pieces,
    /// Functions of the text's own.
    own: HashSet<&'a str>,
    /// All names.
    names: HashSet<&'a str>,
    asks_for_library: bool,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    /// Reads one text after the other.
    fn each<T>(&mut self, texts: &[T], read: fn(&mut Self, &T) -> Result<Vec<Item>>) -> Vec<Item> {
        let mut items = Vec::new();
        for text in texts {
            match read(self, text) {
                Ok(read) => items.extend(read),
                Err(diagnostic) => self.diagnostics.push(diagnostic),
            }
        }
        items
    }

    fn declaration(&mut self, text: &Fragment<'a>) -> Result<Vec<Item>> {
        let tokens = lexed(text)?;
        self.own.extend(defined(&tokens));
        self.parse(&tokens)
    }

    fn thread(&mut self, thread: &Thread<'a>) -> Result<Vec<Item>> {
        let mut tokens = lexed(&thread.function)?;
        if let Some(first) = tokens.first().filter(|first| first.text == thread.name) {
            let (kind, text) = (TokenKind::Keyword(Keyword::Void), "void");
            tokens.insert(0, Token { kind, text, span: first.span });
        }
        let items = self.parse(&tokens)?;
        match &items[..] {
            [Item::Function(function)] if function.name().text == thread.name => Ok(items),
            _ => {
                let span = tokens.first().map_or(Span::NONE, |first| first.span);
                Err(Diagnostic::new(
                    span,
                    format!("expected the function `{}` and nothing else", thread.name),
                ))
            }
        }
    }

    /// Parses tokens after words have been replaced.
    fn parse(&mut self, tokens: &[Token<'a>]) -> Result<Vec<Item>> {
        let mut tokens = self.definitions.expand(tokens, &self.own)?;
        token::with_new_keywords(&mut tokens);
        self.asks_for_library |= self.may_call_library(&tokens);
        let names = tokens.iter().filter(|token| token.kind == TokenKind::Identifier);
        self.names.extend(names.map(|token| token.text));
        self.pieces.items(&tokens).map_err(|d| *d)
    }

    /// Whether a text may need the library: it calls something that is neither atomic nor its own, or computes with 128
    /// bits.
    fn may_call_library(&self, tokens: &[Token<'_>]) -> bool {
        let mut pairs = tokens.windows(2);
        pairs.any(|pair| match (pair[0].kind, pair[1].kind) {
            (TokenKind::Keyword(Keyword::Int128), _) => true,
            (TokenKind::Identifier, TokenKind::Symbol("(")) => {
                !self.own.contains(pair[0].text) && !needs_no_library(pair[0].text)
            }
            (TokenKind::Identifier, _) => matches!(pair[0].text, "__int128_t" | "__uint128_t"),
            _ => false,
        })
    }
}

/// Functions of no library: fences, and what says which runs count.
fn needs_no_library(name: &str) -> bool {
    matches!(name, "_mm_mfence" | "_mm_sfence" | "__VERIFIER_assume") || is_atomic_function(name)
}

/// The tokens of a text.
fn lexed<'a>(text: &Fragment<'a>) -> Result<Vec<Token<'a>>> {
    for (line, shown) in (text.line..).zip(text.text.lines()) {
        if shown.trim_start().starts_with('#') {
            let column = (shown.chars().take_while(|c| c.is_whitespace()).count() + 1) as u32;
            let length = shown.trim().chars().count() as u32;
            let span = Span { file: text.file, line, column, length };
            return Err(Diagnostic::new(span, "no preprocessor runs here"));
        }
    }
    Ok(text.lex()?.tokens)
}

/// The functions that a text defines or declares: names before `(` with something before them, outside of all braces.
fn defined<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for row in tokens.windows(3) {
        match row[0].kind {
            TokenKind::Symbol("{" | "(") => depth += 1,
            TokenKind::Symbol("}" | ")") => depth = depth.saturating_sub(1),
            TokenKind::Keyword(_) | TokenKind::Identifier | TokenKind::Symbol("*") if depth == 0 => {
                let (name, next) = (row[1], row[2].kind);
                if name.kind == TokenKind::Identifier && next == TokenKind::Symbol("(") {
                    found.push(name.text);
                }
            }
            _ => {}
        }
    }
    found
}

/// `type name[elements] = values;`
fn declared(variable: &Shared, specifiers: Specifiers, mut derived: Vec<Derived>) -> Declaration {
    let span = variable.span;
    if let Some(elements) = variable.elements {
        let size = ArraySize::Expr(Box::new(number(elements.into(), span)));
        let qualifiers = Qualifiers::default();
        derived.insert(0, Derived::Array(ArrayBounds { size, qualifiers, is_static: false, span }));
    }
    let name = Some(ast::Name { text: variable.name.clone(), span });
    let declarator = Declarator { name, derived, attributes: Vec::new(), span };
    let initializer = match &variable.init {
        Initial::Nothing => None,
        Initial::One(value) => Some(Initializer::Expr(expression(value))),
        Initial::List(values) => {
            let item = |value: &InitialValue| InitializerItem {
                designators: Vec::new(),
                value: Initializer::Expr(expression(value)),
                span: value.span,
            };
            let span = values.first().map_or(span, |value| value.span);
            Some(Initializer::List(InitializerList { items: values.iter().map(item).collect(), span }))
        }
    };
    let declarators = vec![InitDeclarator { declarator, asm_label: None, initializer, span }];
    Declaration { specifiers, declarators, span }
}

/// An initial value, as C.
fn expression(value: &InitialValue) -> Expr {
    let span = value.span;
    let named = |name: &str| Expr { kind: ExprKind::Identifier(name.to_string()), span };
    let address = |place| Expr { kind: ExprKind::Unary(UnaryOp::AddressOf, Box::new(place)), span };
    match &value.kind {
        ValueKind::Number(n) => number(*n, span),
        ValueKind::Address(name) => address(named(name)),
        ValueKind::ElementAddress(name, element) => {
            let index = Box::new(number((*element).into(), span));
            address(Expr { kind: ExprKind::Index(Box::new(named(name)), index), span })
        }
    }
}

fn number(value: i128, span: Span) -> Expr {
    // What is not decimal may have all 64 bits.
    let literal = IntegerLiteral {
        value: value.unsigned_abs() as u64,
        radix: Radix::Hexadecimal,
        unsigned: false,
        length: IntegerLength::Int,
    };
    let number = Expr { kind: ExprKind::Integer(literal), span };
    match value < 0 {
        true => Expr { kind: ExprKind::Unary(UnaryOp::Minus, Box::new(number)), span },
        false => number,
    }
}

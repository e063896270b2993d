//! The syntax tree to the program: names, types and conversions.
//!
//! Lowering begins at `main` and goes on to what it uses, so that what a header declares and nobody
//! calls costs nothing and can be as odd as it likes. Expressions of the program have no effects
//! but those of memory, calls and spawns, so assignments within expressions become statements of
//! their own before the one they stand in, operands from left to right; C leaves the order open.

mod address;
mod allocate;
mod asm;
mod assign;
mod atomic;
mod atomic_name;
mod atomic_structure;
mod bits;
mod call;
mod cancel;
mod cleanup;
mod computed_goto;
mod constant;
mod convert;
mod declare;
mod environment;
mod expression;
mod floating;
mod format;
mod harness;
mod initializer;
mod inline;
mod input;
mod library;
mod life;
mod member;
mod memory;
mod names;
mod output;
mod overflow;
mod place;
mod record;
mod rows;
mod scopes;
mod statement;
mod typing;
mod variadic;
mod wide;

use super::ast;
use super::finish::{self, Blocks, Made, Notes};
use super::preprocess::{DataModel, Options};
use super::spelling::{self, Definitions};
use super::types::{CType, FunctionType, Types};
use fencepost_ir::tree::*;
use fencepost_ir::{Access, Order, Scalar, Span, Step};
use fencepost_text::Diagnostic;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

type Result<T> = std::result::Result<T, Diagnostic>;

/// Lowers the translation units of one program, which calls functions of the library.
pub(super) fn lower(units: &[ast::Unit], library: &ast::Unit, options: &Options) -> Result<Program> {
    let mut lowerer = Lowerer::new(options);
    lowerer.uses_varargs = units.iter().any(variadic::looks_at_arguments);
    lowerer.file_scopes.resize_with(units.len() + 1, FileScope::default);
    lowerer.library(library, units.len())?;
    for (i, unit) in units.iter().enumerate() {
        lowerer.enter_unit(i);
        lowerer.new_constants();
        lowerer.unit(unit)?;
    }
    let model = options.data_model;
    let (mut program, definitions) = lowerer.program()?;
    program.spelling = spelling::spelling(units, &definitions, model);
    Ok(program)
}

/// What a name means.
#[derive(Clone, Debug)]
enum Symbol {
    /// A local variable.
    Local(LocalId, CType),
    /// A large local variable: what a pointer points to.
    Pointed(LocalId, CType),
    /// A variable that lives as long as the program.
    Global(usize),
    /// A function.
    Function(usize),
    /// A constant.
    Constant(i128, CType),
    /// A type.
    Type(CType),
    /// A parameter of a library function: the argument.
    Alias(Typed),
}

/// A variable that lives as long as the program, or as long as its thread.
struct Global<'a> {
    name: String,
    ty: CType,
    initializer: Option<&'a ast::Initializer>,
    /// The unit that it stands in, whose names its initialiser means.
    unit: usize,
    /// Not a function's own static variable.
    at_file_scope: bool,
    per_thread: bool,
    defined: bool,
    span: Span,
    /// Set when it is first used.
    variable: Option<VarRef>,
}

/// A function.
struct Function<'a> {
    name: String,
    ty: Rc<FunctionType>,
    body: Option<&'a ast::Function>,
    /// The unit that the body stands in.
    unit: usize,
    /// The body is a header's, for inlining; the function itself is the library's.
    is_librarys: bool,
    /// Set when it is first used.
    procedure: Option<ProcedureId>,
    span: Span,
    /// Whether its result is memory of a type that only the caller knows; `None` if not looked at yet.
    allocates: Option<bool>,
    /// What it is a copy of, and the type that it allocates.
    original: Option<usize>,
    allocated: Option<Type>,
}

/// A procedure being made.
#[derive(Default)]
struct Body {
    locals: Vec<Variable>,
    out: Vec<Stmt>,
    result: Option<CType>,
    is_main: bool,
    name: String,
    /// Where `break` and `continue` lead, innermost last.
    jumps: Vec<statement::Jumps>,
    /// Cases of the switches around, innermost last.
    switches: Vec<statement::Switch>,
    labels: usize,
    /// New names of the labels that `__label__` gave to blocks, innermost last.
    own_labels: Vec<HashMap<String, String>>,
    /// The labels that stand in the function, and those it jumps to.
    placed: HashMap<String, Span>,
    jumped_to: Vec<(String, Span)>,
    /// What memory is for that nothing else tells the type of.
    allocated: Option<Type>,
    /// Arrays of variable length: the pointer to it, and its bytes.
    variable_length: HashMap<LocalId, Expr>,
    /// Pointers to arrays of variable length: the lengths of these and of the arrays in them.
    rows: HashMap<LocalId, Vec<Expr>>,
    /// Variables in scope that something is called with when they go.
    cleanups: Vec<cleanup::Cleanup>,
    /// The pointer to the arguments behind `...`.
    varargs: Option<LocalId>,
    /// Blocks, and what is declared in them.
    blocks: Blocks,
}

/// A scalar value.
#[derive(Clone, Debug)]
struct Typed {
    expr: Expr,
    ty: CType,
}

/// The value of an expression.
enum Value {
    Scalar(Typed),
    /// A structure or union, where it is.
    Record(Place, CType),
    Void,
}

/// Something that can be read and assigned.
#[derive(Clone, Debug)]
struct Lvalue {
    place: Place,
    ty: CType,
}

#[derive(Default)]
struct FileScope {
    names: HashMap<String, Symbol>,
    tags: HashMap<String, CType>,
}

struct Lowerer<'a> {
    data_model: DataModel,
    /// What the user asked for, see [`Options`].
    overflow: bool,
    havoc_externs: bool,
    deadlock: bool,
    alignments: Vec<u64>,
    complete: Vec<bool>,
    /// The members of each record.
    members: Vec<Vec<record::Member>>,
    /// Where the members of each name stand in it.
    member_names: HashMap<fencepost_ir::RecordId, record::MemberNames>,
    /// Where each record is defined.
    definitions: Vec<Option<Span>>,
    /// The constants of each enumeration.
    enumerations: HashMap<Span, Vec<(String, i64)>>,
    /// Innermost last; the first is the file scope of the unit at hand.
    scopes: Vec<HashMap<String, Symbol>>,
    tags: Vec<HashMap<String, CType>>,
    unit: usize,
    /// The file scopes of the other units.
    file_scopes: Vec<FileScope>,
    /// Functions and variables that all units share.
    external: HashMap<String, Symbol>,
    globals: Vec<Global<'a>>,
    shared_names: names::Taken,
    thread_local_names: names::Taken,
    functions: Vec<Function<'a>>,
    /// What the library defines.
    library: HashMap<String, Symbol>,
    /// The unit that is the library, and how many records it has.
    library_unit: usize,
    library_records: u32,
    /// How many library functions are being inlined into each other.
    inlined: u32,
    /// Functions whose address is taken somewhere.
    taken: HashSet<String>,
    /// Functions that are used and not lowered yet.
    waiting: VecDeque<usize>,
    /// String literals that are in memory.
    strings: HashMap<Vec<u32>, VarRef>,
    /// Procedures of functions that allocate for their callers.
    allocators: HashMap<ProcedureId, usize>,
    /// Those of them that are lowered only if somebody calls them as they are.
    unlowered: Vec<usize>,
    /// What `#pragma pack` says, and where.
    packs: Vec<(Span, String)>,
    /// The structures that numbers of 128 bits are, without sign and with.
    wide: [Option<fencepost_ir::RecordId>; 2],
    /// Whether a key has a destructor.
    has_destructors: bool,
    /// What runs before `main` and behind it, and whether there may be any of the latter.
    constructors: Vec<life::Hook>,
    destructors: Vec<life::Hook>,
    has_handlers: bool,
    /// Whether the program names `main`.
    calls_main: bool,
    /// Whether it sets variables of its environment.
    sets_environment: bool,
    /// The function that the program begins with.
    main: Option<usize>,
    /// Whether threads are cancelled, and whether handlers wait for that.
    cancels: bool,
    cleans_up: bool,
    /// Whether functions look at arguments behind `...`.
    uses_varargs: bool,
    /// The next call is made for what it does.
    value_unused: bool,
    /// Around how many operands that are not evaluated, where calls need only types.
    unevaluated: u32,
    program: Program,
    /// What the tree does not say.
    notes: Notes,
    /// Records that have bit-fields, not counting those of records in them.
    bit_fields: HashSet<fencepost_ir::RecordId>,
    /// Where memory is copied that has no known type.
    copies: HashSet<Span>,
    body: Body,
}

impl<'a> Lowerer<'a> {
    fn new(options: &Options) -> Self {
        let data_model = options.data_model;
        let program = Program { pointer_bits: data_model.pointer_bits(), ..Program::default() };
        Lowerer {
            data_model,
            overflow: options.overflow,
            havoc_externs: options.havoc_externs,
            deadlock: options.deadlock,
            alignments: Vec::new(),
            complete: Vec::new(),
            members: Vec::new(),
            member_names: HashMap::new(),
            definitions: Vec::new(),
            enumerations: HashMap::new(),
            scopes: vec![HashMap::new()],
            tags: vec![HashMap::new()],
            unit: 0,
            file_scopes: Vec::new(),
            external: HashMap::new(),
            globals: Vec::new(),
            shared_names: names::Taken::default(),
            thread_local_names: names::Taken::default(),
            functions: Vec::new(),
            library: HashMap::new(),
            library_unit: usize::MAX,
            library_records: 0,
            inlined: 0,
            taken: HashSet::new(),
            waiting: VecDeque::new(),
            strings: HashMap::new(),
            allocators: HashMap::new(),
            unlowered: Vec::new(),
            packs: Vec::new(),
            wide: [None; 2],
            has_destructors: false,
            constructors: Vec::new(),
            destructors: Vec::new(),
            has_handlers: false,
            calls_main: false,
            sets_environment: false,
            main: None,
            cancels: false,
            cleans_up: false,
            uses_varargs: false,
            value_unused: false,
            unevaluated: 0,
            program,
            notes: Notes::default(),
            bit_fields: HashSet::new(),
            copies: HashSet::new(),
            body: Body::default(),
        }
    }

    fn types(&self) -> Types<'_> {
        Types {
            records: &self.program.records,
            alignments: &self.alignments,
            complete: &self.complete,
            data_model: self.data_model,
        }
    }

    /// Declares the library's types and functions, under the number of a unit of their own.
    fn library(&mut self, library: &'a ast::Unit, number: usize) -> Result<()> {
        self.library_unit = number;
        self.enter_unit(number);
        self.unit(library)?;
        self.library = self.scopes[0].clone();
        self.library_records = self.program.records.0.len() as u32;
        self.taken.clear();
        self.has_handlers = false;
        (self.cancels, self.cleans_up) = (false, false);
        Ok(())
    }

    /// Constants that C23 knows without a header; older texts may define them again.
    fn new_constants(&mut self) {
        for (name, value) in [("false", 0), ("true", 1)] {
            self.define(name, Symbol::Constant(value, CType::INT));
        }
        let null = self.int_constant(0, &CType::Void.pointer_to(), Span::NONE);
        self.define("nullptr", Symbol::Alias(null));
    }

    /// Declares what stands at file scope.
    fn unit(&mut self, unit: &'a ast::Unit) -> Result<()> {
        for pragma in &unit.pragmas {
            let pack = pragma.text.trim().strip_prefix("pack").map(str::trim);
            if let Some(arguments) = pack.and_then(|p| p.strip_prefix('(')?.strip_suffix(')')) {
                self.packs.push((pragma.span, arguments.to_string()));
            }
        }
        for item in &unit.items {
            match item {
                ast::Item::Function(function) => self.define_function(function)?,
                ast::Item::Declaration(declaration) => self.declare_global(declaration)?,
                ast::Item::StaticAssert(assertion) => self.static_assert(assertion)?,
                ast::Item::Asm(asm) => {
                    return Err(Diagnostic::new(asm.span, "assembly outside of functions is not supported"));
                }
            }
        }
        call::functions_taken(unit, &mut self.taken);
        self.note_exit_handlers(unit);
        self.note_cancellation(unit);
        Ok(())
    }

    /// Lowers `main` and all it needs.
    fn program(mut self) -> Result<(Program, Definitions)> {
        let defined = |name: &str| self.functions.iter().position(|f| f.name == name && f.body.is_some());
        // CDSChecker calls it by a name of its own.
        let main = defined("main").or_else(|| defined("user_main"));
        let Some(main) = main else { return Err(self.no_main()) };
        self.main = (!self.has_handlers && !self.calls_main).then_some(main);
        let procedure = self.procedure(main, Span::NONE)?;
        let args = self.main_arguments(main)?;
        self.lower_waiting()?;
        let procedure = self.around_main(procedure)?;
        self.run_hooks(procedure)?;
        self.program.at_thread_end = self.destructors_of_keys()?;
        let span = self.functions[main].span;
        let (name, count) = ("main".to_string(), Count::Times(1));
        self.program.threads.push(Thread { name, procedure, args, count, span });
        let definitions = self.known_types();
        let made = Made { program: self.program, notes: self.notes };
        Ok((finish::finish(made)?, definitions))
    }

    /// The procedure that runs destructors of keys, if a key may have one.
    fn destructors_of_keys(&mut self) -> Result<Option<ProcedureId>> {
        if !self.has_destructors {
            return Ok(None);
        }
        let Some(Symbol::Function(index)) = self.library.get("__fencepost_destroy").cloned() else {
            panic!("the library runs destructors")
        };
        let destroy = self.procedure(index, Span::NONE)?;
        self.lower_waiting()?;
        Ok(Some(destroy))
    }

    /// Lowers the functions that are used, and those that these use.
    fn lower_waiting(&mut self) -> Result<()> {
        loop {
            while let Some(function) = self.waiting.pop_front() {
                self.enter_unit(self.functions[function].unit);
                self.lower_function(function)?;
            }
            if !self.allocators_wait() {
                return Ok(());
            }
        }
    }

    /// The program's name, for a `main` that looks at its arguments.
    fn program_name(&mut self, main: usize) -> i64 {
        let names = self.parameter_names(main);
        let Some(body) = self.functions[main].body else { return 0 };
        let mut looks = false;
        crate::visit::in_block(&body.body, &mut |e| {
            let argument = names.get(1).map(|(name, _)| name);
            looks |= matches!(&e.kind, ast::ExprKind::Identifier(name) if Some(name) == argument);
        });
        if !looks {
            return 0;
        }
        let element = self.types().scalar(&CType::CHAR).expect("characters are scalars");
        let text = b"program\0";
        let init = text.iter().map(|byte| Choices::one(i64::from(*byte))).collect();
        let ty = Type::with_dims(element, &[text.len() as u32]);
        let id = self.program.shared.len() as u32;
        self.program.shared.push(Variable::new("argv.0".into(), ty, init, Span::NONE));
        fencepost_ir::pointer::to_object(id, 0)
    }

    /// `argc` is 1, and `argv` has one name.
    fn main_arguments(&mut self, main: usize) -> Result<Vec<i64>> {
        let params = self.functions[main].ty.params.clone().unwrap_or_default();
        let mut args = Vec::new();
        for (i, ty) in params.iter().enumerate() {
            args.push(match (i, ty) {
                (0, ty) if ty.is_integer() => 1,
                (_, ty) if ty.is_pointer() => {
                    let element =
                        self.types().scalar(&CType::Void.pointer_to()).expect("pointers are scalars");
                    let ty = Type::with_dims(element, &[2]);
                    let name = if i == 1 { self.program_name(main) } else { 0 };
                    let init = vec![Choices::one(name), Choices::one(0)];
                    let id = self.program.shared.len();
                    self.program.shared.push(Variable::new("argv".into(), ty, init, Span::NONE));
                    fencepost_ir::pointer::to_object(id as u32, 0)
                }
                _ => {
                    let span = self.functions[main].span;
                    return Err(Diagnostic::new(span, "`main` takes `int argc` and `char **argv`"));
                }
            });
        }
        Ok(args)
    }

    /// Looks names up in another unit; gives the one before.
    fn enter_unit(&mut self, unit: usize) -> usize {
        let previous = std::mem::replace(&mut self.unit, unit);
        if unit != previous {
            let entered = std::mem::take(&mut self.file_scopes[unit]);
            let names = std::mem::replace(&mut self.scopes[0], entered.names);
            let tags = std::mem::replace(&mut self.tags[0], entered.tags);
            self.file_scopes[previous] = FileScope { names, tags };
        }
        previous
    }

    /// Runs `inside` at file scope of a unit.
    fn at_file_scope<T>(&mut self, unit: usize, inside: impl FnOnce(&mut Self) -> T) -> T {
        let (scopes, tags) = (self.scopes.split_off(1), self.tags.split_off(1));
        let previous = self.enter_unit(unit);
        let result = inside(self);
        self.enter_unit(previous);
        self.scopes.extend(scopes);
        self.tags.extend(tags);
        result
    }

    fn lookup(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn define(&mut self, name: &str, symbol: Symbol) {
        self.scopes.last_mut().expect("file scope is always open").insert(name.to_string(), symbol);
    }

    /// Runs `inside` with a scope of its own.
    fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push(HashMap::new());
        self.tags.push(HashMap::new());
        let cleanups = self.body.cleanups.len();
        let start = self.open_block();
        let result = inside(self);
        let result = match result {
            Ok(value) => self.clean_up(cleanups.min(self.body.cleanups.len())).map(|()| value),
            Err(diagnostic) => Err(diagnostic),
        };
        self.close_block(start);
        self.body.cleanups.truncate(cleanups);
        self.scopes.pop();
        self.tags.pop();
        result
    }

    fn emit(&mut self, kind: StmtKind, span: Span) {
        self.body.out.push(Stmt { kind, span });
    }

    /// The statements that `inside` emits, taken out.
    fn captured<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Block)> {
        let outer = std::mem::take(&mut self.body.out);
        let result = inside(self);
        let inner = std::mem::replace(&mut self.body.out, outer);
        Ok((result?, Block(inner)))
    }

    /// A new local variable.
    fn local(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let layout = self.program.records.layout(&ty);
        let init = layout.iter().map(|cell| Choices::one(cell.ty.default_value())).collect();
        self.body.locals.push(Variable::new(name.to_string(), ty, init, span));
        LocalId(self.body.locals.len() - 1)
    }

    /// A variable of our own, which reports do not show.
    fn temporary(&mut self, ty: Scalar, span: Span) -> LocalId {
        let name = format!("%t{}", self.body.locals.len());
        self.local(&name, ty.into(), span)
    }

    /// The value, evaluated now.
    fn keep(&mut self, value: Expr) -> Expr {
        if let ExprKind::Const(_) = value.kind {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let id = self.temporary(ty, span);
        self.emit(StmtKind::Declare(id, Some(value)), span);
        read_local(id, ty, span)
    }

    /// A label that no one else uses.
    fn fresh_label(&mut self, what: &str) -> String {
        self.body.labels += 1;
        format!("__{what}{}", self.body.labels)
    }

    /// The procedure of a function, to be lowered if it is not yet.
    fn procedure(&mut self, function: usize, used: Span) -> Result<ProcedureId> {
        if let Some(id) = self.functions[function].procedure {
            return Ok(id);
        }
        let Function { name, body, span, .. } = &self.functions[function];
        if body.is_none() {
            let not_modelled = match name.as_str() {
                "longjmp" | "_longjmp" | "siglongjmp" => Some("jumps from one function to another are"),
                "fork" | "vfork" | "clone" | "wait" | "waitpid" | "pipe" | "pipe2" | "popen" | "execl"
                | "execlp" | "execv" | "execvp" | "execve" => Some("several processes are"),
                _ => None,
            };
            if let Some(what) = not_modelled {
                return Err(Diagnostic::new(used, format!("`{name}` is not supported: {what} not modelled")));
            }
            let message = format!("the function `{name}` has no body");
            return Err(Diagnostic::new(used, message)
                .label("called here")
                .help("give the file that defines it, too, with --link, or write a body for it"));
        }
        let id = ProcedureId(self.program.procedures.len());
        let (name, span) = (name.clone(), *span);
        let signature = self.signature(function, used)?;
        self.program.procedures.push(Procedure {
            name,
            kind: ProcedureKind::Function,
            params: signature.len(),
            result: None,
            locals: signature,
            body: Block::default(),
            span,
        });
        let result = self.functions[function].ty.result.clone();
        let scalar = self.types().scalar(&result);
        self.program.procedures[id.0].result = scalar;
        self.functions[function].procedure = Some(id);
        // One that allocates is seldom called without being told what.
        if self.functions[function].allocated.is_none() && self.is_allocator(function) {
            self.allocators.insert(id, function);
            self.unlowered.push(function);
        } else {
            self.waiting.push_back(function);
        }
        Ok(id)
    }
}

//! A tree as `.fp` text, which the front end reads back to the same tree (but for spans).
//!
//! Implicit conversions are not printed: the front end puts them in again. Locals that share a
//! name in different scopes keep it.

use super::comments::{self, Comments};
use super::*;
use crate::FileId;
use crate::layout::Cell;
use std::fmt::{self, Display, Formatter};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let words = Words { program: self, procedure: None };
        Printer { words, out: f, indent: 0, comments: None }.program()
    }
}

/// The text with the user's comments, each before what it belongs to.
pub fn with_comments(program: &Program) -> String {
    struct Commented<'a>(&'a Program);
    impl Display for Commented<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            let words = Words { program: self.0, procedure: None };
            let comments = Some(Comments::new(&self.0.sources));
            Printer { words, out: f, indent: 0, comments }.program()
        }
    }
    Commented(program).to_string()
}

/// Pieces of `.fp` text.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure whose locals are meant.
    pub procedure: Option<&'a Procedure>,
}

struct Printer<'a, 'b, 'c> {
    words: Words<'a>,
    out: &'b mut Formatter<'c>,
    indent: usize,
    /// The user's, if they are to be printed.
    comments: Option<Comments<'a>>,
}

/// Binding strength of an operator; higher binds tighter.
fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::BitOr => 3,
        BinaryOp::BitXor => 4,
        BinaryOp::BitAnd => 5,
        BinaryOp::Eq | BinaryOp::Ne => 6,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
        BinaryOp::Shl | BinaryOp::Shr => 8,
        BinaryOp::Add | BinaryOp::Sub => 9,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
    }
}

const UNARY_STRENGTH: u8 = 11;

impl<'a> Printer<'a, '_, '_> {
    fn line(&mut self, text: &str) -> fmt::Result {
        writeln!(self.out, "{:indent$}{text}", "", indent = self.indent * 4)
    }

    /// What there is to be said of something that is declared.
    fn about(&mut self, what: Declared, span: Span) -> fmt::Result {
        if let Some(note) = self.words.program.spelling.notes.get(&what) {
            note.lines().try_for_each(|line| self.line(&format!("// {line}")))?;
        }
        let comments = self.comments.as_ref().map(|comments| comments.of_declaration(span));
        self.remarks(comments.unwrap_or_default())
    }

    fn remarks(&mut self, comments: Vec<String>) -> fmt::Result {
        let lines = comments.iter().flat_map(|text| comments::indented(text, 0));
        lines.collect::<Vec<_>>().iter().try_for_each(|line| self.line(line))
    }

    /// What there is to be said of the whole program, and an empty line after it.
    fn introduction(&mut self) -> fmt::Result {
        if self.words.program.spelling.notes.contains_key(&Declared::Program) {
            self.about(Declared::Program, Span::NONE)?;
            writeln!(self.out)?;
        }
        let of_file = self.comments.as_ref().map(|comments| comments.of_file(FileId(0)));
        match of_file {
            Some(comments) if !comments.is_empty() => {
                self.remarks(comments)?;
                writeln!(self.out)
            }
            _ => Ok(()),
        }
    }

    fn program(&mut self) -> fmt::Result {
        self.introduction()?;
        let program = self.words.program;
        for record in &program.records.0 {
            let keyword = match record.kind {
                RecordKind::Struct => "struct",
                RecordKind::Union => "union",
            };
            self.line(&format!("{keyword} {} {{", record.name))?;
            for field in &record.fields {
                let dims: String = field.ty.dims().iter().map(|d| format!("[{d}]")).collect();
                let ty = self.words.type_name(&field.ty);
                self.line(&format!("    {ty} {}{dims};", field.name))?;
            }
            self.line("};")?;
        }
        for (i, v) in program.shared.iter().enumerate() {
            self.about(Declared::Shared(SharedId(i)), v.span)?;
            let keyword = if v.ty.leaf() == Some(Scalar::Mutex) { "" } else { "shared " };
            let text = format!("{keyword}{};", self.words.declaration(v));
            self.line(&text)?;
        }
        for (i, v) in program.thread_locals.iter().enumerate() {
            self.about(Declared::ThreadLocal(ThreadLocalId(i)), v.span)?;
            self.line(&format!("local {};", self.words.declaration(v)))?;
        }
        let mut started = vec![false; program.threads.len()];
        let blocks = thread_blocks(program);
        for (i, procedure) in program.procedures.iter().enumerate() {
            self.words.procedure = Some(procedure);
            writeln!(self.out)?;
            self.about(Declared::Procedure(ProcedureId(i)), procedure.span)?;
            let params: Vec<_> = procedure.locals[..procedure.params]
                .iter()
                .map(|p| format!("{} {}", self.words.type_name(&p.ty), p.name))
                .collect();
            let params = params.join(", ");
            let head = match procedure.kind {
                ProcedureKind::Process => match blocks[i] {
                    Some(thread) => {
                        started[thread] = true;
                        format!("thread {} {{", procedure.name)
                    }
                    None => format!("process {}({params}) {{", procedure.name),
                },
                ProcedureKind::Function => {
                    let result = procedure.result.map_or("void".to_string(), |r| r.to_string());
                    format!("{result} {}({params}) {{", procedure.name)
                }
            };
            self.line(&head)?;
            let (own, added) = procedure.body.with_added();
            self.statements(own)?;
            if let Some(comments) = self.comments.as_ref().map(|comments| comments.of_end(procedure.span)) {
                self.indent += 1;
                self.remarks(comments)?;
                self.indent -= 1;
            }
            self.statements(added)?;
            self.line("}")?;
        }
        self.words.procedure = None;
        if started.contains(&false) {
            writeln!(self.out)?;
        }
        for (thread, _) in program.threads.iter().zip(&started).filter(|(_, s)| !**s) {
            let text = self.words.start(thread);
            self.line(&text)?;
        }
        if !program.properties.is_empty() {
            writeln!(self.out)?;
        }
        for property in &program.properties {
            let text = self.words.property(property);
            self.line(&text)?;
        }
        Ok(())
    }

    fn block(&mut self, block: &'a Block) -> fmt::Result {
        self.statements(&block.0)
    }

    fn statements(&mut self, stmts: &'a [Stmt]) -> fmt::Result {
        self.indent += 1;
        for stmt in stmts {
            if let (Some(comments), Some(procedure)) = (&self.comments, self.words.procedure) {
                let comments = comments.of_statement(procedure.span, stmt.span);
                self.remarks(comments)?;
            }
            self.stmt(stmt)?;
        }
        self.indent -= 1;
        Ok(())
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> fmt::Result {
        let text = match &stmt.kind {
            StmtKind::Skip => "skip;".to_string(),
            StmtKind::Label(name) => {
                self.indent -= 1;
                self.line(&format!("  {name}:"))?;
                self.indent += 1;
                return Ok(());
            }
            StmtKind::Declare(id, value) => {
                let Some(procedure) = self.words.procedure else { return Err(fmt::Error) };
                let variable = &procedure.locals[id.0];
                match value {
                    Some(value) => {
                        let ty = self.words.type_name(&variable.ty);
                        format!("{ty} {} = {};", variable.name, self.words.expr(value, 0))
                    }
                    None => format!("{};", self.words.declaration(variable)),
                }
            }
            StmtKind::Assign(place, value) => {
                format!("{} = {};", self.words.place(place), self.words.expr(value, 0))
            }
            StmtKind::Eval(e) => format!("{};", self.words.expr(e, 0)),
            StmtKind::If(cond, then, otherwise) => {
                self.line(&format!("if ({}) {{", self.words.expr(cond, 0)))?;
                self.block(then)?;
                if !otherwise.0.is_empty() {
                    self.line("} else {")?;
                    self.block(otherwise)?;
                }
                "}".to_string()
            }
            StmtKind::While(cond, body) => {
                self.line(&format!("while ({}) {{", self.words.expr(cond, 0)))?;
                self.block(body)?;
                "}".to_string()
            }
            StmtKind::DoWhile(body, cond) => {
                self.line("do {")?;
                self.block(body)?;
                format!("}} while ({});", self.words.expr(cond, 0))
            }
            StmtKind::Break => "break;".to_string(),
            StmtKind::Continue => "continue;".to_string(),
            StmtKind::Goto(label) => format!("goto {label};"),
            StmtKind::Return(None) => "return;".to_string(),
            StmtKind::Return(Some(e)) => format!("return {};", self.words.expr(e, 0)),
            StmtKind::Choose(blocks) => {
                for (i, block) in blocks.iter().enumerate() {
                    self.line(if i == 0 { "choose {" } else { "} or {" })?;
                    self.block(block)?;
                }
                "}".to_string()
            }
            StmtKind::Atomic(drain, body) => {
                self.line(&format!("atomic {}{{", nodrain(*drain)))?;
                self.block(body)?;
                "}".to_string()
            }
            StmtKind::AtomicBegin(drain) => format!("atomic_begin {};", nodrain(*drain)).replace(" ;", ";"),
            StmtKind::AtomicEnd(drain) => format!("atomic_end {};", nodrain(*drain)).replace(" ;", ";"),
            StmtKind::Fence(Fence::Machine(FenceKind::Full)) => "fence;".to_string(),
            StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)) => "fence store_store;".to_string(),
            StmtKind::Fence(Fence::Thread(order)) => format!("fence {order};"),
            StmtKind::Assume(e) => format!("assume({});", self.words.expr(e, 0)),
            StmtKind::Assert(e) => format!("assert({});", self.words.expr(e, 0)),
            StmtKind::Lock(place) => format!("lock({});", self.words.place(place)),
            StmtKind::Unlock(place) => format!("unlock({});", self.words.place(place)),
            StmtKind::Join(None, e) => format!("join({});", self.words.expr(e, 0)),
            StmtKind::Join(Some(place), e) => {
                format!("{} = join({});", self.words.place(place), self.words.expr(e, 0))
            }
            StmtKind::Free(e) => format!("free({});", self.words.expr(e, 0)),
            StmtKind::Enter(id) => {
                format!("enter({});", self.words.place(&Place::variable(VarRef::Local(*id), stmt.span)))
            }
            StmtKind::Leave(id) => {
                format!("leave({});", self.words.place(&Place::variable(VarRef::Local(*id), stmt.span)))
            }
            StmtKind::Exit(None) => "exit;".to_string(),
            StmtKind::Exit(Some(e)) => format!("exit {};", self.words.expr(e, 0)),
            StmtKind::Halt => "halt;".to_string(),
            StmtKind::Block(_, block) => {
                self.line("{")?;
                self.block(block)?;
                "}".to_string()
            }
        };
        self.line(&text)
    }
}

impl Words<'_> {
    /// `start name = process[n](arguments);`.
    pub fn start(&self, thread: &Thread) -> String {
        let procedure = self.program.procedure(thread.procedure);
        let args = if thread.args.is_empty() {
            String::new()
        } else {
            let shown: Vec<_> =
                procedure.locals.iter().zip(&thread.args).map(|(p, a)| show(&p.ty, *a)).collect();
            format!("({})", shown.join(", "))
        };
        let count = match thread.count {
            Count::Times(1) => String::new(),
            Count::Times(n) => format!("[{n}]"),
            Count::Any => "[*]".to_string(),
        };
        let default_name = format!("{}{args}", procedure.name);
        if thread.name == default_name {
            format!("start {}{count}{args};", procedure.name)
        } else {
            format!("start {} = {}{count}{args};", thread.name, procedure.name)
        }
    }

    /// A property.
    pub fn property(&self, property: &Property) -> String {
        match property {
            Property::Forbid(parts, _) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|(who, label)| match who {
                        Who::Any => format!("any at {label}"),
                        Who::Runs(p) => format!("{} at {label}", self.program.procedure(*p).name),
                        Who::Thread(t) => format!("{} at {label}", self.program.threads[t.0].name),
                    })
                    .collect();
                format!("forbid {};", parts.join(" and "))
            }
            Property::AtMost(n, label, _) => format!("at most {n} at {label};"),
            Property::Final(quantifier, condition, _) => {
                let quantifier = match quantifier {
                    Quantifier::Exists => "exists",
                    Quantifier::NotExists => "not exists",
                    Quantifier::Forall => "forall",
                };
                format!("final {quantifier} ({});", self.expr(condition, 0))
            }
        }
    }

    /// A place and what is said of the access to it.
    pub fn place(&self, place: &Place) -> String {
        let plain = self.plain_place(place);
        match place.access.name() {
            None => plain,
            Some(name) if plain.starts_with('*') => format!("({plain})@{name}"),
            Some(name) => format!("{plain}@{name}"),
        }
    }

    fn plain_place(&self, place: &Place) -> String {
        let mut path = &place.path[..];
        let mut ty = match &place.base {
            Base::Variable(variable) => self.program.variable(self.procedure, *variable).map(|v| &v.ty),
            Base::Pointed(_, ty) => Some(ty),
        };
        let mut text = match &place.base {
            Base::Variable(variable) => {
                let found = self.program.variable(self.procedure, *variable);
                let name = found.map_or("?".to_string(), |v| v.name.clone());
                match variable {
                    VarRef::Observed(thread, _) => format!("{}.{name}", self.program.threads[thread.0].name),
                    VarRef::Shared(_) | VarRef::ThreadLocal(_) | VarRef::Local(_) => name,
                }
            }
            Base::Pointed(pointer, Type::Record(id))
                if matches!(path.first(), Some(Projection::Field(_))) =>
            {
                let Some(Projection::Field(i)) = path.first() else { return "?".to_string() };
                path = &path[1..];
                let field = &self.program.records.get(*id).fields[*i];
                ty = Some(&field.ty);
                format!("{}->{}", self.expr(pointer, u8::MAX), field.name)
            }
            Base::Pointed(pointer, _) if path.is_empty() => {
                return format!("*{}", self.expr(pointer, UNARY_STRENGTH));
            }
            Base::Pointed(pointer, _) => format!("(*{})", self.expr(pointer, UNARY_STRENGTH)),
        };
        for step in path {
            match (step, ty) {
                (Projection::Index(index), Some(Type::Array(element, _))) => {
                    text += &format!("[{}]", self.expr(index, 0));
                    ty = Some(element);
                }
                (Projection::Field(i), Some(Type::Record(id))) => {
                    let field = &self.program.records.get(*id).fields[*i];
                    text += &format!(".{}", field.name);
                    ty = Some(&field.ty);
                }
                _ => text += "?",
            }
        }
        text
    }

    /// The type's name without the dimensions, which stand behind the variable.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty.innermost() {
            Type::Record(id) => format!("struct {}", self.program.records.get(*id).name),
            Type::Scalar(scalar) => scalar.to_string(),
            Type::Array(..) => "?".to_string(),
        }
    }

    /// `type name[dims] = init`, without the initialiser where it is the default.
    pub fn declaration(&self, v: &Variable) -> String {
        let dim = |d: &u32| if *d == UNBOUNDED { "[*]".to_string() } else { format!("[{d}]") };
        let dims: String = v.ty.dims().iter().map(dim).collect();
        let head = format!("{} {}{dims}", self.type_name(&v.ty), v.name);
        let layout = self.program.records.layout(&v.ty);
        let is_default = |(c, cell): (&Choices, &Cell)| *c == Choices::one(cell.ty.default_value());
        if v.init.iter().zip(&layout).all(is_default) {
            return head;
        }
        let show = |(c, cell): (&Choices, &Cell)| match c.single() {
            Some(value) => cell.ty.show(value),
            None => any(c, cell.ty),
        };
        let cells: Vec<_> = v.init.iter().zip(&layout).map(show).collect();
        match &cells[..] {
            [one] if matches!(v.ty, Type::Scalar(_)) => format!("{head} = {one}"),
            _ if v.init.iter().all(|c| *c == v.init[0]) => format!("{head} = {}", cells[0]),
            _ => format!("{head} = {{{}}}", cells.join(", ")),
        }
    }

    /// Arguments, without parentheses.
    pub fn args(&self, args: &[Expr]) -> String {
        args.iter().map(|a| self.expr(a, 0)).collect::<Vec<_>>().join(", ")
    }

    /// The expression, in parentheses if it binds less than `outer` asks for.
    pub fn expr(&self, expr: &Expr, outer: u8) -> String {
        let (text, inner) = match &expr.kind {
            ExprKind::Const(value) => {
                let strength = if *value < 0 { UNARY_STRENGTH } else { u8::MAX };
                (expr.ty.show(*value), strength)
            }
            ExprKind::Read(place) => (self.place(place), u8::MAX),
            ExprKind::Unary(op, arg) => {
                let symbol = if *op == UnaryOp::Neg { "-" } else { op.symbol() };
                (format!("{symbol}{}", self.expr(arg, UNARY_STRENGTH + 1)), UNARY_STRENGTH)
            }
            ExprKind::Binary(op, left, right) => {
                let s = strength(*op);
                let connects = matches!(op, BinaryOp::And | BinaryOp::Or);
                // Where a condition stands it is clear what is chosen from.
                let side = |e: &Expr, s| match &e.kind {
                    ExprKind::Any(Choices(all))
                        if connects && e.ty == Scalar::Bool && all[..] == [(0, 1)] =>
                    {
                        "any".to_string()
                    }
                    _ => self.expr(e, s),
                };
                (format!("{} {} {}", side(left, s), op.symbol(), side(right, s + 1)), s)
            }
            ExprKind::Select(c, t, e) => {
                (format!("{} ? {} : {}", self.expr(c, 1), self.expr(t, 1), self.expr(e, 0)), 0)
            }
            ExprKind::Convert(Conversion::Checked, arg) => return self.expr(arg, outer),
            ExprKind::Convert(Conversion::Wrapping, arg) => {
                (format!("({}) {}", expr.ty, self.expr(arg, UNARY_STRENGTH)), UNARY_STRENGTH)
            }
            ExprKind::Any(choices) => (any(choices, expr.ty), u8::MAX),
            ExprKind::Rmw(kind, place, operands) => {
                (format!("{}({}, {})", kind.name(), self.place(place), self.args(operands)), u8::MAX)
            }
            ExprKind::Call(id, args) => {
                (format!("{}({})", self.program.procedure(*id).name, self.args(args)), u8::MAX)
            }
            ExprKind::Own => ("self".to_string(), u8::MAX),
            ExprKind::Spawn(id, args, drain) => (
                format!("spawn {}{}({})", nodrain(*drain), self.program.procedure(*id).name, self.args(args)),
                u8::MAX,
            ),
            ExprKind::AddressOf(place) => (format!("&{}", self.place(place)), UNARY_STRENGTH),
            ExprKind::Reallocate(ty, pointer, bytes) => {
                let (ty, pointer, bytes) = (self.type_name(ty), self.expr(pointer, 0), self.expr(bytes, 0));
                (format!("reallocate({ty}, {pointer}, {bytes})"), u8::MAX)
            }
            ExprKind::Allocate(ty, bytes, fill, _) => {
                let zeroed = if *fill == Fill::Zero { ", 0" } else { "" };
                let (ty, bytes) = (self.type_name(ty), self.expr(bytes, 0));
                (format!("allocate({ty}, {bytes}{zeroed})"), u8::MAX)
            }
        };
        if inner < outer { format!("({text})") } else { text }
    }
}

fn nodrain(drain: Drain) -> &'static str {
    match drain {
        Drain::Yes => "",
        Drain::No => "nodrain ",
    }
}

/// `any(...)`, with the values as the type shows them.
fn any(choices: &Choices, ty: Scalar) -> String {
    let number = |v: i64| ty.meaning(v).to_string();
    let ranges: Vec<_> = choices
        .0
        .iter()
        .map(|&(lo, hi)| if lo == hi { number(lo) } else { format!("{}..{}", number(lo), number(hi)) })
        .collect();
    if choices.0 == [(i64::MIN, i64::MAX)] {
        "any".to_string()
    } else {
        format!("any({})", ranges.join(", "))
    }
}

fn show(ty: &Type, value: i64) -> String {
    ty.leaf().map_or_else(|| value.to_string(), |scalar| scalar.show(value))
}

/// For each procedure the thread that it can be printed together with, as `thread name { ... }`: it is
/// the only one that runs it, and stands where that block would put it.
fn thread_blocks(program: &Program) -> Vec<Option<usize>> {
    let mut threads: Vec<Vec<usize>> = vec![Vec::new(); program.procedures.len()];
    for (i, thread) in program.threads.iter().enumerate() {
        threads[thread.procedure.0].push(i);
    }
    let mut before = 0;
    let mut blocks = Vec::new();
    for (procedure, of_this) in program.procedures.iter().zip(&threads) {
        let fits = |i: usize| {
            let thread = &program.threads[i];
            thread.args.is_empty()
                && thread.count == Count::Times(1)
                && thread.name == procedure.name
                && i == before
        };
        blocks.push(match of_this[..] {
            [i] if fits(i) => Some(i),
            _ => None,
        });
        before += of_this.len();
    }
    blocks
}

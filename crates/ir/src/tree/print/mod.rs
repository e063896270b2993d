//! A tree as `.fp` text, which the front end reads back to the same tree (but for spans).
//!
//! Implicit conversions are not printed: the front end puts them in again. Locals that share a
//! name in different scopes keep it.

mod words;

use crate::checks::Claim;
pub use words::Words;
use words::nodrain;
pub(in crate::tree) use words::strength;

use super::comments::{self, Comments};
use super::*;
use crate::FileId;
use std::collections::BTreeSet;
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

struct Printer<'a, 'b, 'c> {
    words: Words<'a>,
    out: &'b mut Formatter<'c>,
    indent: usize,
    /// The user's, if they are to be printed.
    comments: Option<Comments<'a>>,
}

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
        let blocks = thread_blocks(program);
        let started: BTreeSet<usize> = blocks.iter().flatten().copied().collect();
        for (i, block) in blocks.iter().enumerate() {
            self.procedure(ProcedureId(i), block.is_some())?;
        }
        self.words.procedure = None;
        if started.len() < program.threads.len() {
            writeln!(self.out)?;
        }
        for (_, thread) in program.threads.iter().enumerate().filter(|(i, _)| !started.contains(i)) {
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

    /// A procedure, or a thread with its block.
    fn procedure(&mut self, id: ProcedureId, is_thread: bool) -> fmt::Result {
        let procedure = self.words.program.procedure(id);
        self.words.procedure = Some(procedure);
        writeln!(self.out)?;
        self.about(Declared::Procedure(id), procedure.span)?;
        let params: Vec<_> = procedure.locals[..procedure.params]
            .iter()
            .map(|p| format!("{} {}", self.words.type_name(&p.ty), p.name))
            .collect();
        let params = params.join(", ");
        let head = match procedure.kind {
            ProcedureKind::Process if is_thread => format!("thread {} {{", procedure.name),
            ProcedureKind::Process => format!("process {}({params}) {{", procedure.name),
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
        self.line("}")
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
            StmtKind::If(cond, then, otherwise) => return self.branch(cond, then, otherwise),
            StmtKind::While(cond, body) => {
                return self.braced(&format!("while ({}) {{", self.words.expr(cond, 0)), body, "}");
            }
            StmtKind::DoWhile(body, cond) => {
                return self.braced("do {", body, &format!("}} while ({});", self.words.expr(cond, 0)));
            }
            StmtKind::Choose(blocks) => return self.choose(blocks),
            StmtKind::Atomic(drain, body) => {
                return self.braced(&format!("atomic {}{{", nodrain(*drain)), body, "}");
            }
            StmtKind::Block(_, block) => return self.braced("{", block, "}"),
            StmtKind::Break => "break;".to_string(),
            StmtKind::Continue => "continue;".to_string(),
            StmtKind::Goto(label) => format!("goto {label};"),
            StmtKind::Return(None) => "return;".to_string(),
            StmtKind::Return(Some(e)) => format!("return {};", self.words.expr(e, 0)),
            StmtKind::AtomicBegin(drain) => format!("atomic_begin {};", nodrain(*drain)).replace(" ;", ";"),
            StmtKind::AtomicEnd(drain) => format!("atomic_end {};", nodrain(*drain)).replace(" ;", ";"),
            StmtKind::Fence(Fence::Machine(FenceKind::Full)) => "fence;".to_string(),
            StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)) => "fence store_store;".to_string(),
            StmtKind::Fence(Fence::Thread(order)) => format!("fence {order};"),
            StmtKind::Assume(e) => format!("assume({});", self.words.expr(e, 0)),
            StmtKind::Assert(e, Claim::Assertion) => format!("assert({});", self.words.expr(e, 0)),
            StmtKind::Assert(e, claim) => format!("assert({}); // {}", self.words.expr(e, 0), claim.name()),
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
        };
        self.line(&text)
    }

    fn braced(&mut self, head: &str, block: &'a Block, end: &str) -> fmt::Result {
        self.line(head)?;
        self.block(block)?;
        self.line(end)
    }

    fn branch(&mut self, cond: &Expr, then: &'a Block, otherwise: &'a Block) -> fmt::Result {
        self.line(&format!("if ({}) {{", self.words.expr(cond, 0)))?;
        self.block(then)?;
        if !otherwise.0.is_empty() {
            self.line("} else {")?;
            self.block(otherwise)?;
        }
        self.line("}")
    }

    fn choose(&mut self, blocks: &'a [Block]) -> fmt::Result {
        for (i, block) in blocks.iter().enumerate() {
            self.line(if i == 0 { "choose {" } else { "} or {" })?;
            self.block(block)?;
        }
        self.line("}")
    }
}

/// For each procedure the thread that it can be printed together with, as `thread name { ... }`: it is
/// the only one that runs it, and is where that block would put it.
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

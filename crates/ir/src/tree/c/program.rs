//! A whole program as C text: what is used of it, in the user's order, and before it what that needs.

use super::statements::{Body, Role};
use super::{Context, Need, Style, Unprintable, Words};
use crate::pointer::{self, Target};
use crate::tree::comments::{self, Comments};
use crate::tree::{
    Base, Count, Declared, Expr, ExprKind, Field, Place, Procedure, ProcedureId, ProcedureKind, Program,
    RecordId, Records, SharedId, StmtKind, ThreadLocalId, Type, TypeName, TypeNameId, VarRef, Variable,
};
use crate::{FileId, Scalar, Span};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What there is no C for.
pub fn check(program: &Program) -> Result<(), Unprintable> {
    let refuse = |span: Span, what| Err(Unprintable { span, what });
    match &program.threads[..] {
        [main] if main.count == Count::Times(1) => {}
        [] => return refuse(Span::NONE, "a program without threads"),
        [one] => return refuse(one.span, "any number of threads"),
        [_, more, ..] => return refuse(more.span, "a program that begins with several threads"),
    }
    let variables = program.shared.iter().chain(&program.thread_locals);
    let locals = program.procedures.iter().flat_map(|p| &p.locals);
    for v in variables.chain(locals) {
        let odd = |ty: Scalar| matches!(ty, Scalar::Int(int) if ![8, 16, 32, 64].contains(&int.bits));
        if program.records.layout(&v.ty).iter().any(|cell| odd(cell.ty)) {
            return refuse(v.span, "bit-fields that are no whole integer");
        }
    }
    let mut wrong = None;
    for procedure in &program.procedures {
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Enter(_) | StmtKind::Leave(_) = &stmt.kind {
                wrong = Some((stmt.span, "a variable of a block that is pointed to from outside of it"));
            }
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if matches!(&e.kind, ExprKind::Spawn(_, args, _) if args.len() > 1) {
                        wrong = Some((e.span, "a thread whose function has several parameters"));
                    }
                });
            }
        });
    }
    wrong.map_or(Ok(()), |(span, what)| refuse(span, what))
}

/// What a program uses, beginning with its first thread.
#[derive(Default)]
struct Used {
    procedures: BTreeSet<ProcedureId>,
    shared: BTreeSet<SharedId>,
    thread_locals: BTreeSet<ThreadLocalId>,
    /// Those whose initial values speak of something.
    work: Vec<SharedId>,
}

impl Used {
    fn new(program: &Program) -> Used {
        let mut used = Used::default();
        let mut work: Vec<ProcedureId> = program.threads.iter().map(|t| t.procedure).collect();
        for thread in &program.threads {
            let locals = &program.procedure(thread.procedure).locals;
            for (value, v) in thread.args.iter().zip(locals) {
                v.ty.as_scalar().into_iter().for_each(|ty| used.value(*value, ty, &mut work));
            }
        }
        loop {
            if let Some(id) = work.pop() {
                if used.procedures.insert(id) {
                    program.procedure(id).body.visit(&mut |stmt| {
                        stmt.kind.place().into_iter().for_each(|place| used.place(place));
                        for e in stmt.kind.expressions() {
                            e.visit(&mut |e| used.expr(e, &mut work));
                        }
                    });
                }
            } else if let Some(id) = used.work.pop() {
                let v = &program.shared[id.0];
                for (choices, cell) in v.init.iter().zip(program.records.layout(&v.ty)) {
                    choices.single().into_iter().for_each(|value| used.value(value, cell.ty, &mut work));
                }
            } else {
                return used;
            }
        }
    }

    fn place(&mut self, place: &Place) {
        match place.base {
            Base::Variable(VarRef::Shared(id)) => self.variable(id),
            Base::Variable(VarRef::ThreadLocal(id)) => {
                self.thread_locals.insert(id);
            }
            Base::Variable(VarRef::Local(_) | VarRef::Observed(..)) | Base::Pointed(..) => {}
        }
    }

    fn variable(&mut self, id: SharedId) {
        if self.shared.insert(id) {
            self.work.push(id);
        }
    }

    fn expr(&mut self, e: &Expr, work: &mut Vec<ProcedureId>) {
        match &e.kind {
            ExprKind::Call(id, _) | ExprKind::Spawn(id, ..) => work.push(*id),
            ExprKind::Const(value) => self.value(*value, e.ty, work),
            kind => kind.place().into_iter().for_each(|place| self.place(place)),
        }
    }

    fn value(&mut self, value: i64, ty: Scalar, work: &mut Vec<ProcedureId>) {
        let Scalar::Pointer { .. } = ty else { return };
        match pointer::target(value) {
            Target::Object(object, _) => self.variable(SharedId(object as usize)),
            Target::Procedure(id) => work.push(ProcedureId(id as usize)),
            Target::Null => {}
        }
    }
}

struct Text<'a> {
    words: Words<'a>,
    comments: Comments<'a>,
    used: Used,
}

/// The text of a program whose names are those of C.
pub fn text(program: &Program, style: &Style) -> Result<String, Unprintable> {
    // A thread's function has one type.
    let mut program = program.clone();
    let roles: Vec<Role> = roles(&program);
    for (procedure, role) in program.procedures.iter_mut().zip(&roles) {
        if *role == Role::Thread {
            procedure.spelled = None;
            procedure.locals[..procedure.params].iter_mut().for_each(|v| v.spelled = None);
        }
    }
    let context = Context::new(&program, style);
    let words = Words { program: &program, procedure: None, context: &context };
    let (comments, used) = (Comments::new(&program.sources), Used::new(&program));
    let text = Text { words, comments, used };
    let introduction = text.introduction();
    let mut order: Vec<ProcedureId> =
        text.used.procedures.iter().copied().filter(|id| id.0 < roles.len()).collect();
    // As the user has them; the tree has them as they are first used.
    order.sort_by_key(|id| position(program.procedure(*id).span));
    let mut rest = text.prototypes(&order, &roles);
    rest += &text.variables();
    let procedures: String = order.iter().map(|id| text.procedure(*id, roles[id.0])).collect();
    rest += &words.mutex_functions();
    rest += &procedures;
    let records = text.records();
    let (headers, types) = text.types();
    let externs = words.externs();
    let definitions = text.definitions();
    Ok([
        introduction,
        words.headers(),
        headers,
        "\n".into(),
        externs,
        definitions,
        words.mutex_type(),
        types,
        records,
        rest,
    ]
    .concat())
}

fn position(span: Span) -> (FileId, u32, u32) {
    (span.file, span.line, span.column)
}

fn roles(program: &Program) -> Vec<Role> {
    let mut roles: Vec<Role> = program
        .procedures
        .iter()
        .map(|p| if p.kind == ProcedureKind::Process { Role::Thread } else { Role::Called })
        .collect();
    for procedure in &program.procedures {
        procedure.body.visit(&mut |stmt| {
            for e in stmt.kind.expressions() {
                e.visit(&mut |e| {
                    if let ExprKind::Spawn(id, ..) = &e.kind {
                        roles[id.0] = Role::Thread;
                    }
                });
            }
        });
    }
    program.threads.iter().for_each(|t| roles[t.procedure.0] = Role::Main);
    roles
}

impl Text<'_> {
    /// What there is to be said of something that is declared, on lines of its own.
    fn about(&self, what: Declared, span: Span) -> String {
        let note = self.words.program.spelling.notes.get(&what);
        let note = note.map_or(String::new(), |note| format!("/* {} */\n", note.replace('\n', "\n   ")));
        note + &lines_of(&self.comments.of_declaration(span))
    }

    fn introduction(&self) -> String {
        let mut out = String::new();
        if let Some(note) = self.words.program.spelling.notes.get(&Declared::Program) {
            let _ = write!(out, "/* {} */\n\n", note.replace('\n', "\n   "));
        }
        let of_file = lines_of(&self.comments.of_file(FileId(0)));
        if of_file.is_empty() { out } else { format!("{out}{of_file}\n") }
    }

    /// Declarations of procedures that are spoken of before they are defined.
    fn prototypes(&self, order: &[ProcedureId], roles: &[Role]) -> String {
        let program = self.words.program;
        let mut spoken = Vec::new();
        let mut ignored = Used::default();
        for id in &self.used.shared {
            let Some(v) = program.shared.get(id.0) else { continue };
            for (choices, cell) in v.init.iter().zip(program.records.layout(&v.ty)) {
                choices.single().into_iter().for_each(|value| ignored.value(value, cell.ty, &mut spoken));
            }
        }
        let mut before: BTreeSet<ProcedureId> = spoken.into_iter().collect();
        let mut out = String::new();
        for id in order {
            let procedure = program.procedure(*id);
            let mut spoken = Vec::new();
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| ignored.expr(e, &mut spoken));
                }
            });
            if before.contains(id) && roles[id.0] != Role::Main {
                let _ = writeln!(out, "{};", self.head(procedure, roles[id.0]));
            }
            before.extend(spoken.into_iter().filter(|other| other != id));
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }

    fn variables(&self) -> String {
        let (words, program) = (self.words, self.words.program);
        let mut shared: Vec<(SharedId, &Variable)> =
            self.used.shared.iter().filter_map(|id| Some((*id, program.shared.get(id.0)?))).collect();
        // What passes have added is after it.
        shared.sort_by_key(|(_, v)| (!v.span.is_some(), position(v.span)));
        let mut out = String::new();
        // What an initialiser speaks of is before it.
        let mut named = Used::default();
        for (_, v) in &shared {
            for (choices, cell) in v.init.iter().zip(program.records.layout(&v.ty)) {
                choices.single().into_iter().for_each(|value| named.value(value, cell.ty, &mut Vec::new()));
            }
        }
        for (_, v) in shared.iter().filter(|(id, _)| named.shared.contains(id)) {
            let _ = writeln!(out, "static {};", words.variable(v));
        }
        for (id, v) in &shared {
            let _ = writeln!(
                out,
                "{}static {};",
                self.about(Declared::Shared(*id), v.span),
                words.declaration(v)
            );
        }
        for id in &self.used.thread_locals {
            let v = &program.thread_locals[id.0];
            let (local, about) = (words.thread_local(), self.about(Declared::ThreadLocal(*id), v.span));
            let _ = writeln!(out, "{about}{local} {};", words.declaration(v));
        }
        out
    }

    fn head(&self, procedure: &Procedure, role: Role) -> String {
        let words = Words { procedure: Some(procedure), ..self.words };
        let params: Vec<_> = procedure.locals[..procedure.params].iter().map(|p| words.variable(p)).collect();
        let name = &procedure.name;
        match role {
            Role::Main => "int main(void)".to_string(),
            Role::Thread if params.is_empty() => {
                format!("static void *{name}(void *{}unused)", words.context.style.prefix)
            }
            Role::Thread => format!("static void *{name}({})", params.join(", ")),
            Role::Called => {
                let result = words.result(procedure).unwrap_or_else(|| "void".to_string());
                let space = if result.ends_with('*') { "" } else { " " };
                let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
                format!("static {result}{space}{name}({params})")
            }
        }
    }

    fn procedure(&self, id: ProcedureId, role: Role) -> String {
        let procedure = self.words.program.procedure(id);
        let words = Words { procedure: Some(procedure), ..self.words };
        let about = self.about(Declared::Procedure(id), procedure.span);
        let arguments = match role {
            Role::Main => {
                let threads = &self.words.program.threads;
                let args = threads.iter().find(|t| t.procedure == id).map_or(&[][..], |t| &t.args);
                Body::arguments(words, procedure, args)
            }
            Role::Thread | Role::Called => String::new(),
        };
        let body = Body::text(words, procedure, role, &self.comments);
        format!("\n{about}{}\n{{\n{arguments}{body}}}\n", self.head(procedure, role))
    }

    fn definitions(&self) -> String {
        let mut out = String::new();
        for need in self.words.context.needs.borrow().iter() {
            if let Need::Macro(name) = need
                && let Some(found) = self.words.program.spelling.macros.get(name)
            {
                let _ = writeln!(out, "#define {name} {}", found.text);
            }
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }

    /// The headers that the names of types need, and these names.
    fn types(&self) -> (String, String) {
        let (words, names) = (self.words, &self.words.program.spelling.names);
        // A name needs those that it is made of, which are before it.
        for (i, name) in names.iter().enumerate().rev() {
            if let TypeName::Typedef { means, .. } = name
                && words.context.needs(&Need::Name(TypeNameId(i)))
            {
                words.spelled(means);
            }
        }
        let mut headers = BTreeSet::new();
        let mut out = String::new();
        for (i, name) in names.iter().enumerate() {
            if !words.context.needs(&Need::Name(TypeNameId(i))) {
                continue;
            }
            match name {
                TypeName::Typedef { header: Some(header), .. } => {
                    headers.insert(format!("#include <{header}>\n"));
                }
                TypeName::Typedef { name, means, .. } => {
                    if let Some(means) = words.spelled(means) {
                        let space = if means.ends_with('*') { "" } else { " " };
                        let _ = writeln!(out, "typedef {means}{space}{name};");
                        if !matches!(names.get(i + 1), Some(TypeName::Typedef { .. })) {
                            out.push('\n');
                        }
                    }
                }
                TypeName::Enumeration { tag, constants, span } if !constants.is_empty() => {
                    out += &lines_of(&self.comments.of_declaration(*span));
                    out += &enumeration(tag.as_deref(), constants);
                }
                TypeName::Enumeration { .. } => {}
            }
        }
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        (headers.into_iter().collect(), out)
    }

    /// The structs that variables and pointers need, members before what has them.
    fn records(&self) -> String {
        let (words, program) = (self.words, self.words.program);
        let mut order = Vec::new();
        let of_place = |place: &Place, order: &mut Vec<u32>| {
            if let Base::Pointed(_, ty) = &place.base {
                need(program, ty, order);
            }
        };
        program.shared.iter().chain(&program.thread_locals).for_each(|v| need(program, &v.ty, &mut order));
        for procedure in self.used.procedures.iter().filter_map(|id| program.procedures.get(id.0)) {
            procedure.locals.iter().for_each(|v| need(program, &v.ty, &mut order));
            procedure.body.visit(&mut |stmt| {
                stmt.kind.place().into_iter().for_each(|place| of_place(place, &mut order));
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        e.kind.place().into_iter().for_each(|place| of_place(place, &mut order));
                        if let ExprKind::Allocate(ty, ..) = &e.kind {
                            need(program, ty, &mut order);
                        }
                    });
                }
            });
        }
        let mut out = String::new();
        for id in order {
            let record = &program.records.0[id as usize];
            let _ = writeln!(out, "{} {{", words.type_name(&Type::Record(RecordId(id))));
            for field in &record.fields {
                let _ = writeln!(out, "    {};", words.member(RecordId(id), &field.ty, &field.name));
            }
            let packed = natural_alignment(&program.records, &Type::Record(RecordId(id))) == 1
                && record.fields.iter().any(|f| natural_alignment(&program.records, &f.ty) > 1);
            out.push_str(if packed { "} __attribute__((packed));\n\n" } else { "};\n\n" });
        }
        out
    }
}

/// Puts a type's record after those that it has in it.
fn need(program: &Program, ty: &Type, order: &mut Vec<u32>) {
    if let Type::Record(id) = ty.innermost()
        && !order.contains(&id.0)
    {
        program.records.get(*id).fields.iter().for_each(|f| need(program, &f.ty, order));
        order.push(id.0);
    }
}

/// Comments on lines of their own.
fn lines_of(comments: &[String]) -> String {
    let lines = comments.iter().flat_map(|text| comments::indented(text, 0));
    lines.map(|line| line + "\n").collect()
}

/// The alignment that a type has by itself: a record with members where they would not be without being told is packed.
fn natural_alignment(records: &Records, ty: &Type) -> u64 {
    match ty.innermost() {
        Type::Record(id) => {
            let record = records.get(*id);
            let of = |f: &Field| natural_alignment(records, &f.ty);
            let largest = record.fields.iter().map(of).max().unwrap_or(1);
            let fits = record.fields.iter().all(|f| f.offset.is_multiple_of(of(f)))
                && record.size.is_multiple_of(largest);
            if fits { largest } else { 1 }
        }
        Type::Scalar(Scalar::Mutex) => 8,
        ty => records.size(ty).max(1),
    }
}

/// An enumeration; values are written where they are not what they would be anyway.
fn enumeration(tag: Option<&str>, constants: &[(String, i64)]) -> String {
    let mut next = 0;
    let mut parts = Vec::new();
    for (name, value) in constants {
        parts.push(if *value == next { name.clone() } else { format!("{name} = {value}") });
        next = value.wrapping_add(1);
    }
    let tag = tag.map_or(String::new(), |tag| format!("{tag} "));
    let line = format!("enum {tag}{{ {} }};\n\n", parts.join(", "));
    if line.len() <= 100 {
        return line;
    }
    let parts: String = parts.iter().map(|part| format!("    {part},\n")).collect();
    format!("enum {tag}{{\n{parts}}};\n\n")
}

//! A procedure's body as lines of C.

use super::scopes;
use super::{Form, Need, Words};
use crate::tree::comments::{self, Comments};
use crate::tree::forms;
use crate::tree::{
    Base, Block, Expr, ExprKind, Fence, FenceKind, LocalId, Place, Procedure, ProcedureId, Spelled, Stmt,
    StmtKind, Type,
};
use crate::{Order, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// A loop around a statement, or a switch in a loop.
#[derive(Clone, Default)]
pub struct Loop {
    /// The label that `continue` leads to.
    pub next: Option<String>,
    /// For a switch the label after it, which `break` leads to.
    pub leave: Option<String>,
}

/// What becomes of a value that is returned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It goes to who has called.
    Called,
    /// It is the result of a thread, a `void *`.
    Thread,
    /// The program ends.
    Main,
}

/// The lines of a body.
pub struct Body<'a> {
    pub words: Words<'a>,
    pub procedure: &'a Procedure,
    role: Role,
    comments: &'a Comments<'a>,
    pub lines: Vec<String>,
    pub indent: usize,
    /// The loops and switches around.
    pub loops: Vec<Loop>,
    /// Labels that are cases of the switches around, with what stands for them.
    pub cases: BTreeMap<String, String>,
    /// How many jumps lead to each label.
    pub jumps: BTreeMap<&'a str, usize>,
    /// Labels that jumps were written to.
    pub jumped: BTreeSet<&'a str>,
    /// Variables that are declared at the beginning, since they are used outside of the block that declares them, or
    /// declared nowhere or twice.
    pub early: BTreeSet<LocalId>,
    /// Variables that get values and are not used, which compilers warn about.
    pub unread: BTreeSet<LocalId>,
}

impl<'a> Body<'a> {
    /// The lines of a procedure.
    pub fn text(
        words: Words<'a>,
        procedure: &'a Procedure,
        role: Role,
        comments: &'a Comments<'a>,
    ) -> String {
        let mut jumps = BTreeMap::new();
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Goto(label) = &stmt.kind {
                *jumps.entry(&label[..]).or_insert(0) += 1;
            }
        });
        let (early, unread) = (scopes::early(procedure), scopes::unread(procedure));
        let (lines, loops, cases) = (Vec::new(), Vec::new(), BTreeMap::new());
        let jumped = BTreeSet::new();
        let indent = 1;
        let mut body = Body {
            words,
            procedure,
            role,
            comments,
            lines,
            indent,
            loops,
            cases,
            jumps,
            jumped,
            early,
            unread,
        };
        for id in body.early.clone() {
            body.line(format!("{};", words.declaration(&procedure.locals[id.0])));
            body.hush(id);
        }
        let (own, added) = procedure.body.with_added();
        body.statements(own);
        body.add_comments(comments.of_end(procedure.span));
        body.statements(added);
        let ends =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Halt | StmtKind::Exit(_));
        let ended = procedure.body.0.last().is_some_and(ends);
        if !ended && (role != Role::Called || procedure.result.is_some()) {
            body.line("return 0;");
        }
        body.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Parameters of `main`, with their values.
    pub fn arguments(words: Words<'a>, procedure: &'a Procedure, args: &[i64]) -> String {
        let mut out = String::new();
        for (v, value) in procedure.locals.iter().zip(args) {
            let Some(ty) = v.ty.as_scalar() else { continue };
            let value = words.expr(&Expr::constant(*value, ty, v.span), 0);
            out += &format!("    {} = {value};\n    (void){};\n", words.variable(v), v.name);
        }
        out
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{:1$}{2}", "", self.indent * 4, text.as_ref()));
    }

    pub fn label(&mut self, name: &str) {
        self.lines.push(format!("{:1$}{name}:;", "", self.indent * 4 - 2));
    }

    fn add_comments(&mut self, comments: Vec<String>) {
        let indent = self.indent * 4;
        self.lines.extend(comments.iter().flat_map(|text| comments::indented(text, indent)));
    }

    /// Lets compilers say nothing about a variable that was declared.
    pub fn hush(&mut self, id: LocalId) {
        if self.unread.contains(&id) {
            self.line(format!("(void){};", self.procedure.locals[id.0].name));
        }
    }

    pub fn statements(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            let comments = self.comments.of_statement(self.procedure.span, stmt.span);
            self.add_comments(comments);
            self.stmt(stmt);
        }
    }

    pub fn inner(&mut self, stmts: &'a [Stmt]) {
        self.indent += 1;
        let before = self.lines.len();
        self.statements(stmts);
        if self.lines.len() == before {
            self.line(";");
        }
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        let words = self.words;
        match &stmt.kind {
            StmtKind::Skip => self.line(";"),
            StmtKind::Label(name) => self.named_place(name),
            StmtKind::Declare(id, value) => self.declare(*id, value.as_ref()),
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Eval(e) => match &e.kind {
                ExprKind::Spawn(id, args, _) => self.create_unnamed(*id, args),
                _ => self.line(format!("{};", words.expr(e, 0))),
            },
            StmtKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            StmtKind::While(condition, body) => {
                self.line(format!("while ({}) {{", words.expr(condition, 0)));
                self.loops.push(Loop::default());
                self.inner(&body.0);
                self.loops.pop();
                self.line("}");
            }
            StmtKind::DoWhile(body, condition) => self.do_while(body, condition),
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Return(value) => self.returned(value.as_ref()),
            StmtKind::Choose(blocks) => self.choose(blocks),
            StmtKind::Atomic(_, body) => {
                self.line(words.atomic_begin());
                self.line("{");
                self.inner(&body.0);
                self.line("}");
                self.line(words.atomic_end());
            }
            StmtKind::AtomicBegin(_) => self.line(words.atomic_begin()),
            StmtKind::AtomicEnd(_) => self.line(words.atomic_end()),
            StmtKind::Fence(Fence::Machine(FenceKind::Full) | Fence::Thread(Order::SeqCst)) => {
                self.line("__sync_synchronize();");
            }
            // Under SC it is nothing.
            StmtKind::Fence(Fence::Machine(FenceKind::StoreStore) | Fence::Thread(_)) => self.line(";"),
            StmtKind::Assume(e) => self.line(words.assume(&words.expr(e, 0))),
            StmtKind::Assert(e, _) => self.line(words.assertion(&words.expr(e, 0))),
            StmtKind::Lock(place) => self.mutex("lock", Need::Lock, place),
            StmtKind::Unlock(place) => self.mutex("unlock", Need::Unlock, place),
            StmtKind::Join(None, handle) => {
                self.line(format!("pthread_join({}, 0);", words.expr(handle, 0)));
            }
            StmtKind::Join(Some(place), handle) => self.join(place, handle),
            StmtKind::Free(pointer) => {
                words.context.need(Need::Memory);
                self.line(format!("free({});", words.expr(pointer, 0)));
            }
            StmtKind::Exit(value) => {
                let value = value.as_ref().map_or("0".to_string(), |value| words.thread_result(value));
                self.line(format!("pthread_exit({value});"));
            }
            StmtKind::Halt => {
                words.context.need(Need::Exit);
                self.line("exit(0);");
            }
            StmtKind::Block(form, block) => self.formed(*form, block),
            StmtKind::Enter(_) | StmtKind::Leave(_) => panic!("what has a block's life has been refused"),
        }
    }

    fn goto(&mut self, label: &'a str) {
        let around = self.loops.last();
        let leads = |to: &Option<String>| to.as_deref() == Some(label);
        let text = if around.is_some_and(|l| leads(&l.next)) {
            "continue;".to_string()
        } else if around.is_some_and(|l| leads(&l.leave)) {
            "break;".to_string()
        } else {
            self.jumped.insert(label);
            format!("goto {label};")
        };
        self.line(text);
    }

    fn do_while(&mut self, body: &'a Block, condition: &Expr) {
        // A label at the end is what `continue` leads to.
        let (next, inner) = match body.0.split_last() {
            Some((Stmt { kind: StmtKind::Label(label), .. }, inner))
                if !forms::continues(&body.0) && self.is_only_continued(label, body) =>
            {
                (Some(label.clone()), inner)
            }
            _ => (None, &body.0[..]),
        };
        self.line("do {");
        self.loops.push(Loop { next, leave: None });
        self.inner(inner);
        self.loops.pop();
        self.line(format!("}} while ({});", self.words.expr(condition, 0)));
    }

    fn formed(&mut self, form: Form, block: &'a Block) {
        match form {
            Form::For { step } => {
                if let Some(f) = forms::for_loop(step, block).filter(|f| self.is_for(f)) {
                    return self.for_loop(&f);
                }
            }
            Form::Switch => {
                if let Some(s) = forms::switch(block) {
                    return self.switch(&s);
                }
            }
            Form::Braces => {}
        }
        self.line("{");
        self.inner(&block.0);
        self.line("}");
    }

    fn branch(&mut self, condition: &Expr, then: &'a Block, otherwise: &'a Block) {
        let words = self.words;
        if then.0.is_empty() && !otherwise.0.is_empty() {
            self.line(format!("if ({}) {{", words.negated(condition)));
            self.inner(&otherwise.0);
        } else {
            self.line(format!("if ({}) {{", words.expr(condition, 0)));
            self.inner(&then.0);
            if !otherwise.0.is_empty() {
                self.line("} else {");
                self.inner(&otherwise.0);
            }
        }
        self.line("}");
    }

    /// Starts a thread.
    pub fn create(&mut self, handle: &str, procedure: ProcedureId, args: &[Expr]) {
        let name = &self.words.program.procedure(procedure).name;
        let arg = args.first().map_or("0".to_string(), |arg| self.words.expr(arg, 0));
        self.line(format!("pthread_create(&{handle}, 0, {name}, {arg});"));
    }

    /// Spawns a thread that is never named.
    fn create_unnamed(&mut self, procedure: ProcedureId, args: &[Expr]) {
        let handle = format!("{}handle", self.words.context.style.prefix);
        self.line("{");
        self.line(format!("    pthread_t {handle};"));
        self.indent += 1;
        self.create(&handle, procedure, args);
        self.indent -= 1;
        self.line("}");
    }

    /// Waits for a thread, whose result is a `void *`.
    fn join(&mut self, place: &Place, handle: &Expr) {
        let words = self.words;
        let name = format!("{}result", words.context.style.prefix);
        let handle = words.expr(handle, 0);
        let ty = words.program.place_type(words.procedure, place).and_then(Type::as_scalar);
        let cast = match ty {
            Some(Scalar::Pointer { .. }) if words.is_void_pointer(place) => {
                return self.line(format!("pthread_join({handle}, &{});", words.place(place)));
            }
            None | Some(Scalar::Pointer { .. }) => String::new(),
            Some(ty) => format!("({})(long)", words.scalar(ty)),
        };
        self.line("{");
        self.line(format!("    void *{name};"));
        self.line(format!("    pthread_join({handle}, &{name});"));
        self.line(format!("    {} = {cast}{name};", words.place(place)));
        self.line("}");
    }

    fn returned(&mut self, value: Option<&Expr>) {
        let text = match (value, self.role) {
            (None, Role::Called) => "return;".to_string(),
            (None, Role::Thread | Role::Main) => "return 0;".to_string(),
            (Some(value), Role::Thread) => format!("return {};", self.words.thread_result(value)),
            (Some(value), Role::Called | Role::Main) => {
                let target = self.words.program.spelled_result(self.procedure);
                format!("return {};", self.words.converted(value, target))
            }
        };
        self.line(text);
    }

    fn choose(&mut self, blocks: &'a [Block]) {
        let any = format!("{}()", self.words.nondet(Scalar::Bool));
        for (i, block) in blocks.iter().enumerate() {
            self.line(match i {
                0 => format!("if ({any}) {{"),
                i if i + 1 < blocks.len() => format!("}} else if ({any}) {{"),
                _ => "} else {".to_string(),
            });
            self.inner(&block.0);
        }
        self.line("}");
    }

    fn named_place(&mut self, name: &str) {
        if let Some(case) = self.cases.get(name).cloned() {
            self.indent -= 1;
            self.line(case);
            self.indent += 1;
        } else if self.jumps.contains_key(name) {
            self.label(name);
        }
    }

    fn mutex(&mut self, what: &str, need: Need, place: &Place) {
        self.words.context.need(need);
        self.words.context.need(Need::Mutex);
        let prefix = &self.words.context.style.prefix;
        let at = match (&place.base, place.path.is_empty()) {
            (Base::Pointed(pointer, _), true) => match self.words.pointer_type(pointer) {
                Some(_) => format!("(void *){}", self.words.address(place)),
                None => self.words.address(place),
            },
            _ => format!("&{}", self.words.place(place)),
        };
        self.line(format!("{prefix}{what}({at});"));
    }
}

impl Words<'_> {
    /// The negation of a condition.
    fn negated(&self, condition: &Expr) -> String {
        let kind = ExprKind::Unary(crate::tree::UnaryOp::Not, Box::new(condition.clone()));
        self.expr(&Expr { kind, ty: Scalar::Bool, span: condition.span }, 0)
    }

    /// Whether the text of a place that holds a pointer has the type `void *`.
    fn is_void_pointer(&self, place: &Place) -> bool {
        let spelling = &self.program.spelling;
        self.spelled_place(place).is_none_or(|spelled| match spelling.meaning(spelled) {
            Spelled::Pointer(inner) => matches!(spelling.meaning(inner), Spelled::Words(_, None)),
            _ => false,
        })
    }

    /// A value as the result of a thread.
    fn thread_result(&self, value: &Expr) -> String {
        match value.ty {
            Scalar::Pointer { .. } => self.expr(value, 0),
            _ => format!("(void *)(long){}", self.expr(value, u8::MAX)),
        }
    }
}

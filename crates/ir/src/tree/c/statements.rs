//! A procedure's body as lines of C.

use super::scopes::{self, mentions};
use super::{Form, Need, Words};
use crate::tree::comments::{self, Comments};
use crate::tree::forms::{self, For, Switch};
use crate::tree::{
    Base, BinaryOp, Block, Conversion, Expr, ExprKind, Fence, FenceKind, Fill, LocalId, Place, Procedure,
    Spelled, Stmt, StmtKind, Type, VarRef,
};
use crate::{Order, Scalar, Step};
use std::collections::{BTreeMap, BTreeSet};

/// A loop around a statement, or a switch in a loop.
#[derive(Clone, Default)]
struct Loop {
    /// The label that `continue` leads to.
    next: Option<String>,
    /// For a switch the label after it, which `break` leads to.
    leave: Option<String>,
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
    words: Words<'a>,
    procedure: &'a Procedure,
    role: Role,
    comments: &'a Comments<'a>,
    lines: Vec<String>,
    indent: usize,
    /// The loops and switches around.
    loops: Vec<Loop>,
    /// Labels that are cases of the switches around, with what stands for them.
    cases: BTreeMap<String, String>,
    /// How many jumps lead to each label.
    jumps: BTreeMap<&'a str, usize>,
    /// Labels that jumps were written to.
    jumped: BTreeSet<&'a str>,
    /// Variables that are declared at the beginning, since they are used outside of the block that declares them, or
    /// declared nowhere or twice.
    early: BTreeSet<LocalId>,
    /// Variables that get values and are not used, which compilers warn about.
    unread: BTreeSet<LocalId>,
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
        body.statements(&procedure.body.0);
        body.add_comments(comments.of_end(procedure.span));
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

    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{:1$}{2}", "", self.indent * 4, text.as_ref()));
    }

    fn label(&mut self, name: &str) {
        self.lines.push(format!("{:1$}{name}:;", "", self.indent * 4 - 2));
    }

    fn add_comments(&mut self, comments: Vec<String>) {
        let indent = self.indent * 4;
        self.lines.extend(comments.iter().flat_map(|text| comments::indented(text, indent)));
    }

    /// Lets compilers say nothing about a variable that was declared.
    fn hush(&mut self, id: LocalId) {
        if self.unread.contains(&id) {
            self.line(format!("(void){};", self.procedure.locals[id.0].name));
        }
    }

    fn statements(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            let comments = self.comments.of_statement(self.procedure.span, stmt.span);
            self.add_comments(comments);
            self.stmt(stmt);
        }
    }

    fn inner(&mut self, stmts: &'a [Stmt]) {
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
            StmtKind::Eval(Expr { kind: ExprKind::Spawn(..), .. }) => {
                let handle = format!("{}handle", words.context.style.prefix);
                self.line("{");
                self.line(format!("    pthread_t {handle};"));
                self.indent += 1;
                self.create(&handle, stmt);
                self.indent -= 1;
                self.line("}");
            }
            StmtKind::Eval(e) => self.line(format!("{};", words.expr(e, 0))),
            StmtKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            StmtKind::While(condition, body) => {
                self.line(format!("while ({}) {{", words.expr(condition, 0)));
                self.loops.push(Loop::default());
                self.inner(&body.0);
                self.loops.pop();
                self.line("}");
            }
            StmtKind::DoWhile(body, condition) => {
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
                self.line(format!("}} while ({});", words.expr(condition, 0)));
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Goto(label) => {
                let around = self.loops.last();
                let text = if around.is_some_and(|l| l.next.as_ref() == Some(label)) {
                    "continue;".to_string()
                } else if around.is_some_and(|l| l.leave.as_ref() == Some(label)) {
                    "break;".to_string()
                } else {
                    self.jumped.insert(label);
                    format!("goto {label};")
                };
                self.line(text);
            }
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
            StmtKind::Assert(e) => self.line(words.assertion(&words.expr(e, 0))),
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

    fn declare(&mut self, id: LocalId, value: Option<&'a Expr>) {
        let (words, v) = (self.words, &self.procedure.locals[id.0]);
        let place = Place::variable(VarRef::Local(id), v.span);
        // In C a variable without a value holds anything; where the user asks for a value, a function is called.
        let free = |e: &Expr| {
            matches!(e.kind, ExprKind::Any(_)) && (e.span == v.span || matches!(e.ty, Scalar::Pointer { .. }))
        };
        let zero = |e: &Expr| {
            // Functions of a library may look at a pointer first, which compilers warn about.
            free(e)
                && matches!(e.ty, Scalar::Pointer { .. })
                && !scopes::is_set_first(&self.procedure.body, id)
        };
        let text = match value {
            Some(e) if zero(e) => Some("0".to_string()),
            Some(e) if free(e) => None,
            Some(e) if is_action(e) => {
                if !self.early.contains(&id) {
                    self.declared(id, format!("{};", words.variable(v)));
                }
                return self.assign(&place, e);
            }
            Some(e) => Some(words.converted_to(e, &place)),
            None => None,
        };
        match (text, self.early.contains(&id)) {
            (Some(text), true) => self.line(format!("{} = {text};", v.name)),
            (None, true) => {}
            (Some(text), false) => self.declared(id, format!("{} = {text};", words.variable(v))),
            (None, false) => self.declared(id, format!("{};", words.declaration(v))),
        }
    }

    fn declared(&mut self, id: LocalId, text: String) {
        // Before C23 no declaration stands after a label.
        if let Some(label) = self.lines.last_mut().filter(|last| last.ends_with(':')) {
            label.push(';');
        }
        self.line(text);
        self.hush(id);
    }

    fn assign(&mut self, place: &Place, value: &Expr) {
        let words = self.words;
        let target = words.place(place);
        match &value.kind {
            ExprKind::Spawn(..) => {
                let span = value.span;
                self.create(&target, &Stmt { kind: StmtKind::Eval(value.clone()), span });
            }
            ExprKind::Allocate(ty, bytes, fill, _) => {
                words.context.need(Need::Memory);
                self.line(format!("{target} = {};", words.allocation(ty, bytes, *fill)));
                if *fill == Fill::Undefined {
                    let read = Expr { kind: ExprKind::Read(place.clone()), ty: value.ty, span: value.span };
                    for mutex in words.mutexes(&read, ty) {
                        self.line(format!("{mutex}.taken = 0;"));
                    }
                }
            }
            _ => self.line(format!("{target} = {};", words.converted_to(value, place))),
        }
    }

    /// Starts a thread.
    fn create(&mut self, handle: &str, spawn: &Stmt) {
        let StmtKind::Eval(Expr { kind: ExprKind::Spawn(id, args, _), .. }) = &spawn.kind else {
            panic!("only threads are started")
        };
        let name = &self.words.program.procedure(*id).name;
        let arg = args.first().map_or("0".to_string(), |arg| self.words.expr(arg, 0));
        self.line(format!("pthread_create(&{handle}, 0, {name}, {arg});"));
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

    /// Whether all jumps to a label are written as `continue` in the loop that has this body.
    fn is_only_continued(&self, label: &str, body: &Block) -> bool {
        let mut inside = 0;
        body.visit(&mut |stmt| {
            inside += usize::from(matches!(&stmt.kind, StmtKind::Goto(l) if l == label));
        });
        inside == self.jumps.get(label).copied().unwrap_or(0) && forms::jumps_are_direct(body, label)
    }

    /// Whether what stands in the head of a `for` can be written there.
    fn is_for(&self, f: &For<'_>) -> bool {
        let set = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(place, value) => self.is_local(place) && is_plain(value),
            StmtKind::Declare(id, Some(value)) => {
                !self.unread.contains(id)
                    && self.procedure.locals[id.0].ty.as_scalar().is_some()
                    && is_plain(value)
            }
            _ => false,
        };
        let steps = f.step.iter().all(|stmt| matches!(stmt.kind, StmtKind::Assign(..)) && set(stmt));
        steps
            && f.init.last().is_none_or(set)
            && f.next.is_none_or(|next| self.is_only_continued(next, f.whole))
    }

    fn is_local(&self, place: &Place) -> bool {
        matches!(place.base, Base::Variable(VarRef::Local(_))) && place.path.is_empty()
    }

    fn for_loop(&mut self, f: &For<'a>) {
        let words = self.words;
        // Only one statement has room in the head.
        let (init, before) = match f.init.split_last() {
            Some((init, before)) => (Some(init), before),
            None => (None, f.init),
        };
        if !before.is_empty() {
            self.line("{");
            self.indent += 1;
            self.statements(before);
        }
        let init = match init.map(|stmt| &stmt.kind) {
            Some(StmtKind::Declare(id, Some(value))) => {
                let v = &self.procedure.locals[id.0];
                let text = words.converted_to(value, &Place::variable(VarRef::Local(*id), v.span));
                match self.early.contains(id) {
                    true => format!("{} = {text}", v.name),
                    false => format!("{} = {text}", words.variable(v)),
                }
            }
            Some(StmtKind::Assign(place, value)) => words.step(place, value),
            _ => String::new(),
        };
        let step = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(place, value) => words.step(place, value),
            _ => String::new(),
        };
        let steps = f.step.iter().map(step).collect::<Vec<_>>().join(", ");
        let condition = match f.condition.kind {
            ExprKind::Const(1) => String::new(),
            _ => format!(" {}", words.expr(f.condition, 0)),
        };
        self.line(format!("for ({init};{condition}; {steps}) {{"));
        self.loops.push(Loop { next: f.next.map(str::to_string), leave: None });
        self.inner(f.body);
        self.loops.pop();
        self.line("}");
        if !before.is_empty() {
            self.indent -= 1;
            self.line("}");
        }
    }

    fn switch(&mut self, s: &Switch<'a>) {
        let words = self.words;
        for case in &s.cases {
            let of = |value| words.converted(value, None);
            let text = match case.from.kind == case.to.kind {
                true => format!("case {}:", of(case.from)),
                false => format!("case {} ... {}:", of(case.from), of(case.to)),
            };
            self.cases.insert(case.label.to_string(), text);
        }
        if let Some(default) = s.default {
            self.cases.insert(default.to_string(), "default:".to_string());
        }
        // A variable that holds nothing but the value is not needed.
        let (before, value) = match s.before.split_last() {
            Some((kept, before)) if self.is_value_of(kept, s) => match &kept.kind {
                StmtKind::Declare(_, Some(value)) => (before, value),
                _ => (s.before, s.value),
            },
            _ => (s.before, s.value),
        };
        if !before.is_empty() {
            self.line("{");
            self.indent += 1;
            self.statements(before);
        }
        let text = match words.is_enumerated(value) {
            // Compilers ask for a case for each constant of an enumeration.
            true => format!("({}){}", words.scalar(s.value.ty), words.expr(value, u8::MAX)),
            false => words.expr(value, 0),
        };
        self.line(format!("switch ({text}) {{"));
        let outer = self.loops.last().cloned().unwrap_or_default();
        self.loops.push(Loop { leave: Some(s.end.to_string()), ..outer });
        self.indent += 1;
        self.statements(s.region);
        // A case that is the last has a statement.
        if self.lines.last().is_some_and(|l| l.ends_with(':')) {
            self.line(";");
        }
        self.indent -= 1;
        self.loops.pop();
        self.line("}");
        if !before.is_empty() {
            self.indent -= 1;
            self.line("}");
        }
        if self.jumped.contains(s.end) {
            self.label(s.end);
        }
    }

    /// Whether a statement sets a variable that holds nothing but the value of the switch after it.
    fn is_value_of(&self, stmt: &Stmt, s: &Switch<'_>) -> bool {
        let StmtKind::Declare(id, Some(value)) = &stmt.kind else { return false };
        let tested = matches!(&s.value.kind, ExprKind::Read(place)
            if place.path.is_empty() && place.base == Base::Variable(VarRef::Local(*id)));
        let mut uses = 0;
        self.procedure.body.visit(&mut |stmt| uses += usize::from(mentions(stmt, *id)));
        tested && uses == s.cases.len() + 1 && !self.early.contains(id) && !is_action(value)
    }
}

/// Whether a value takes a statement of its own.
fn is_action(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Spawn(..) | ExprKind::Allocate(..))
}

/// Whether an expression does nothing but compute.
fn is_plain(e: &Expr) -> bool {
    let mut plain = true;
    e.visit(&mut |e| {
        plain &= !matches!(
            e.kind,
            ExprKind::Call(..)
                | ExprKind::Any(_)
                | ExprKind::Rmw(..)
                | ExprKind::Spawn(..)
                | ExprKind::Allocate(..)
                | ExprKind::Reallocate(..)
        );
    });
    plain
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

    /// What a local variable gets in the head of a `for`.
    fn step(&self, place: &Place, value: &Expr) -> String {
        let own = |e: &Expr| matches!(&e.kind, ExprKind::Read(read) if read.base == place.base && read.path == place.path);
        let value = match &value.kind {
            ExprKind::Convert(Conversion::Checked, inner) => inner,
            _ => value,
        };
        if let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) = &value.kind
            && own(left)
            && (left.ty == value.ty || value.ty == Scalar::Integer)
            && !matches!(value.ty, Scalar::Pointer { .. })
            && matches!(right.kind, ExprKind::Const(1))
        {
            let sign = if *op == BinaryOp::Add { "++" } else { "--" };
            return format!("{}{sign}", self.place(place));
        }
        format!("{} = {}", self.place(place), self.converted_to(value, place))
    }

    /// Whether the value is of an enumeration, to the compiler.
    fn is_enumerated(&self, value: &Expr) -> bool {
        let ExprKind::Read(place) = &forms::as_truth(value).kind else { return false };
        self.spelled_place(place).is_some_and(|s| self.program.spelling.constants(s).is_some())
    }

    /// Memory for values of a type.
    fn allocation(&self, ty: &Type, bytes: &Expr, fill: Fill) -> String {
        let (element, size) = (self.type_name(ty), self.program.records.size(ty.innermost()));
        let number = match bytes.kind {
            ExprKind::Const(bytes) if size > 0 => {
                u64::try_from(bytes).ok().filter(|n| n.is_multiple_of(size))
            }
            _ => None,
        };
        match (fill, number.map(|bytes| bytes / size)) {
            (Fill::Zero, Some(n)) => format!("calloc({n}, sizeof({element}))"),
            (Fill::Undefined, Some(1)) => format!("malloc(sizeof({element}))"),
            (Fill::Undefined, Some(n)) => format!("malloc({n} * sizeof({element}))"),
            (Fill::Zero, None) => format!("calloc(1, {})", self.expr(bytes, 0)),
            (Fill::Undefined, None) => format!("malloc({})", self.expr(bytes, 0)),
        }
    }

    /// The mutexes in what a pointer points to.
    fn mutexes(&self, pointer: &Expr, ty: &Type) -> Vec<String> {
        let mut found = Vec::new();
        self.program.records.scalars(ty, &mut Vec::new(), &mut |path, scalar| {
            if scalar == Scalar::Mutex {
                let mut place = Place {
                    base: Base::Pointed(Box::new(pointer.clone()), ty.clone()),
                    path: Vec::new(),
                    span: pointer.span,
                    access: crate::Access::Plain,
                };
                place.path.extend(path.iter().map(|step| match step {
                    Step::Field(i) => crate::tree::Projection::Field(*i),
                    Step::Index(n) => {
                        let index = Expr::constant(i64::from(*n), Scalar::Integer, pointer.span);
                        crate::tree::Projection::Index(index)
                    }
                }));
                let text = self.place(&place);
                found.push(if text.starts_with('*') { format!("({text})") } else { text });
            }
        });
        found
    }
}

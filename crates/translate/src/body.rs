//! Statements, one by one (Figure 6 of the paper). An expression that reads or changes memory is taken apart: a
//! round may end before each access, so each becomes a statement with a variable for its result.

use crate::{Translator, Unsupported};
use fencepost_ir::tree::{
    Base, BinaryOp, Block, Drain, Expr, ExprKind, FenceKind, LocalId, Place, Procedure, ProcedureKind,
    Projection, Stmt, StmtKind, Type, UnaryOp, VarRef, Variable, Words,
};
use fencepost_ir::{Scalar, Span};
use std::fmt::Write;

type Result<T> = std::result::Result<T, Unsupported>;

/// The translation of a procedure's body.
pub struct Body<'a> {
    translator: &'a Translator<'a>,
    /// The procedure, with the variables that were added.
    procedure: Procedure,
    original_locals: usize,
    lines: Vec<String>,
    indent: usize,
    /// For each loop around, where `continue` leads if not to its beginning.
    loops: Vec<Option<String>>,
    labels: usize,
    /// What the last read-modify-write changed.
    changed: Option<Place>,
}

impl<'a> Body<'a> {
    /// Nothing yet.
    pub fn new(translator: &'a Translator<'a>, procedure: &Procedure) -> Body<'a> {
        Body {
            translator,
            procedure: procedure.clone(),
            original_locals: procedure.locals.len(),
            lines: Vec::new(),
            indent: 1,
            loops: Vec::new(),
            labels: 0,
            changed: None,
        }
    }

    /// The lines, with the declarations that they need.
    pub fn finish(self) -> String {
        let mut out = String::new();
        for variable in &self.procedure.locals[self.original_locals..] {
            let _ = writeln!(out, "    {};", self.words().declaration(variable));
        }
        for line in &self.lines {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    fn words(&self) -> Words<'_> {
        Words { program: &self.translator.program, procedure: Some(&self.procedure) }
    }

    fn expr(&self, e: &Expr) -> String {
        self.words().expr(e, 0)
    }

    /// Adds a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{:1$}{2}", "", self.indent * 4, text.as_ref()));
    }

    fn label(&mut self, name: &str) {
        self.lines.push(format!("{:1$}{name}:", "", self.indent * 4 - 2));
    }

    fn call(&mut self, name: &str) {
        self.line(format!("{}{name}();", self.translator.prefix));
    }

    /// Here a round may end.
    fn switch(&mut self) {
        self.call("switch");
    }

    fn temporary(&mut self, ty: Scalar) -> LocalId {
        let id = LocalId(self.procedure.locals.len());
        let name = format!("{}{}", self.translator.prefix, id.0 - self.original_locals);
        let init = vec![fencepost_ir::tree::Choices::one(ty.default_value())];
        self.procedure.locals.push(Variable::new(name, Type::Scalar(ty), init, Span::NONE));
        id
    }

    fn read_local(&self, id: LocalId, ty: Scalar, span: Span) -> Expr {
        Expr { kind: ExprKind::Read(Place::variable(VarRef::Local(id), span)), ty, span }
    }

    fn assign(&mut self, id: LocalId, value: &str) {
        let name = self.procedure.locals[id.0].name.clone();
        self.line(format!("{name} = {value};"));
    }

    /// The value kept, so that nothing that follows changes it.
    fn keep(&mut self, e: Expr) -> Expr {
        if let ExprKind::Const(_) = e.kind {
            return e;
        }
        let id = self.temporary(e.ty);
        let text = self.expr(&e);
        self.assign(id, &text);
        self.read_local(id, e.ty, e.span)
    }

    fn is_shared(&self, place: &Place) -> bool {
        matches!(place.base, Base::Variable(VarRef::Shared(_)))
    }

    /// Whether evaluating it takes more than reading the thread's own variables.
    fn has_effects(&self, e: &Expr) -> bool {
        let mut found = false;
        e.visit(&mut |e| {
            found |= match &e.kind {
                ExprKind::Read(place) => self.is_shared(place),
                ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => true,
                _ => false,
            }
        });
        found
    }

    /// Operands from left to right; what stands left of a call is kept.
    fn operands(&mut self, operands: &[&Expr]) -> Result<Vec<Expr>> {
        let mut values = Vec::new();
        for (i, operand) in operands.iter().enumerate() {
            let mut value = self.value(operand)?;
            if operands[i + 1..].iter().any(|later| later.calls()) {
                value = self.keep(value);
            }
            values.push(value);
        }
        Ok(values)
    }

    /// A place whose indices take no access.
    fn place(&mut self, place: &Place, later: &[&Expr]) -> Result<(Place, Vec<Expr>)> {
        if let Base::Pointed(..) = place.base {
            return Err(Unsupported::new(place.span, "a pointer"));
        }
        let indices: Vec<&Expr> = place.indices().collect();
        let count = indices.len();
        let all: Vec<&Expr> = indices.into_iter().chain(later.iter().copied()).collect();
        let mut values = self.operands(&all)?;
        let rest = values.split_off(count);
        let path = values.into_iter().map(Projection::Index).collect();
        Ok((Place { base: place.base.clone(), path, span: place.span }, rest))
    }

    /// The place of a shared variable in the thread's view.
    fn view(&self, place: &Place) -> String {
        format!("{}view_{}", self.translator.prefix, self.words().place(place))
    }

    /// An expression for the value that takes no access.
    fn value(&mut self, e: &Expr) -> Result<Expr> {
        let with = |kind| Expr { kind, ty: e.ty, span: e.span };
        Ok(match &e.kind {
            ExprKind::Const(_) | ExprKind::Any(_) | ExprKind::Own => e.clone(),
            ExprKind::Read(place) if self.is_shared(place) => {
                let (place, _) = self.place(place, &[])?;
                self.switch();
                let id = self.temporary(e.ty);
                let view = self.view(&place);
                self.assign(id, &view);
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::Read(place) => with(ExprKind::Read(self.place(place, &[])?.0)),
            ExprKind::Unary(op, arg) => with(ExprKind::Unary(*op, Box::new(self.value(arg)?))),
            ExprKind::Convert(how, arg) => with(ExprKind::Convert(*how, Box::new(self.value(arg)?))),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if self.has_effects(right) => {
                let id = self.temporary(Scalar::Bool);
                let left = self.value(left)?;
                let text = self.truth(&left);
                self.assign(id, &text);
                let name = self.procedure.locals[id.0].name.clone();
                let condition = if *op == BinaryOp::And { name } else { format!("!{name}") };
                self.line(format!("if ({condition}) {{"));
                self.indent += 1;
                let right = self.value(right)?;
                let text = self.truth(&right);
                self.assign(id, &text);
                self.indent -= 1;
                self.line("}");
                self.read_local(id, Scalar::Bool, e.span)
            }
            ExprKind::Binary(op, left, right) => {
                let [left, right] = self.pair(left, right)?;
                with(ExprKind::Binary(*op, left, right))
            }
            ExprKind::Select(condition, then, otherwise)
                if self.has_effects(then) || self.has_effects(otherwise) =>
            {
                let id = self.temporary(e.ty);
                let condition = self.value(condition)?;
                self.line(format!("if ({}) {{", self.expr(&condition)));
                self.arm(id, then)?;
                self.line("} else {");
                self.arm(id, otherwise)?;
                self.line("}");
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let condition = Box::new(self.value(condition)?);
                let [then, otherwise] = self.pair(then, otherwise)?;
                with(ExprKind::Select(condition, then, otherwise))
            }
            ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => {
                let text = self.action(e)?;
                let id = self.temporary(e.ty);
                self.assign(id, &text);
                self.after_action();
                self.read_local(id, e.ty, e.span)
            }
            ExprKind::AddressOf(_) | ExprKind::Allocate(..) | ExprKind::Reallocate(..) => {
                return Err(Unsupported::new(e.span, "a pointer"));
            }
        })
    }

    fn pair(&mut self, left: &Expr, right: &Expr) -> Result<[Box<Expr>; 2]> {
        let values = self.operands(&[left, right])?;
        let [left, right] = <[Expr; 2]>::try_from(values).expect("two operands have two values");
        Ok([Box::new(left), Box::new(right)])
    }

    fn arm(&mut self, id: LocalId, e: &Expr) -> Result<()> {
        self.indent += 1;
        let value = self.value(e)?;
        let text = self.expr(&value);
        self.assign(id, &text);
        self.indent -= 1;
        Ok(())
    }

    /// The value as a condition.
    fn truth(&self, e: &Expr) -> String {
        match e.ty {
            Scalar::Bool => self.expr(e),
            _ => format!("({}) != 0", self.expr(e)),
        }
    }

    /// The text of a call, spawn or read-modify-write; what it waits for stands before it.
    fn action(&mut self, e: &Expr) -> Result<String> {
        match &e.kind {
            ExprKind::Call(id, args) => {
                let args = self.operands(&args.iter().collect::<Vec<_>>())?;
                let name = &self.translator.program.procedure(*id).name;
                Ok(format!("{name}({})", self.words().args(&args)))
            }
            ExprKind::Spawn(id, args, drain) => {
                let args = self.operands(&args.iter().collect::<Vec<_>>())?;
                self.switch();
                if *drain == Drain::Yes {
                    self.call("fence");
                }
                let process = self.translator.process_of[id.0];
                let kind = ExprKind::Spawn(process, args, *drain);
                Ok(self.expr(&Expr { kind, ty: e.ty, span: e.span }))
            }
            ExprKind::Rmw(kind, place, operands) => {
                let later: Vec<&Expr> = operands.iter().collect();
                let (place, operands) = self.place(place, &later)?;
                if !self.is_shared(&place) {
                    return Err(Unsupported::new(
                        e.span,
                        "a read-modify-write of a variable that is not shared",
                    ));
                }
                // The indices are needed once more, for the view.
                let path = place.path.into_iter().map(|step| match step {
                    Projection::Index(index) => Projection::Index(self.keep(index)),
                    Projection::Field(_) => step,
                });
                let place = Place { path: path.collect(), ..place };
                self.switch();
                self.call("fence");
                self.changed = Some(place.clone());
                let kind = ExprKind::Rmw(*kind, place, operands);
                Ok(self.expr(&Expr { kind, ty: e.ty, span: e.span }))
            }
            _ => Err(Unsupported::new(e.span, "an expression without effect as a statement")),
        }
    }

    /// A read-modify-write acts on memory, so the view follows.
    fn after_action(&mut self) {
        if let Some(place) = self.changed.take() {
            let text = format!("{} = {};", self.view(&place), self.words().place(&place));
            self.line(text);
        }
    }

    /// Statements in order.
    pub fn block(&mut self, block: &Block) -> Result<()> {
        block.0.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn inner(&mut self, block: &Block) -> Result<()> {
        self.indent += 1;
        let result = self.block(block);
        self.indent -= 1;
        result
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        let pointer = || Err(Unsupported::new(stmt.span, "allocated memory"));
        match &stmt.kind {
            StmtKind::Skip => self.line("skip;"),
            StmtKind::Label(name) => self.named_place(name),
            StmtKind::Declare(id, value) => {
                let value = value.as_ref().map(|v| self.value(v)).transpose()?;
                let variable = &self.procedure.locals[id.0];
                let text = match value {
                    Some(value) => {
                        let ty = self.words().type_name(&variable.ty);
                        format!("{ty} {} = {};", variable.name, self.expr(&value))
                    }
                    None => format!("{};", self.words().declaration(variable)),
                };
                self.line(text);
            }
            StmtKind::Assign(place, value) => {
                let (place, values) = self.place(place, &[value])?;
                if self.is_shared(&place) {
                    self.switch();
                    let Base::Variable(VarRef::Shared(id)) = place.base else { return pointer() };
                    let name = &self.translator.program.shared[id.0].name;
                    let args: Vec<Expr> = place.indices().cloned().chain(values).collect();
                    let args = self.words().args(&args);
                    self.line(format!("{}store_{name}({args});", self.translator.prefix));
                } else {
                    let text = format!("{} = {};", self.words().place(&place), self.words().args(&values));
                    self.line(text);
                }
            }
            StmtKind::Eval(e) => {
                let text = self.action(e)?;
                self.line(format!("{text};"));
                self.after_action();
            }
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.value(condition)?;
                self.line(format!("if ({}) {{", self.expr(&condition)));
                self.inner(then)?;
                if !otherwise.0.is_empty() {
                    self.line("} else {");
                    self.inner(otherwise)?;
                }
                self.line("}");
            }
            StmtKind::While(condition, body) => {
                self.loops.push(None);
                if self.has_effects(condition) {
                    self.line("while (true) {");
                    self.indent += 1;
                    let condition = self.value(condition)?;
                    let not = Expr {
                        kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition)),
                        ty: Scalar::Bool,
                        span: stmt.span,
                    };
                    self.line(format!("if ({}) {{", self.expr(&not)));
                    self.line("    break;");
                    self.line("}");
                    self.indent -= 1;
                } else {
                    self.line(format!("while ({}) {{", self.expr(condition)));
                    // A loop without an access must not keep others from running.
                    self.indent += 1;
                    self.switch();
                    self.indent -= 1;
                }
                self.inner(body)?;
                self.line("}");
                self.loops.pop();
            }
            StmtKind::DoWhile(body, condition) => {
                let target = (self.has_effects(condition) && continues(body)).then(|| {
                    self.labels += 1;
                    format!("{}continue_{}", self.translator.prefix, self.labels)
                });
                self.line("do {");
                self.loops.push(target.clone());
                self.inner(body)?;
                self.loops.pop();
                self.indent += 1;
                if let Some(target) = target {
                    self.label(&target);
                }
                let condition = self.value(condition)?;
                self.switch();
                self.indent -= 1;
                self.line(format!("}} while ({});", self.expr(&condition)));
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => match self.loops.last().cloned().flatten() {
                Some(target) => self.line(format!("goto {target};")),
                None => self.line("continue;"),
            },
            StmtKind::Goto(label) => {
                self.switch();
                self.line(format!("goto {label};"));
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|v| self.value(v)).transpose()?;
                if self.procedure.kind == ProcedureKind::Process {
                    self.call("end_thread");
                }
                match value {
                    Some(value) => self.line(format!("return {};", self.expr(&value))),
                    None => self.line("return;"),
                }
            }
            StmtKind::Choose(blocks) => {
                for (i, block) in blocks.iter().enumerate() {
                    self.line(if i == 0 { "choose {" } else { "} or {" });
                    self.inner(block)?;
                }
                self.line("}");
            }
            StmtKind::Atomic(drain, body) => {
                self.enter(*drain);
                self.line("{");
                self.inner(body)?;
                self.line("}");
                self.leave(*drain);
            }
            StmtKind::AtomicBegin(drain) => self.enter(*drain),
            StmtKind::AtomicEnd(drain) => self.leave(*drain),
            StmtKind::Fence(FenceKind::Full) => {
                self.switch();
                self.call("fence");
            }
            StmtKind::Fence(FenceKind::StoreStore) => self.line("skip;"),
            StmtKind::Assume(condition) => {
                let condition = self.value(condition)?;
                // If it is false the thread stops here, between two rounds.
                self.switch();
                self.line(format!("assume({});", self.expr(&condition)));
            }
            StmtKind::Assert(condition) => {
                let condition = self.value(condition)?;
                self.line(format!("assert({});", self.expr(&condition)));
            }
            StmtKind::Lock(place) => self.mutex("lock", place)?,
            StmtKind::Unlock(place) => self.mutex("unlock", place)?,
            StmtKind::Join(None, handle) => {
                let handle = self.value(handle)?;
                self.switch();
                self.line(format!("join({});", self.expr(&handle)));
            }
            StmtKind::Block(block) => {
                self.line("{");
                self.inner(block)?;
                self.line("}");
            }
            StmtKind::Join(Some(_), _) => {
                return Err(Unsupported::new(stmt.span, "the result of a thread"));
            }
            StmtKind::Exit(_) | StmtKind::Halt => {
                return Err(Unsupported::new(stmt.span, "the end of a thread or program inside a function"));
            }
            StmtKind::Free(_) => return pointer(),
        }
        Ok(())
    }

    /// A label; if a property speaks of it, with a place between two rounds.
    fn named_place(&mut self, name: &str) {
        self.label(name);
        if self.translator.watched.contains(name) {
            let prefix = self.translator.prefix.clone();
            self.line(format!("while (!{prefix}critical && any) {{"));
            self.line("    atomic_end;");
            self.label(&format!("{prefix}at_{name}"));
            self.line(format!("    {prefix}begin_round();"));
            self.line("}");
        }
    }

    fn enter(&mut self, drain: Drain) {
        self.switch();
        if drain == Drain::Yes {
            self.call("fence");
        }
        self.line(format!("{}critical = true;", self.translator.prefix));
    }

    fn leave(&mut self, drain: Drain) {
        if drain == Drain::Yes {
            self.call("fence");
        }
        self.line(format!("{}critical = false;", self.translator.prefix));
    }

    fn mutex(&mut self, what: &str, place: &Place) -> Result<()> {
        let (place, _) = self.place(place, &[])?;
        self.switch();
        self.call("fence");
        let text = format!("{what}({});", self.words().place(&place));
        self.line(text);
        Ok(())
    }
}

/// Whether a `continue` of this loop, not of one in it, stands in the body.
fn continues(body: &Block) -> bool {
    body.0.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::If(_, then, otherwise) => continues(then) || continues(otherwise),
        StmtKind::Choose(blocks) => blocks.iter().any(continues),
        StmtKind::Atomic(_, block) | StmtKind::Block(block) => continues(block),
        _ => false,
    })
}

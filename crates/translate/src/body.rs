//! Statements, one by one (Figure 6 of the paper).

use crate::flow::{continues, has_label};
use crate::idioms::is_set_first;
use crate::scopes;
use crate::support::Helper;
use crate::value::Access;
use crate::{Translator, Unsupported};
use fencepost_ir::tree::{
    Base, Block, Drain, Expr, ExprKind, Fence, FenceKind, LocalId, Place, Procedure, ProcedureId, Stmt,
    StmtKind, UnaryOp, VarRef,
};
use fencepost_ir::{Scalar, Span};
use std::collections::{BTreeMap, BTreeSet};

pub type Result<T> = std::result::Result<T, Unsupported>;

/// A loop around a statement, or a switch in a loop.
#[derive(Clone, Default)]
pub struct Loop {
    /// Where `continue` leads if not to what C means by it.
    pub again: Option<String>,
    /// The label that C's `continue` leads to.
    pub next: Option<String>,
    /// For a switch the label behind it, which C's `break` leads to.
    pub leave: Option<String>,
}

/// The translation of a procedure's body.
pub struct Body<'a> {
    pub translator: &'a Translator<'a>,
    pub id: ProcedureId,
    /// The procedure, with the variables that were added.
    pub procedure: Procedure,
    /// So many of its variables it had before.
    pub original_locals: usize,
    pub lines: Vec<String>,
    pub indent: usize,
    /// The loops and switches around.
    pub loops: Vec<Loop>,
    /// Labels that are cases of the switches around, with what stands for them.
    pub cases: BTreeMap<String, String>,
    /// Labels of switches' ends that jumps were written to.
    pub jumped: BTreeSet<String>,
    /// Comments of the user's before these lines, with their indentation.
    pub comments: BTreeMap<usize, Vec<(String, usize)>>,
    labels: usize,
    /// Labels that jumps lead to.
    targets: BTreeSet<String>,
    /// Variables that are declared in these lines.
    pub declared: BTreeMap<usize, String>,
    /// Variables of C text that are declared at the beginning, since they are used outside of the block that
    /// declares them, or declared nowhere or twice.
    pub early: BTreeSet<LocalId>,
}

impl<'a> Body<'a> {
    /// Nothing yet.
    pub fn new(translator: &'a Translator<'a>, id: ProcedureId, procedure: &Procedure) -> Body<'a> {
        let mut targets = BTreeSet::new();
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Goto(label) = &stmt.kind {
                targets.insert(label.clone());
            }
        });
        Body {
            translator,
            id,
            procedure: procedure.clone(),
            original_locals: procedure.locals.len(),
            lines: Vec::new(),
            indent: 1,
            loops: Vec::new(),
            cases: BTreeMap::new(),
            jumped: BTreeSet::new(),
            comments: BTreeMap::new(),
            labels: 0,
            targets,
            declared: BTreeMap::new(),
            early: if translator.language.is_c() { scopes::early(procedure) } else { BTreeSet::new() },
        }
    }

    /// Parameters of C's `main`, with their values.
    pub fn arguments(&mut self, args: &[i64]) {
        for (i, value) in args.iter().enumerate() {
            let v = &self.procedure.locals[i];
            let Some(ty) = v.ty.as_scalar() else { continue };
            let value = self.c_words().expr(&Expr::constant(*value, ty, Span::NONE), 0);
            let (text, name) = (self.c_words().variable(v), v.name.clone());
            self.line(format!("{text} = {value};"));
            self.line(format!("(void){name};"));
        }
    }

    /// Runs a function as the whole of a thread.
    pub fn wrap(&mut self, function: ProcedureId) {
        let function = self.translator.program.procedure(function);
        let names: Vec<_> =
            self.procedure.locals[..self.procedure.params].iter().map(|p| p.name.clone()).collect();
        let call = format!("{}({})", function.name, names.join(", "));
        match (self.language().is_c(), function.result) {
            (true, Some(ty)) => {
                let id = self.temporary(ty);
                self.assign(id, &call);
                self.call(Helper::EndThread);
                let name = self.procedure.locals[id.0].name.clone();
                let wide = if let Scalar::Pointer { .. } = ty { "" } else { "(void *)(long)" };
                self.line(format!("return {wide}{name};"));
            }
            _ => self.line(format!("{call};")),
        }
    }

    /// The end of the procedure.
    pub fn end(&mut self) {
        let left = self.translator.comments.of_end(self.procedure.span);
        self.add_comments(left);
        let last = self.lines.last().map_or("", |l| l.trim());
        if last.starts_with("return") || last.starts_with("exit(") {
            return;
        }
        self.last_objects();
        if self.translator.ends_thread(self.id) {
            self.call(Helper::EndThread);
        }
        let is_process = self.procedure.result.is_none() && self.translator.ends_thread(self.id);
        if self.language().is_c() && (self.procedure.result.is_some() || is_process) {
            self.line("return 0;");
        }
    }

    /// Statements in order.
    pub fn block(&mut self, block: &Block) -> Result<()> {
        self.statements(&block.0)
    }

    /// Statements in order; those that make up a statement of C together.
    pub fn statements(&mut self, mut stmts: &[Stmt]) -> Result<()> {
        while let [stmt, rest @ ..] = stmts {
            self.comment(stmt.span);
            stmts = if !self.language().is_c() {
                self.stmt(stmt)?;
                rest
            } else if let Some(switch) = self.switch_at(stmts) {
                self.write_switch(None, &switch)?;
                &stmts[switch.length..]
            } else if let Some(switch) = self.switch_at(rest)
                && self.is_value_of(stmt, &switch, &rest[switch.length..])
            {
                self.write_switch(Some(stmt), &switch)?;
                &rest[switch.length..]
            } else if let Some(f) = self.for_loop(stmt) {
                self.write_for(None, &f)?;
                rest
            } else if let Some(f) = rest.first().and_then(|next| self.for_loop(next))
                && self.begins(stmt, &f, &rest[1..])
            {
                self.write_for(Some(stmt), &f)?;
                &rest[1..]
            } else {
                self.stmt(stmt)?;
                rest
            };
            // Nothing comes to what stands behind a jump, unless it has labels.
            if matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Halt | StmtKind::Exit(_)) {
                let reached = stmts.iter().position(has_label).unwrap_or(stmts.len());
                stmts = &stmts[reached..];
            }
        }
        Ok(())
    }

    /// The user's comments that belong to what stands at a place.
    fn comment(&mut self, span: Span) {
        let comments = self.translator.comments.of_statement(self.procedure.span, span);
        self.add_comments(comments);
    }

    fn add_comments(&mut self, comments: Vec<String>) {
        let indent = self.indent * 4;
        let here = self.comments.entry(self.lines.len()).or_default();
        here.extend(comments.into_iter().map(|text| (text, indent)));
    }

    fn inner(&mut self, stmts: &[Stmt]) -> Result<()> {
        self.indent += 1;
        let result = self.statements(stmts);
        if self.language().is_c() && self.lines.last().is_some_and(|l| l.ends_with("{")) {
            let skip = self.language().skip();
            self.line(skip);
        }
        self.indent -= 1;
        result
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        let language = self.language();
        match &stmt.kind {
            StmtKind::Skip => self.line(language.skip()),
            StmtKind::Label(name) => self.named_place(name),
            StmtKind::Declare(id, value) => self.declare(*id, value.as_ref())?,
            StmtKind::Assign(place, value) => self.assignment(place, value)?,
            StmtKind::Eval(e) => self.action(e, None)?,
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.value(condition)?;
                if then.0.is_empty() && !otherwise.0.is_empty() {
                    let not = negation(condition);
                    self.line(format!("if ({}) {{", self.expr(&not)));
                    self.inner(&otherwise.0)?;
                } else {
                    self.line(format!("if ({}) {{", self.expr(&condition)));
                    self.inner(&then.0)?;
                    if !otherwise.0.is_empty() {
                        self.line("} else {");
                        self.inner(&otherwise.0)?;
                    }
                }
                self.line("}");
            }
            StmtKind::While(condition, body) => {
                self.loops.push(Loop::default());
                if self.has_effects(condition) {
                    self.line(format!("while ({}) {{", language.yes()));
                    self.indent += 1;
                    let condition = self.value(condition)?;
                    self.line(format!("if ({}) {{", self.expr(&negation(condition))));
                    self.line("    break;");
                    self.line("}");
                    self.indent -= 1;
                } else {
                    let condition = self.value(condition)?;
                    self.line(format!("while ({}) {{", self.expr(&condition)));
                    // A loop without an access must not keep others from running.
                    if !self.surely_switches(body) {
                        self.indent += 1;
                        self.switch();
                        self.indent -= 1;
                    }
                }
                self.inner(&body.0)?;
                self.line("}");
                self.loops.pop();
            }
            StmtKind::DoWhile(body, condition) => {
                let effects = self.has_effects(condition);
                let target = (effects && continues(body)).then(|| {
                    self.labels += 1;
                    format!("{}continue_{}", self.translator.prefix, self.labels)
                });
                // A label at the end is what C's `continue` leads to.
                let (next, inner) = match body.0.split_last() {
                    Some((Stmt { kind: StmtKind::Label(label), .. }, inner))
                        if language.is_c() && !effects && !continues(body) && self.is_made(label, "next") =>
                    {
                        (Some(label.clone()), inner)
                    }
                    _ => (None, &body.0[..]),
                };
                self.line("do {");
                self.loops.push(Loop { again: target.clone(), next, leave: None });
                self.inner(inner)?;
                self.loops.pop();
                self.indent += 1;
                if let Some(target) = target {
                    self.label(&target);
                }
                let condition = self.value(condition)?;
                if !effects && !self.surely_switches(body) {
                    self.switch();
                }
                self.indent -= 1;
                self.line(format!("}} while ({});", self.expr(&condition)));
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => match self.loops.last().and_then(|l| l.again.clone()) {
                Some(target) => self.line(format!("goto {target};")),
                None => self.line("continue;"),
            },
            StmtKind::Goto(label) => {
                self.switch();
                let around = self.loops.last();
                if around.is_some_and(|l| l.next.as_ref() == Some(label)) {
                    self.line("continue;");
                } else if around.is_some_and(|l| l.leave.as_ref() == Some(label)) {
                    self.line("break;");
                } else {
                    self.jumped.insert(label.clone());
                    self.line(format!("goto {label};"));
                }
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|v| self.value(v)).transpose()?;
                // The thread's own variables are gone when it has ended.
                let value = match value {
                    Some(value) if self.translator.ends_thread(self.id) || self.has_last_objects() => {
                        Some(self.keep(value))
                    }
                    value => value,
                };
                self.last_objects();
                if self.translator.ends_thread(self.id) {
                    self.call(Helper::EndThread);
                }
                match value {
                    Some(value) => self.line(format!("return {};", self.result_text(&value))),
                    None if language.is_c() && self.translator.ends_thread(self.id) => self.line("return 0;"),
                    None => self.line("return;"),
                }
            }
            StmtKind::Choose(blocks) => self.choose(blocks)?,
            StmtKind::Atomic(drain, body) => {
                self.enter(*drain);
                self.line("{");
                self.inner(&body.0)?;
                self.line("}");
                self.leave(*drain);
            }
            StmtKind::AtomicBegin(drain) => self.enter(*drain),
            StmtKind::AtomicEnd(drain) => self.leave(*drain),
            StmtKind::Fence(Fence::Machine(FenceKind::Full)) => {
                self.switch();
                self.call(Helper::Fence);
            }
            StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)) if language.is_c() => {}
            StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)) => self.line(language.skip()),
            StmtKind::Fence(Fence::Thread(order)) => panic!("the pass `orders` leaves no {order} fence"),
            StmtKind::Assume(condition) => {
                let condition = self.value(condition)?;
                // If it is false the thread stops here, between two rounds.
                self.switch();
                let text = language.assume(&self.expr(&condition));
                self.line(text);
            }
            StmtKind::Assert(condition) => {
                let condition = self.value(condition)?;
                let text = language.assert(&self.expr(&condition));
                self.line(text);
            }
            StmtKind::Lock(place) => self.mutex(Helper::Lock, place)?,
            StmtKind::Unlock(place) => self.mutex(Helper::Unlock, place)?,
            StmtKind::Join(None, handle) => {
                let handle = self.value(handle)?;
                self.switch();
                let handle = self.expr(&handle);
                self.line(match language.is_c() {
                    true => format!("pthread_join({handle}, 0);"),
                    false => format!("join({handle});"),
                });
            }
            StmtKind::Block(block) => {
                self.line("{");
                self.inner(&block.0)?;
                self.line("}");
            }
            StmtKind::Join(Some(place), handle) if language.is_c() => self.join(place, handle)?,
            StmtKind::Join(Some(_), _) => {
                return Err(Unsupported::new(stmt.span, "the result of a thread"));
            }
            StmtKind::Exit(value) if language.is_c() => {
                let value = match value {
                    Some(value) => {
                        let value = self.value(value)?;
                        let value = self.keep(value);
                        self.expr(&value)
                    }
                    None => "0".to_string(),
                };
                self.call(Helper::EndThread);
                self.line(format!("pthread_exit({value});"));
            }
            StmtKind::Halt if language.is_c() => {
                self.switch();
                self.call(Helper::Fence);
                let exit = self.translator.helper(Helper::Exit);
                self.line(format!("{exit}(0);"));
            }
            StmtKind::Exit(_) | StmtKind::Halt => {
                return Err(Unsupported::new(stmt.span, "the end of a thread or program inside a function"));
            }
            StmtKind::Free(pointer) if language.is_c() => {
                let pointer = self.value(pointer)?;
                self.switch();
                self.call(Helper::Fence);
                self.translator.helper(Helper::Memory);
                let pointer = self.expr(&pointer);
                self.line(format!("free({pointer});"));
            }
            StmtKind::Enter(_) | StmtKind::Leave(_) => panic!("what has a block's life is refused before"),
            StmtKind::Free(_) => return Err(Unsupported::new(stmt.span, "allocated memory")),
        }
        Ok(())
    }

    fn declare(&mut self, id: LocalId, value: Option<&Expr>) -> Result<()> {
        let c = self.language().is_c();
        // In C a variable without a value holds anything; what the user asks for stands there.
        let name = &self.translator.original.procedures[self.id.0].locals[id.0].name;
        let sources = &self.translator.original.sources;
        let is_named = |span: Span| {
            let text = sources.line(span).map(|line| line.chars().skip(span.column as usize - 1));
            text.is_some_and(|text| text.take(name.len()).eq(name.chars()))
        };
        let any = |e: &Expr| matches!(e.kind, ExprKind::Any(_)) && !self.has_effects(e);
        let pointer = |e: &Expr| matches!(e.ty, Scalar::Pointer { .. });
        let free = |e: &Expr| c && any(e) && (is_named(e.span) || pointer(e));
        let value = match value {
            // Functions of a library may look at a pointer first, which compilers warn about.
            Some(e) if free(e) && pointer(e) && !is_set_first(&self.procedure.body, id) => {
                Some("0".to_string())
            }
            Some(e) if free(e) => None,
            Some(e) => Some(self.whole_value(e, id)?),
            None => None,
        };
        let variable = self.procedure.locals[id.0].clone();
        if self.early.contains(&id) {
            if let Some(value) = value {
                self.assign(id, &value);
            }
            return Ok(());
        }
        let text = match value {
            Some(value) if c => format!("{} = {value};", self.c_words().variable(&variable)),
            Some(value) => format!("{} {} = {value};", self.words().type_name(&variable.ty), variable.name),
            None => format!("{};", self.declaration(&variable)),
        };
        // Before C23 no declaration stands behind a label.
        if let Some(label) = self.lines.last_mut().filter(|last| c && last.ends_with(':')) {
            label.push(';');
        }
        self.declared.insert(self.lines.len(), variable.name);
        self.line(text);
        Ok(())
    }

    fn assignment(&mut self, place: &Place, value: &Expr) -> Result<()> {
        let access = self.access(place);
        if let Base::Variable(VarRef::Local(id)) = place.base
            && place.path.is_empty()
            && self.procedure.locals[id.0].ty.as_scalar() == Some(value.ty)
        {
            match value.kind {
                ExprKind::Rmw(..) | ExprKind::Call(..) | ExprKind::Spawn(..) => {
                    self.action(value, Some(id))?
                }
                _ => {
                    let text = self.whole_value(value, id)?;
                    self.assign(id, &text);
                }
            }
            return Ok(());
        }
        let (place, values) = self.place(place, &[value])?;
        let [value] = &values[..] else { unreachable!("one value is asked for") };
        self.store(access, &place, value);
        Ok(())
    }

    fn store(&mut self, access: Access, place: &Place, value: &Expr) {
        let text = match access {
            Access::Direct => format!("{} = {};", self.place_text(place), self.expr_to(value, place)),
            Access::Delayed(x) => {
                self.switch();
                let mut args = self.indices(place);
                args.push(match self.cast_between(place, x) {
                    Some((_, delayed)) => format!("({delayed})({})", self.expr(value)),
                    None => self.argument(value),
                });
                format!("{}({});", self.translator.helper(Helper::Store(x)), args.join(", "))
            }
            Access::Pointer(ty) => {
                self.switch();
                let write = self.translator.helper(Helper::Write(ty));
                format!("{write}({}, {});", self.address(place), self.argument(value))
            }
        };
        self.line(text);
    }

    /// C's join with a result.
    fn join(&mut self, place: &Place, handle: &Expr) -> Result<()> {
        let Some(ty) = self.translator.scalar_at(&self.procedure, place) else {
            return Err(Unsupported::new(place.span, "the result of a thread"));
        };
        let access = self.access(place);
        let (place, values) = self.place(place, &[handle])?;
        self.switch();
        let bits = self.translator.program.pointer_bits;
        let pointer = Scalar::Pointer { bits };
        let result = self.temporary(pointer);
        let name = self.procedure.locals[result.0].name.clone();
        let handle = self.args(&values);
        self.line(format!("pthread_join({handle}, &{name});"));
        let read = self.read_local(result, pointer, place.span);
        let value = if ty == pointer {
            read
        } else {
            let kind = ExprKind::Convert(fencepost_ir::tree::Conversion::Wrapping, Box::new(read));
            Expr { kind, ty, span: place.span }
        };
        self.store(access, &place, &value);
        Ok(())
    }

    fn choose(&mut self, blocks: &[Block]) -> Result<()> {
        for (i, block) in blocks.iter().enumerate() {
            let any = self.language().any();
            self.line(match (self.language().is_c(), i) {
                (false, 0) => "choose {".to_string(),
                (false, _) => "} or {".to_string(),
                (true, 0) => format!("if ({any}) {{"),
                (true, i) if i + 1 < blocks.len() => format!("}} else if ({any}) {{"),
                (true, _) => "} else {".to_string(),
            });
            self.inner(&block.0)?;
        }
        self.line("}");
        Ok(())
    }

    /// A label; if a property speaks of it, with a place between two rounds.
    fn named_place(&mut self, name: &str) {
        if let Some(case) = self.cases.get(name).cloned() {
            self.indent -= 1;
            self.line(case);
            self.indent += 1;
        } else if !self.language().is_c() || self.targets.contains(name) {
            self.label(name);
        }
        if self.translator.watched.contains(name) {
            let prefix = self.translator.prefix.clone();
            self.translator.helper(Helper::BeginRound);
            self.line(format!("while ({prefix}critical == 0 && any) {{"));
            self.line("    atomic_end;");
            self.label(&format!("{prefix}at_{name}"));
            self.line(format!("    {prefix}begin_round();"));
            self.line("}");
        }
    }

    fn enter(&mut self, drain: Drain) {
        let p = &self.translator.prefix;
        match drain {
            Drain::Yes => self.call(Helper::Enter),
            Drain::No => {
                self.switch();
                self.line(format!("{p}critical = {p}critical + 1;"));
            }
        }
    }

    fn leave(&mut self, drain: Drain) {
        let p = &self.translator.prefix;
        match drain {
            Drain::Yes => self.call(Helper::Leave),
            Drain::No => self.line(format!("{p}critical = {p}critical - 1;")),
        }
    }

    fn mutex(&mut self, what: Helper, place: &Place) -> Result<()> {
        let (place, _) = self.place(place, &[])?;
        self.switch();
        self.call(Helper::Fence);
        let text = if self.language().is_c() {
            let at = match (&place.base, place.path.is_empty()) {
                (Base::Pointed(..), true) => self.address(&place),
                _ => format!("&{}", self.place_text(&place)),
            };
            format!("{}({at});", self.translator.helper(what))
        } else {
            let word = if what == Helper::Lock { "lock" } else { "unlock" };
            format!("{word}({});", self.place_text(&place))
        };
        self.line(text);
        Ok(())
    }
}

pub fn negation(condition: Expr) -> Expr {
    let span = condition.span;
    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(condition)), ty: Scalar::Bool, span }
}

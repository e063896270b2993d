//! Statements, one by one (Figure 6 of the paper).

use crate::flow::has_label;
use crate::support::Helper;
use crate::value::Access;
use crate::{Translator, Unsupported, build};
use fencepost_ir::tree::forms::{self, For, Switch};
use fencepost_ir::tree::{
    Base, BinaryOp, Block, Choices, Drain, Expr, ExprKind, Fence, FenceKind, Form, LocalId, Place, Procedure,
    ProcedureId, Stmt, StmtKind, Type, VarRef, Variable,
};
use fencepost_ir::{Scalar, Span};

pub type Result<T> = std::result::Result<T, Unsupported>;

/// The translation of a procedure's body.
pub struct Body<'a> {
    pub translator: &'a Translator<'a>,
    pub id: ProcedureId,
    /// The procedure, with the variables that were added.
    pub procedure: Procedure,
    /// So many of its variables it had before.
    original_locals: usize,
    out: Vec<Stmt>,
    /// Where the statement stands that is translated.
    pub span: Span,
    /// For the loops around where `continue` leads, if not to what the tree means by it.
    loops: Vec<Option<String>>,
    labels: usize,
}

impl<'a> Body<'a> {
    /// Nothing yet.
    pub fn new(translator: &'a Translator<'a>, id: ProcedureId) -> Body<'a> {
        let procedure = translator.program.procedure(id).clone();
        Body {
            translator,
            id,
            original_locals: procedure.locals.len(),
            procedure,
            out: Vec::new(),
            span: Span::NONE,
            loops: Vec::new(),
            labels: 0,
        }
    }

    /// The translated procedure.
    pub fn translated(mut self) -> Result<Procedure> {
        let ends_thread = self.translator.ends_thread(self.id);
        if ends_thread {
            self.call(Helper::BeginThread);
        }
        self.first_objects();
        match self.translator.wrapped(self.id) {
            Some(function) => self.wrap(function),
            None => {
                let body = std::mem::take(&mut self.procedure.body);
                self.statements(&body.0)?;
            }
        }
        self.span = Span::NONE;
        if !self.out.last().is_some_and(is_end) {
            self.last_objects();
            if ends_thread {
                self.call(Helper::EndThread);
            }
        }
        let added = (self.original_locals..self.procedure.locals.len()).map(LocalId);
        let declared = added.map(|id| build::stmt(StmtKind::Declare(id, None)));
        self.procedure.body = Block(declared.chain(self.out).collect());
        Ok(self.procedure)
    }

    /// Runs a function as the whole of a thread.
    fn wrap(&mut self, function: ProcedureId) {
        let parameters = self.procedure.locals[..self.procedure.params].iter().enumerate();
        let scalar = |v: &Variable| v.ty.as_scalar().expect("parameters are scalars");
        let args = parameters.map(|(i, v)| build::read_local(LocalId(i), scalar(v), Span::NONE)).collect();
        match self.procedure.result {
            Some(ty) => {
                let id = self.temporary(ty);
                self.assign(id, build::call(function, args, ty));
                self.call(Helper::EndThread);
                self.emit(StmtKind::Return(Some(build::read_local(id, ty, Span::NONE))));
            }
            None => self.emit(StmtKind::Eval(build::call(function, args, Scalar::Integer))),
        }
    }

    /// Adds a statement.
    pub fn emit(&mut self, kind: StmtKind) {
        self.out.push(Stmt { kind, span: self.span });
    }

    /// Calls a procedure of the translation's own.
    pub fn call(&mut self, helper: Helper) {
        let call = build::call(self.translator.helper(helper), Vec::new(), Scalar::Integer);
        self.emit(StmtKind::Eval(call));
    }

    /// Here a round may end.
    pub fn switch(&mut self) {
        let switch = build::call(self.translator.helper(Helper::Switch), Vec::new(), Scalar::Integer);
        let switch = StmtKind::Eval(switch);
        // Twice in a row is once.
        if self.out.last().is_none_or(|last| last.kind != switch) {
            self.emit(switch);
        }
    }

    /// The statements that are added meanwhile.
    pub fn captured(&mut self, add: impl FnOnce(&mut Self) -> Result<()>) -> Result<Block> {
        let outer = std::mem::take(&mut self.out);
        let result = add(self);
        let inner = std::mem::replace(&mut self.out, outer);
        result.map(|()| Block(inner))
    }

    /// A new variable.
    pub fn temporary(&mut self, ty: Scalar) -> LocalId {
        let id = LocalId(self.procedure.locals.len());
        let name = format!("{}{}", self.translator.prefix, id.0 - self.original_locals);
        let init = vec![Choices::one(ty.default_value())];
        self.procedure.locals.push(Variable::new(name, Type::Scalar(ty), init, Span::NONE));
        id
    }

    /// Gives a variable a value.
    pub fn assign(&mut self, id: LocalId, value: Expr) {
        self.emit(StmtKind::Assign(Place::variable(VarRef::Local(id), self.span), value));
    }

    /// The value kept, so that nothing that follows changes it.
    pub fn keep(&mut self, e: Expr) -> Expr {
        if let ExprKind::Const(_) = e.kind {
            return e;
        }
        let (id, ty, span) = (self.temporary(e.ty), e.ty, e.span);
        self.assign(id, e);
        build::read_local(id, ty, span)
    }

    /// Statements in order.
    fn statements(&mut self, mut stmts: &[Stmt]) -> Result<()> {
        while let [stmt, rest @ ..] = stmts {
            self.span = stmt.span;
            self.stmt(stmt)?;
            stmts = rest;
            // What stands after a jump is unreachable, unless it has labels.
            if is_end(stmt) {
                let reached = stmts.iter().position(has_label).unwrap_or(stmts.len());
                stmts = &stmts[reached..];
            }
        }
        Ok(())
    }

    fn inner(&mut self, stmts: &[Stmt]) -> Result<Block> {
        let span = self.span;
        let block = self.captured(|body| body.statements(stmts));
        self.span = span;
        block
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::Skip | StmtKind::Break => self.emit(stmt.kind.clone()),
            StmtKind::Label(name) => self.named_place(name),
            StmtKind::Declare(id, value) => {
                let value = value.as_ref().map(|e| self.whole_value(e)).transpose()?;
                self.emit(StmtKind::Declare(*id, value));
            }
            StmtKind::Assign(place, value) => self.assignment(place, value)?,
            StmtKind::Eval(e) => self.action(e, None)?,
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.value(condition)?;
                let (then, otherwise) = (self.inner(&then.0)?, self.inner(&otherwise.0)?);
                self.emit(StmtKind::If(condition, then, otherwise));
            }
            StmtKind::While(condition, body) => {
                self.while_loop(condition, body, |this| this.statements(&body.0))?
            }
            StmtKind::DoWhile(body, condition) => self.do_while(body, condition)?,
            StmtKind::Continue => match self.loops.last().cloned().flatten() {
                Some(target) => self.emit(StmtKind::Goto(target)),
                None => self.emit(StmtKind::Continue),
            },
            StmtKind::Goto(label) => {
                self.switch();
                self.emit(StmtKind::Goto(label.clone()));
            }
            StmtKind::Return(value) => self.returned(value.as_ref())?,
            StmtKind::Choose(blocks) => {
                let blocks = blocks.iter().map(|b| self.inner(&b.0)).collect::<Result<_>>()?;
                self.emit(StmtKind::Choose(blocks));
            }
            StmtKind::Atomic(drain, body) => {
                self.enter(*drain);
                let body = self.inner(&body.0)?;
                self.emit(StmtKind::Block(Form::Braces, body));
                self.leave(*drain);
            }
            StmtKind::AtomicBegin(drain) => self.enter(*drain),
            StmtKind::AtomicEnd(drain) => self.leave(*drain),
            StmtKind::Fence(Fence::Machine(FenceKind::Full)) => {
                self.switch();
                self.call(Helper::Fence);
            }
            StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)) => self.emit(StmtKind::Skip),
            StmtKind::Fence(Fence::Thread(order)) => panic!("the pass `orders` leaves no {order} fence"),
            StmtKind::Assume(condition) => {
                let condition = self.value(condition)?;
                // If it is false the thread stops here, between two rounds.
                self.switch();
                self.emit(StmtKind::Assume(condition));
            }
            StmtKind::Assert(condition) => {
                let condition = self.value(condition)?;
                self.emit(StmtKind::Assert(condition));
            }
            StmtKind::Lock(place) | StmtKind::Unlock(place) => {
                let (place, _) = self.place(place, &[])?;
                self.switch();
                self.call(Helper::Fence);
                self.emit(match stmt.kind {
                    StmtKind::Lock(_) => StmtKind::Lock(place),
                    _ => StmtKind::Unlock(place),
                });
            }
            StmtKind::Join(None, handle) => {
                let handle = self.value(handle)?;
                self.switch();
                self.emit(StmtKind::Join(None, handle));
            }
            StmtKind::Join(Some(place), handle) => self.join(place, handle)?,
            StmtKind::Block(form, block) => self.formed(*form, block)?,
            StmtKind::Exit(value) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                let value = value.map(|value| self.keep(value));
                self.call(Helper::EndThread);
                self.emit(StmtKind::Exit(value));
            }
            StmtKind::Halt => {
                self.switch();
                self.call(Helper::Fence);
                self.emit(StmtKind::Halt);
            }
            StmtKind::Free(pointer) => {
                let pointer = self.value(pointer)?;
                self.switch();
                self.call(Helper::Fence);
                self.emit(StmtKind::Free(pointer));
            }
            StmtKind::Enter(_) | StmtKind::Leave(_) => panic!("what has a block's life is refused before"),
        }
        Ok(())
    }

    /// A loop with a test before each round; `body` adds its statements.
    fn while_loop(
        &mut self,
        condition: &Expr,
        whole: &Block,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let span = self.span;
        self.loops.push(None);
        let effects = self.has_effects(condition);
        let test = if effects { build::truth(true) } else { self.value(condition)? };
        let inner = self.captured(|this| {
            if effects {
                let condition = this.value(condition)?;
                let leave = Block(vec![Stmt { kind: StmtKind::Break, span }]);
                this.emit(StmtKind::If(build::negation(condition), leave, Block::default()));
            } else if !this.surely_switches(whole) {
                // A loop without an access must not keep others from running.
                this.switch();
            }
            body(this)
        })?;
        self.loops.pop();
        self.span = span;
        self.emit(StmtKind::While(test, inner));
        Ok(())
    }

    fn do_while(&mut self, body: &Block, condition: &Expr) -> Result<()> {
        let span = self.span;
        let effects = self.has_effects(condition);
        let target = (effects && forms::continues(&body.0)).then(|| {
            self.labels += 1;
            format!("{}continue_{}", self.translator.prefix, self.labels)
        });
        let mut test = build::truth(true);
        let inner = self.captured(|this| {
            this.loops.push(target.clone());
            // The label that the front end has for `continue` stays at the end.
            let (next, stmts) = match body.0.split_last() {
                Some((next, stmts)) if !effects && matches!(next.kind, StmtKind::Label(_)) => {
                    (Some(next), stmts)
                }
                _ => (None, &body.0[..]),
            };
            this.statements(stmts)?;
            this.loops.pop();
            this.span = span;
            if let Some(target) = target {
                this.emit(StmtKind::Label(target));
            }
            test = this.value(condition)?;
            if !effects && !this.surely_switches(body) {
                this.switch();
            }
            next.into_iter().try_for_each(|next| this.stmt(next))
        })?;
        self.emit(StmtKind::DoWhile(inner, test));
        Ok(())
    }

    fn formed(&mut self, form: Form, block: &Block) -> Result<()> {
        let span = self.span;
        let (form, block) = match form {
            Form::For { step } => match forms::for_loop(step, block) {
                Some(f) => self.for_loop(&f)?,
                None => (Form::Braces, self.inner(&block.0)?),
            },
            Form::Switch => match forms::switch(block) {
                Some(s) if !s.tests.iter().any(|test| self.tests_have_effects(test)) => {
                    (Form::Switch, self.captured(|this| this.switch_statement(&s))?)
                }
                _ => (Form::Braces, self.inner(&block.0)?),
            },
            Form::Braces => (Form::Braces, self.inner(&block.0)?),
        };
        self.span = span;
        self.emit(StmtKind::Block(form, block));
        Ok(())
    }

    fn for_loop(&mut self, f: &For<'_>) -> Result<(Form, Block)> {
        let mut step = 0;
        let block = self.captured(|this| {
            this.statements(f.init)?;
            this.span = f.head.span;
            this.while_loop(f.condition, f.whole, |this| {
                this.statements(&f.whole.0[..f.whole.0.len() - f.step.len()])?;
                let before = this.out.len();
                this.statements(f.step)?;
                step = this.out.len() - before;
                Ok(())
            })
        })?;
        Ok((Form::For { step }, block))
    }

    fn tests_have_effects(&self, stmt: &Stmt) -> bool {
        stmt.kind.expressions().iter().any(|e| self.has_effects(e))
    }

    /// The jumps to the cases lead forwards, and nobody need run before them.
    fn switch_statement(&mut self, s: &Switch<'_>) -> Result<()> {
        self.statements(s.before)?;
        for test in s.tests {
            self.span = test.span;
            let kind = match &test.kind {
                StmtKind::If(condition, then, otherwise) => {
                    StmtKind::If(self.value(condition)?, then.clone(), otherwise.clone())
                }
                kind => kind.clone(),
            };
            self.emit(kind);
        }
        self.statements(s.region)?;
        self.emit(StmtKind::Label(s.end.to_string()));
        Ok(())
    }

    fn returned(&mut self, value: Option<&Expr>) -> Result<()> {
        let ends_thread = self.translator.ends_thread(self.id);
        let value = value.map(|v| self.value(v)).transpose()?;
        // The thread's own variables are gone when it has ended.
        let value = match value {
            Some(value) if ends_thread || self.has_last_objects() => Some(self.keep(value)),
            value => value,
        };
        self.last_objects();
        if ends_thread {
            self.call(Helper::EndThread);
        }
        self.emit(StmtKind::Return(value));
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
                    self.action(value, Some(id))?;
                }
                _ => {
                    let value = self.whole_value(value)?;
                    self.assign(id, value);
                }
            }
            return Ok(());
        }
        let (place, mut values) = self.place(place, &[value])?;
        let value = values.pop().expect("one value is asked for");
        self.store(access, place, value);
        Ok(())
    }

    fn store(&mut self, access: Access, place: Place, value: Expr) {
        match access {
            Access::Direct => self.emit(StmtKind::Assign(place, value)),
            Access::Delayed(x) => {
                self.switch();
                let ty = self.translator.delayed[x].ty;
                let mut args = indices(&place);
                args.push(build::convert(fencepost_ir::tree::Conversion::Wrapping, value, ty));
                self.call_with(Helper::Store(x), args);
            }
            Access::Pointer(ty) => {
                self.switch();
                let args = vec![self.translator.address(place), value];
                self.call_with(Helper::Write(ty), args);
            }
        }
    }

    fn call_with(&mut self, helper: Helper, args: Vec<Expr>) {
        let call = build::call(self.translator.helper(helper), args, Scalar::Integer);
        self.emit(StmtKind::Eval(call));
    }

    /// A join with a result.
    fn join(&mut self, place: &Place, handle: &Expr) -> Result<()> {
        let Some(ty) = self.translator.scalar_at(&self.procedure, place) else {
            return Err(Unsupported::new(place.span, "the result of a thread"));
        };
        let access = self.access(place);
        let (place, mut values) = self.place(place, &[handle])?;
        let handle = values.pop().expect("one value is asked for");
        self.switch();
        if let Access::Direct = access {
            self.emit(StmtKind::Join(Some(place), handle));
            return Ok(());
        }
        let result = self.temporary(ty);
        self.emit(StmtKind::Join(Some(Place::variable(VarRef::Local(result), place.span)), handle));
        let value = build::read_local(result, ty, place.span);
        self.store(access, place, value);
        Ok(())
    }

    /// A label; if a property speaks of it, with a place between two rounds.
    fn named_place(&mut self, name: &str) {
        self.emit(StmtKind::Label(name.to_string()));
        if self.translator.watched.contains(name) {
            let begin = build::call(self.translator.helper(Helper::BeginRound), Vec::new(), Scalar::Integer);
            let span = self.span;
            let stmt = |kind| Stmt { kind, span };
            let body = vec![
                stmt(StmtKind::AtomicEnd(Drain::Yes)),
                stmt(StmtKind::Label(format!("{}at_{name}", self.translator.prefix))),
                stmt(StmtKind::Eval(begin)),
            ];
            self.emit(StmtKind::While(self.translator.may_end(), Block(body)));
        }
    }

    fn enter(&mut self, drain: Drain) {
        match drain {
            Drain::Yes => self.call(Helper::Enter),
            Drain::No => {
                self.switch();
                let count = self.translator.count_sections(BinaryOp::Add);
                self.emit(count.kind);
            }
        }
    }

    fn leave(&mut self, drain: Drain) {
        match drain {
            Drain::Yes => self.call(Helper::Leave),
            Drain::No => {
                let count = self.translator.count_sections(BinaryOp::Sub);
                self.emit(count.kind);
            }
        }
    }
}

/// The indices of a place, as procedures of the translation's own take them.
pub fn indices(place: &Place) -> Vec<Expr> {
    place.indices().map(|e| build::index(e.clone())).collect()
}

/// Whether what stands after it is unreachable.
fn is_end(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Halt | StmtKind::Exit(_))
}

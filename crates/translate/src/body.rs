//! Statements, one by one (Figure 6 of the paper).

use crate::flow::has_label;
use crate::support::Helper;
use crate::value::Access;
use crate::{Translator, Unsupported, build};
use fencepost_analysis::points_to::Sites;
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
    /// The procedure as it is.
    original: &'a Procedure,
    /// The allocations in it.
    pub sites: Sites<'a>,
    /// The procedure, with the variables that were added.
    pub procedure: Procedure,
    pub out: Vec<Stmt>,
    /// Where the statement is that is translated.
    pub span: Span,
    /// For the loops around where `continue` leads, if not to what the tree means by it.
    pub loops: Vec<Option<String>>,
    pub labels: usize,
}

impl<'a> Body<'a> {
    /// Nothing yet.
    pub fn new(translator: &'a Translator<'a>, id: ProcedureId) -> Body<'a> {
        let original = translator.program.procedure(id);
        let procedure = Procedure { body: Block::default(), ..original.clone() };
        Body {
            translator,
            original,
            sites: Sites::new(original),
            id,
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
            None => self.statements(&self.original.body.0)?,
        }
        self.span = Span::NONE;
        if !self.out.last().is_some_and(is_end) {
            self.last_objects();
            if ends_thread {
                self.call(Helper::EndThread);
            }
        }
        let added = (self.original.locals.len()..self.procedure.locals.len()).map(LocalId);
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
        let name = format!("{}{}", self.translator.prefix, id.0 - self.original.locals.len());
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
    pub fn statements(&mut self, mut stmts: &[Stmt]) -> Result<()> {
        while let [stmt, rest @ ..] = stmts {
            self.span = stmt.span;
            self.stmt(stmt)?;
            stmts = rest;
            // What comes after a jump is unreachable, unless it has labels.
            if is_end(stmt) {
                let reached = stmts.iter().position(has_label).unwrap_or(stmts.len());
                stmts = &stmts[reached..];
            }
        }
        Ok(())
    }

    pub fn inner(&mut self, stmts: &[Stmt]) -> Result<Block> {
        let span = self.span;
        let block = self.captured(|body| body.statements(stmts));
        self.span = span;
        block
    }

    pub fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
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
            StmtKind::Fence(Fence::Machine(FenceKind::Full)) => self.fence(),
            StmtKind::Fence(Fence::Machine(FenceKind::StoreStore)) => self.emit(StmtKind::Skip),
            StmtKind::Fence(Fence::Thread(order)) => panic!("the pass `orders` leaves no {order} fence"),
            StmtKind::Assume(condition) => {
                // If it is false the thread stops here, between two rounds.
                let condition = self.value_between_rounds(condition)?;
                self.emit(StmtKind::Assume(condition));
            }
            StmtKind::Assert(condition, claim) => {
                let condition = self.value(condition)?;
                self.emit(StmtKind::Assert(condition, *claim));
            }
            StmtKind::Lock(place) => {
                let (place, _) = self.place(place, &[])?;
                self.fence();
                self.emit(StmtKind::Lock(place));
            }
            StmtKind::Unlock(place) => {
                let (place, _) = self.place(place, &[])?;
                self.fence();
                self.emit(StmtKind::Unlock(place));
            }
            StmtKind::Join(None, handle) => {
                let handle = self.value_between_rounds(handle)?;
                self.emit(StmtKind::Join(None, handle));
            }
            StmtKind::Join(Some(place), handle) => self.join(place, handle)?,
            StmtKind::Block(form, block) => self.formed(*form, block)?,
            StmtKind::Exit(value) => self.exit(value.as_ref())?,
            StmtKind::Halt => {
                self.fence();
                self.emit(StmtKind::Halt);
            }
            StmtKind::Free(pointer) => {
                let pointer = self.value(pointer)?;
                self.fence();
                self.emit(StmtKind::Free(pointer));
            }
            StmtKind::Enter(_) | StmtKind::Leave(_) => panic!("what has a block's life is refused before"),
        }
        Ok(())
    }

    /// A value; here a round may end.
    fn value_between_rounds(&mut self, e: &Expr) -> Result<Expr> {
        let value = self.value(e)?;
        self.switch();
        Ok(value)
    }

    /// The buffer is emptied.
    fn fence(&mut self) {
        self.switch();
        self.call(Helper::Fence);
    }

    fn exit(&mut self, value: Option<&Expr>) -> Result<()> {
        let value = value.map(|value| self.value(value)).transpose()?;
        let value = value.map(|value| self.keep(value));
        self.call(Helper::EndThread);
        self.emit(StmtKind::Exit(value));
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

/// Whether what comes after it is unreachable.
fn is_end(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Halt | StmtKind::Exit(_))
}

//! Function bodies and their statements.

use super::constant::constant_of;
use super::label::Labels;
use super::link::FunctionDecl;
use super::scope::Symbol;
use super::switch::OpenSwitch;
use super::{Checker, Result};
use crate::ast::{self, ForInit, Parameters, StmtKind as Ast};
use crate::hir::{
    self, Block, Expr, FunctionId, LabelId, Local, LocalId, Loop, LoopKind, Stmt, StmtKind, TypeId,
};
use fencepost_ir::{Span, wanted};
use index_vec::IndexVec;

/// A function body that is being checked.
pub struct Body<'a> {
    pub name: &'a str,
    pub id: FunctionId,
    pub result: TypeId,
    pub locals: IndexVec<LocalId, Local>,
    pub labels: IndexVec<LabelId, hir::Label>,
    pub names: Labels<'a>,
    /// The switches around, innermost last.
    pub switches: Vec<OpenSwitch>,
    /// How many loops, and how many loops and switches, are around.
    pub loops: u32,
    pub breakable: u32,
    /// Variables in scope that something is called with when they go.
    pub cleanups: u32,
    /// Declarations of the lengths that the types at hand need.
    pub lengths: Vec<Stmt>,
    /// Declarations of registers that nothing else declares.
    pub registers: Vec<Stmt>,
    /// Among the parameters of a function that is only declared.
    pub in_prototype: bool,
}

impl<'a> Checker<'a> {
    /// Checks the body of a function that is used.
    pub fn function_body(&mut self, decl: FunctionDecl) {
        let function = &self.link.functions[decl];
        let (Some(definition), Some(id)) = (function.body, function.id) else { return };
        let ty = self.types.function(function.ty).expect("functions have function types").clone();
        self.scopes.enter_unit(function.unit);
        self.body = Some(Body {
            name: function.name,
            id,
            result: ty.result,
            locals: IndexVec::new(),
            labels: IndexVec::new(),
            names: Labels::default(),
            switches: Vec::new(),
            loops: 0,
            breakable: 0,
            cleanups: 0,
            lengths: Vec::new(),
            registers: Vec::new(),
            in_prototype: false,
        });
        self.scopes.open();
        let params = ty.params.unwrap_or_default();
        self.parameters(definition, &params);
        let mut items = std::mem::take(&mut self.body().lengths);
        items.extend(self.block(&definition.body).items);
        self.scopes.close();
        self.labels_are_placed();
        let body = self.body.take().expect("just made");
        items.splice(0..0, body.registers);
        self.output.functions[id].body = Some(hir::Body {
            locals: body.locals,
            params: params.len(),
            labels: body.labels,
            block: Block { items },
            end: definition.body.end,
        });
    }

    /// The parameters, as the first locals.
    fn parameters(&mut self, function: &'a ast::Function, types: &[TypeId]) {
        match function.parameters() {
            Parameters::Unspecified => {}
            Parameters::Names(names) => {
                for (name, ty) in names.iter().zip(types) {
                    self.parameter(Some(name), *ty, name.span);
                }
            }
            Parameters::Prototype { parameters, .. } => {
                for (p, ty) in parameters.iter().zip(types) {
                    self.parameter(p.declarator.name.as_ref(), *ty, p.span);
                }
                self.parameter_lengths(parameters);
            }
        }
    }

    fn parameter(&mut self, name: Option<&'a ast::Name>, ty: TypeId, span: Span) {
        if self.types.size(ty).is_none() {
            self.incomplete(ty, span);
        }
        let id = self.new_local(name.map_or("", |name| &name.text), ty, name.map_or(span, |name| name.span));
        if let Some(name) = name {
            self.scopes.define(&name.text, Symbol::Local(id));
        }
    }

    /// Types of parameters with lengths that other parameters give, as in `int n, int a[][n]`.
    fn parameter_lengths(&mut self, parameters: &'a [ast::Parameter]) {
        for p in parameters {
            let Some(name) = &p.declarator.name else { continue };
            let Some(Symbol::Local(id)) = self.scopes.here(&name.text) else { continue };
            let inner = p.declarator.derived.iter().skip(1);
            let mut lengths = inner.filter_map(|step| match step {
                ast::Derived::Array(bounds) => Some(&bounds.size),
                _ => None,
            });
            if !lengths.any(|size| matches!(size, ast::ArraySize::Expr(_))) {
                continue;
            }
            let ty = self.base_type(&p.specifiers);
            if let Ok(ty) = ty.and_then(|base| self.parameter_type(base, &p.declarator.derived)) {
                self.body().locals[id].ty = ty;
            }
        }
    }

    /// Runs `inside` with a scope of its own.
    pub fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.open();
        let cleanups = self.body().cleanups;
        let result = inside(self);
        self.body().cleanups = cleanups;
        self.scopes.close();
        result
    }

    /// A block's statements; its scope is the caller's.
    pub fn block(&mut self, block: &'a ast::Block) -> Block {
        self.open_labels(&block.labels);
        let mut items = Vec::new();
        for item in &block.items {
            self.block_item(item, &mut items);
        }
        self.close_labels(&block.labels);
        Block { items }
    }

    /// A block whose last expression is a value.
    pub fn block_with_value(&mut self, block: &'a ast::Block) -> (Vec<Stmt>, Option<Result<Expr>>) {
        self.scoped(|this| {
            this.open_labels(&block.labels);
            let mut items = Vec::new();
            let (last, rest) = match block.items.split_last() {
                Some((ast::BlockItem::Statement(last), rest)) => (Some(last), rest),
                _ => (None, &block.items[..]),
            };
            for item in rest {
                this.block_item(item, &mut items);
            }
            let value = last.and_then(|last| this.last_value(last, &mut items));
            this.close_labels(&block.labels);
            (items, value)
        })
    }

    fn last_value(&mut self, last: &'a ast::Stmt, items: &mut Vec<Stmt>) -> Option<Result<Expr>> {
        match &last.kind {
            Ast::Expr(e) => Some(self.value(e)),
            Ast::Labeled(labels, inner) if matches!(inner.kind, Ast::Expr(_) | Ast::Labeled(..)) => {
                labels.iter().for_each(|label| self.label(label, items));
                self.last_value(inner, items)
            }
            _ => {
                self.statement(last, items);
                None
            }
        }
    }

    fn block_item(&mut self, item: &'a ast::BlockItem, items: &mut Vec<Stmt>) {
        match item {
            ast::BlockItem::Declaration(declaration) => self.declare_local(declaration, items),
            ast::BlockItem::StaticAssert(assertion) => {
                let _ = self.static_assert(assertion);
            }
            ast::BlockItem::Statement(stmt) => self.statement(stmt, items),
            ast::BlockItem::Broken(names) => {
                for name in names {
                    if self.scopes.lookup(&name.text).is_none() {
                        self.scopes.break_name(&name.text);
                    }
                }
            }
        }
    }

    /// A statement that has a scope of its own.
    pub fn nested(&mut self, stmt: &'a ast::Stmt) -> Block {
        self.scoped(|this| match &stmt.kind {
            Ast::Block(block) => this.block(block),
            _ => {
                let mut items = Vec::new();
                this.statement(stmt, &mut items);
                Block { items }
            }
        })
    }

    /// A value that decides; one that is wrong has been reported.
    fn deciding(&mut self, e: &'a ast::Expr) -> Expr {
        let value = self.value(e).and_then(|value| self.condition(value));
        value.unwrap_or_else(|_| self.error(e.span))
    }

    pub fn statement(&mut self, stmt: &'a ast::Stmt, items: &mut Vec<Stmt>) {
        wanted::point();
        let span = stmt.span;
        let kind = match &stmt.kind {
            Ast::Empty => return,
            Ast::Expr(e) => StmtKind::Expr(self.effect(e)),
            Ast::Block(_) => StmtKind::Block(self.nested(stmt)),
            Ast::Labeled(labels, inner) => {
                labels.iter().for_each(|label| self.label(label, items));
                return match labels.iter().any(starts_thread) {
                    true => self.started(inner, items),
                    false => self.statement(inner, items),
                };
            }
            Ast::If(condition, then, otherwise) => {
                match self.if_statement(condition, then, otherwise.as_deref()) {
                    Some(kind) => kind,
                    None => return,
                }
            }
            Ast::Switch(value, body) => self.switch(value, body),
            Ast::While(condition, body) => {
                let condition = self.deciding(condition);
                self.looping(LoopKind::While, Block::default(), Some(condition), None, body)
            }
            Ast::DoWhile(body, condition) => {
                let mut kind = self.looping(LoopKind::DoWhile, Block::default(), None, None, body);
                let condition = self.deciding(condition);
                if let StmtKind::Loop(l) = &mut kind {
                    l.condition = Some(condition);
                }
                kind
            }
            Ast::For(f) => self.scoped(|this| this.for_loop(f)),
            Ast::Goto(name) => match self.goto(name, span) {
                Ok(kind) => kind,
                Err(_) => return,
            },
            Ast::GotoComputed(e) => match self.computed_goto(e, span) {
                Ok(kind) => kind,
                Err(_) => return,
            },
            Ast::Continue if self.body().loops > 0 => StmtKind::Continue,
            Ast::Break if self.body().breakable > 0 => StmtKind::Break,
            Ast::Continue => {
                let _ = self.fail::<()>(span, "this `continue` stands in no loop");
                return;
            }
            Ast::Break => {
                let _ = self.fail::<()>(span, "this `break` stands in no loop and no switch");
                return;
            }
            Ast::Return(value) => match self.return_value(value.as_ref()) {
                Ok(value) => StmtKind::Return(value),
                Err(_) => return,
            },
            Ast::Asm(asm) => match self.asm(asm) {
                Ok(asm) => StmtKind::Asm(Box::new(asm)),
                Err(_) => return,
            },
        };
        items.push(Stmt { kind, span });
    }

    /// `if`. A branch that a constant leaves out need not make sense, unless it can be jumped into.
    fn if_statement(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Stmt,
        otherwise: Option<&'a ast::Stmt>,
    ) -> Option<StmtKind> {
        let test = self.deciding(condition);
        if let Some(value) = constant_of(&test) {
            let (taken, left) = match value != 0 {
                true => (Some(then), otherwise),
                false => (otherwise, Some(then)),
            };
            if !left.is_some_and(ast::has_label) {
                return taken.map(|taken| StmtKind::Block(self.nested(taken)));
            }
        }
        let then = self.nested(then);
        let otherwise = otherwise.map_or(Block::default(), |otherwise| self.nested(otherwise));
        Some(StmtKind::If(test, then, otherwise))
    }

    fn for_loop(&mut self, f: &'a ast::For) -> StmtKind {
        let mut init = Vec::new();
        match &f.init {
            ForInit::Empty => {}
            ForInit::Expr(e) => {
                let value = self.effect(e);
                init.push(Stmt { kind: StmtKind::Expr(value), span: e.span });
            }
            ForInit::Declaration(declaration) => self.declare_local(declaration, &mut init),
        }
        let condition = f.condition.as_ref().map(|e| self.deciding(e));
        let step = f.step.as_ref().map(|e| self.effect(e));
        self.looping(LoopKind::For, Block { items: init }, condition, step, &f.body)
    }

    fn looping(
        &mut self,
        kind: LoopKind,
        init: Block,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: &'a ast::Stmt,
    ) -> StmtKind {
        self.body().loops += 1;
        self.body().breakable += 1;
        let body = self.nested(body);
        self.body().loops -= 1;
        self.body().breakable -= 1;
        StmtKind::Loop(Box::new(Loop { kind, init, condition, step, body }))
    }

    fn return_value(&mut self, value: Option<&'a ast::Expr>) -> Result<Option<Expr>> {
        let result = self.body().result;
        // The value of a function that returns none is not used.
        let Some(e) = value else { return Ok(None) };
        let value = self.value(e)?;
        match (self.types.is_void(result), self.types.is_void(value.ty)) {
            // GNU C allows a call of a function without value there.
            (true, true) => Ok(Some(value)),
            (true, false) => self.fail(e.span, "this function returns no value"),
            (false, _) if self.types.is_record(value.ty) && !self.types.same(value.ty, result) => {
                self.fail(e.span, "this does not fit the function's result")
            }
            (false, _) => self.converted(value, result).map(Some),
        }
    }

    /// CBMC's way to start a thread: a call after a label with a name of its own.
    fn started(&mut self, stmt: &'a ast::Stmt, items: &mut Vec<Stmt>) {
        if let Ast::Expr(e) = &stmt.kind
            && let Ok(value) = self.value(e)
        {
            if let hir::ExprKind::Call(hir::Callee::Function(_), _) = value.kind {
                items.push(Stmt { kind: StmtKind::Start(value), span: stmt.span });
                return;
            }
            let message = "only a call of a function that has a body can be started as a thread";
            let _ = self.fail::<()>(stmt.span, message);
        }
    }
}

fn starts_thread(label: &ast::Label) -> bool {
    match &label.kind {
        ast::LabelKind::Name(name) => name.starts_with("__CPROVER_ASYNC_"),
        ast::LabelKind::Case(_) | ast::LabelKind::Range(..) | ast::LabelKind::Default => false,
    }
}

//! Statements of one procedure: scopes, labels, and where jumps may lead.

use super::ast::{self, Init};
use super::expression::{Context, one_order};
use super::resolve::{Resolver, Result};
use fencepost_ir::Claim;
use fencepost_ir::tree::*;
use fencepost_ir::{Scalar, Span};
use fencepost_text::Diagnostic;
use std::collections::HashMap;

/// A procedure's body while it is looked at.
pub(super) struct Body<'a> {
    pub(super) resolver: &'a Resolver,
    pub(super) context: Context,
    procedure: Option<ProcedureId>,
    locals: Vec<Variable>,
    /// The number of the last variable that was made up.
    kept: usize,
    scopes: Vec<HashMap<String, LocalId>>,
    /// Loops open inside the innermost `atomic` block, or in the procedure.
    loops: usize,
    atomic: usize,
    /// Labels, whether they are in an atomic block, and where.
    labels: HashMap<String, (bool, Span)>,
    gotos: Vec<ast::Name>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Body<'a> {
    fn new(resolver: &'a Resolver, context: Context, procedure: Option<ProcedureId>) -> Body<'a> {
        Body {
            resolver,
            context,
            procedure,
            locals: Vec::new(),
            kept: 0,
            scopes: vec![HashMap::new()],
            loops: 0,
            atomic: 0,
            labels: HashMap::new(),
            gotos: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The locals and the statements of a procedure.
    pub(super) fn resolve(
        resolver: &Resolver,
        id: ProcedureId,
        stmts: &[ast::Stmt],
    ) -> (Vec<Variable>, Block, Vec<Diagnostic>) {
        let mut body = Body::new(resolver, Context::Code, Some(id));
        let params = &resolver.program.procedure(id).locals;
        for (i, param) in params.iter().enumerate() {
            body.scopes[0].insert(param.name.clone(), LocalId(i));
        }
        body.locals = params.clone();
        let block = body.block(stmts);
        for goto in std::mem::take(&mut body.gotos) {
            let diagnostic = match body.labels.get(&goto.text) {
                None => Diagnostic::new(goto.span, format!("there is no label `{}` here", goto.text)),
                Some((true, _)) => Diagnostic::new(goto.span, "this jumps into an atomic block")
                    .help("use `atomic_begin` and `atomic_end` instead of a block"),
                Some((false, _)) => continue,
            };
            body.diagnostics.push(diagnostic);
        }
        (body.locals, block, body.diagnostics)
    }

    /// A final condition.
    pub(super) fn condition(resolver: &Resolver, e: &ast::Expr) -> Result<Expr> {
        Body::new(resolver, Context::Final, None).truth(e)
    }

    pub(super) fn local(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    pub(super) fn type_of(&self, variable: VarRef) -> Type {
        match variable {
            VarRef::Local(id) => self.locals[id.0].ty.clone(),
            _ => {
                let variable = self.resolver.program.variable(None, variable);
                variable.expect("names are looked up among what is declared").ty.clone()
            }
        }
    }

    fn block(&mut self, stmts: &[ast::Stmt]) -> Block {
        self.scopes.push(HashMap::new());
        let mut block = Vec::new();
        for stmt in stmts {
            if let Err(diagnostic) = self.stmt(stmt, &mut block) {
                self.diagnostics.push(diagnostic);
            }
        }
        self.scopes.pop();
        Block(block)
    }

    fn loop_block(&mut self, stmts: &[ast::Stmt]) -> Block {
        self.loops += 1;
        let block = self.block(stmts);
        self.loops -= 1;
        block
    }

    fn stmt(&mut self, stmt: &ast::Stmt, out: &mut Vec<Stmt>) -> Result<()> {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Skip => StmtKind::Skip,
            ast::StmtKind::Label(name) => {
                if let Some((_, first)) = self.labels.insert(name.text.clone(), (self.atomic > 0, span)) {
                    let message = format!("the label `{}` stands twice", name.text);
                    return Err(Diagnostic::new(span, message).label(format!("first in line {}", first.line)));
                }
                StmtKind::Label(name.text.clone())
            }
            ast::StmtKind::Declare(declarations) => {
                return declarations.iter().try_for_each(|d| {
                    let declare = self.declare(d)?;
                    out.push(Stmt { kind: declare, span: d.name.span });
                    Ok(())
                });
            }
            ast::StmtKind::Assign(targets, values) => return self.assign(targets, values, span, out),
            ast::StmtKind::Update(target, op, value) => {
                let (place, ty) = self.target(target)?;
                let pure = |e: &Expr| self.resolver.program.is_pure(None, e);
                if !place.indices().all(pure) {
                    return Err(Diagnostic::new(
                        target.span,
                        "the index reads shared memory and would be read twice",
                    )
                    .help("put the index into a local variable first"));
                }
                let sum = ast::ExprKind::Binary(*op, Box::new(target.clone()), Box::new(value.clone()));
                let sum = ast::Expr { kind: sum, span };
                StmtKind::Assign(place, self.expr_of(&sum, ty)?)
            }
            ast::StmtKind::Eval(e) => {
                let e = match &e.kind {
                    ast::ExprKind::Call(name, args) if RmwKind::ALL.iter().all(|k| k.name() != name.text) => {
                        self.call_statement(name, args, e.span)?
                    }
                    _ => self.expr(e, None)?,
                };
                if !matches!(e.kind, ExprKind::Call(..) | ExprKind::Spawn(..) | ExprKind::Rmw(..)) {
                    return Err(Diagnostic::new(span, "this computes a value and drops it"));
                }
                StmtKind::Eval(e)
            }
            ast::StmtKind::If(cond, then, otherwise) => {
                let cond = self.truth(cond)?;
                StmtKind::If(cond, self.block(then), self.block(otherwise))
            }
            ast::StmtKind::While(cond, body) => StmtKind::While(self.truth(cond)?, self.loop_block(body)),
            ast::StmtKind::DoWhile(body, cond) => {
                let body = self.loop_block(body);
                StmtKind::DoWhile(body, self.truth(cond)?)
            }
            ast::StmtKind::Break | ast::StmtKind::Continue if self.loops == 0 => {
                let message = if self.atomic > 0 {
                    "this jumps out of an atomic block"
                } else {
                    "there is no loop here"
                };
                return Err(Diagnostic::new(span, message));
            }
            ast::StmtKind::Break => StmtKind::Break,
            ast::StmtKind::Continue => StmtKind::Continue,
            ast::StmtKind::Goto(_) | ast::StmtKind::Return(_) if self.atomic > 0 => {
                return Err(Diagnostic::new(span, "this jumps out of an atomic block")
                    .help("use `atomic_begin` and `atomic_end` instead of a block"));
            }
            ast::StmtKind::Goto(label) => {
                self.gotos.push(label.clone());
                StmtKind::Goto(label.text.clone())
            }
            ast::StmtKind::Return(value) => self.return_stmt(value.as_ref(), span)?,
            ast::StmtKind::Choose(blocks) => StmtKind::Choose(blocks.iter().map(|b| self.block(b)).collect()),
            ast::StmtKind::Atomic(drain, body) => {
                let loops = std::mem::take(&mut self.loops);
                self.atomic += 1;
                let body = self.block(body);
                self.atomic -= 1;
                self.loops = loops;
                StmtKind::Atomic(*drain, body)
            }
            ast::StmtKind::AtomicBegin(drain) => StmtKind::AtomicBegin(*drain),
            ast::StmtKind::AtomicEnd(drain) => StmtKind::AtomicEnd(*drain),
            ast::StmtKind::Fence(kind) => StmtKind::Fence(*kind),
            ast::StmtKind::Assume(e) => StmtKind::Assume(self.truth(e)?),
            ast::StmtKind::Assert(e) => StmtKind::Assert(self.truth(e)?, Claim::Assertion),
            ast::StmtKind::Lock(e) => StmtKind::Lock(self.mutex(e)?),
            ast::StmtKind::Unlock(e) => StmtKind::Unlock(self.mutex(e)?),
            ast::StmtKind::Join(e) => StmtKind::Join(None, self.expr_of(e, Scalar::Thread)?),
            ast::StmtKind::Block(stmts) => StmtKind::Block(Form::Braces, self.block(stmts)),
        };
        out.push(Stmt { kind, span });
        Ok(())
    }

    fn return_stmt(&mut self, value: Option<&ast::Expr>, span: Span) -> Result<StmtKind> {
        let result = self.procedure.and_then(|p| self.resolver.program.procedure(p).result);
        match (result, value) {
            (Some(ty), Some(value)) => Ok(StmtKind::Return(Some(self.expr_of(value, ty)?))),
            (None, None) => Ok(StmtKind::Return(None)),
            (Some(ty), None) => Err(Diagnostic::new(span, format!("this function returns {ty}"))),
            (None, Some(value)) => Err(Diagnostic::new(value.span, "there is no result to return here")),
        }
    }

    fn mutex(&mut self, e: &ast::Expr) -> Result<Place> {
        match self.place(e)? {
            (place, Scalar::Mutex) => Ok(place),
            (_, ty) => Err(Diagnostic::new(e.span, format!("this is {ty}, not a mutex"))
                .help("declare it with `mutex NAME;`")),
        }
    }

    fn target(&mut self, e: &ast::Expr) -> Result<(Place, Scalar)> {
        let (place, ty) = self.place(e)?;
        if ty == Scalar::Mutex {
            return Err(Diagnostic::new(e.span, "a mutex cannot be assigned").help("use `lock` and `unlock`"));
        }
        one_order(&place)?;
        if let Some(order) = place.access.order().filter(|order| !order.suits_store()) {
            return Err(Diagnostic::new(e.span, format!("a store cannot be `{order}`"))
                .help("stores are `relaxed`, `release` or `seq_cst`"));
        }
        Ok((place, ty))
    }

    /// `a = e`, or `a, b = e, f`: all values are computed before the first variable changes.
    fn assign(
        &mut self,
        targets: &[ast::Expr],
        values: &[ast::Expr],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        if targets.len() != values.len() {
            let message = format!("{} values for {} variables", values.len(), targets.len());
            return Err(Diagnostic::new(span, message));
        }
        if let ([target], [value]) = (targets, values) {
            let (place, ty) = self.target(target)?;
            let value = self.expr_of(value, ty)?;
            out.push(Stmt { kind: StmtKind::Assign(place, value), span });
            return Ok(());
        }
        let mut block = Vec::new();
        let mut stores = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            let (mut place, ty) = self.target(target)?;
            for step in &mut place.path {
                if let Projection::Index(index) = step
                    && !matches!(index.kind, ExprKind::Const(_))
                {
                    *index = self.keep(index.clone(), &mut block);
                }
            }
            let value = self.expr_of(value, ty)?;
            let value = self.keep(value, &mut block);
            stores.push(Stmt { kind: StmtKind::Assign(place, value), span });
        }
        block.extend(stores);
        out.push(Stmt { kind: StmtKind::Block(Form::Braces, Block(block)), span });
        Ok(())
    }

    /// Puts a value into a new variable, and gives a read of it.
    fn keep(&mut self, value: Expr, block: &mut Vec<Stmt>) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let id = LocalId(self.locals.len());
        // The variables that were declared have names that are in the text.
        let name = loop {
            self.kept += 1;
            let name = format!("new_{}", self.kept);
            if !self.resolver.words.contains(&name) {
                break name;
            }
        };
        let init = vec![Choices::one(ty.default_value())];
        self.locals.push(Variable::new(name, ty.into(), init, span));
        block.push(Stmt { kind: StmtKind::Declare(id, Some(value)), span });
        let read = Place::variable(VarRef::Local(id), span);
        Expr { kind: ExprKind::Read(read), ty, span }
    }

    fn declare(&mut self, d: &ast::Declaration) -> Result<StmtKind> {
        let scalar = self.resolver.scalar(&d.ty)?;
        let dims = self.resolver.dims(&d.dims)?;
        let ty = Type::with_dims(scalar, &dims);
        if ty.is_unbounded() {
            return Err(Diagnostic::new(d.name.span, "only shared arrays can be without end"));
        }
        // The variable exists even if its value is wrong, lest every use of it be reported too.
        let value = match &d.init {
            None => Ok(None),
            Some(Init::Value(e)) if dims.is_empty() => self.expr_of(e, scalar).map(Some),
            Some(Init::Value(ast::Expr { span, .. }) | Init::List(_, span)) => {
                Err(Diagnostic::new(*span, "a local array is assigned element by element"))
            }
        };
        let scope = self.scopes.last_mut().expect("a body has a scope");
        let id = LocalId(self.locals.len());
        let earlier = scope.insert(d.name.text.clone(), id);
        let init = vec![Choices::one(scalar.default_value()); dims.iter().product::<u32>() as usize];
        self.locals.push(Variable::new(d.name.text.clone(), ty, init, d.name.span));
        if earlier.is_some() {
            let message = format!("`{}` is declared twice in this block", d.name.text);
            return Err(Diagnostic::new(d.name.span, message));
        }
        Ok(StmtKind::Declare(id, value?))
    }
}

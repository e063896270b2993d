//! Functions and statements.
//!
//! Loops keep their shape where the program's loops can express them; where a condition has effects
//! of its own or a `continue` has to pass a `for`'s step, labels and jumps take over. A switch is a
//! row of comparisons that jump to the cases.

use super::*;
use crate::ast::{ForInit, LabelKind, StmtKind as Ast};
use std::collections::BTreeMap;

/// Locals with more scalars than this are kept in memory.
const MOST_REGISTERS: u64 = 256;

/// Where `break` and `continue` lead.
pub(super) struct Jumps {
    leave: Target,
    again: Option<Target>,
    /// How many variables are in scope outside that something is called with when they go.
    cleanups: usize,
}

/// How to get there.
#[derive(Clone)]
enum Target {
    /// The program's own `break` or `continue`.
    Loop,
    Label(String),
}

/// The cases of a switch that was entered.
#[derive(Default)]
pub(super) struct Switch {
    /// Values from and to, and the label.
    cases: Vec<(i128, i128, String, Span)>,
    /// Where the cases from each value to another stand.
    places: BTreeMap<i128, (i128, Span)>,
    default: Option<String>,
    /// Type of what is switched on.
    ty: Option<CType>,
}

impl<'a> Lowerer<'a> {
    /// The parameters as private scalars; structures as one for each of their scalars.
    pub(super) fn signature(&mut self, function: usize, used: Span) -> Result<Vec<Variable>> {
        let params = self.functions[function].ty.params.clone().unwrap_or_default();
        let names = self.parameter_names(function);
        let mut variables = Vec::new();
        for (i, ty) in params.iter().enumerate() {
            let (name, span) = names.get(i).cloned().unwrap_or_else(|| (format!("%p{i}"), used));
            let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
            self.few_scalars(&storage, span)?;
            for (path, scalar) in self.covering(&storage) {
                let (offset, ty) = self.program.records.offset(&storage, &path);
                let cell = fencepost_ir::Cell { offset, ty };
                let name = format!("{name}{}", self.program.records.path(&storage, cell));
                let init = vec![Choices::one(scalar.default_value())];
                variables.push(Variable::new(name, scalar.into(), init, span));
            }
        }
        if self.functions[function].ty.variadic && self.uses_varargs {
            variables.push(self.hidden_parameter(used));
        }
        Ok(variables)
    }

    pub(super) fn parameter_names(&self, function: usize) -> Vec<(String, Span)> {
        let Some(body) = self.functions[function].body else { return Vec::new() };
        match body.parameters() {
            ast::Parameters::Unspecified => Vec::new(),
            ast::Parameters::Names(names) => names.iter().map(|n| (n.text.clone(), n.span)).collect(),
            ast::Parameters::Prototype { parameters, .. } => parameters
                .iter()
                .enumerate()
                .map(|(i, p)| match &p.declarator.name {
                    Some(name) => (name.text.clone(), name.span),
                    None => (format!("%p{i}"), p.span),
                })
                .collect(),
        }
    }

    pub(super) fn lower_function(&mut self, index: usize) -> Result<()> {
        let function = self.functions[index].body.expect("only functions with bodies wait");
        let procedure = self.functions[index].procedure.expect("only functions in use wait");
        let ty = self.functions[index].ty.clone();
        self.body = Body {
            locals: self.program.procedure(procedure).locals.clone(),
            result: (ty.result != CType::Void).then(|| ty.result.clone()),
            is_main: self.main == Some(index),
            name: {
                let original = self.functions[index].original.unwrap_or(index);
                self.functions[original].name.clone()
            },
            allocated: self.functions[index].allocated.clone(),
            ..Body::default()
        };
        let names = self.parameter_names(index);
        let end = function.body.end;
        self.scoped(|this| {
            let mut slot = 0;
            for (i, ty) in ty.params.iter().flatten().enumerate() {
                let (name, span) = names.get(i).cloned().unwrap_or_default();
                slot += this.bind_parameter(&name, ty, slot, span)?;
            }
            this.parameter_rows(function)?;
            this.body.varargs = (ty.variadic && this.uses_varargs).then_some(LocalId(slot));
            this.block(&function.body)
        })?;
        if self.body.is_main {
            self.end_of_program(end)?;
        } else if self.functions[index].name == "main" {
            let int = self.types().scalar(&CType::INT).expect("int is a scalar");
            let zero = self.body.result.as_ref().map(|_| Expr::constant(0, int, end));
            self.emit(StmtKind::Return(zero), end);
        } else if self.falls_off(index) {
            let flag = self.fell_off(end);
            self.emit(StmtKind::Assign(flag, Expr::constant(1, Scalar::Bool, end)), end);
        }
        let body = std::mem::take(&mut self.body);
        if let Some((name, span)) = body.jumped_to.iter().find(|(name, _)| !body.placed.contains_key(name)) {
            return Err(Diagnostic::new(*span, format!("there is no label `{name}`")));
        }
        self.undefined[procedure.0] = body.undefined;
        self.blocks.insert(procedure, body.blocks);
        self.casts.extend(body.casts.into_iter().map(|cast| (procedure, cast)));
        let target = &mut self.program.procedures[procedure.0];
        target.locals = body.locals;
        target.body = Block(body.out);
        Ok(())
    }

    /// Gives a parameter its name; how many scalars it took. What is a structure, or has its address
    /// taken, is copied to a variable of its own.
    fn bind_parameter(&mut self, name: &str, ty: &CType, slot: usize, span: Span) -> Result<usize> {
        let storage = self.types().storage(ty).ok_or_else(|| self.no_values(ty, span))?;
        let is_structure = storage.as_scalar().is_none();
        if !is_structure && !self.is_addressed(name) {
            self.define(name, Symbol::Local(LocalId(slot), ty.clone()));
            return Ok(1);
        }
        let id = self.local(name, storage.clone(), span);
        let target = Place::variable(VarRef::Local(id), span);
        let places = self.covering(&storage);
        let count = places.len();
        for (i, (path, scalar)) in places.into_iter().enumerate() {
            let mut place = target.clone();
            for step in path {
                place.path.push(match step {
                    Step::Index(i) => Projection::Index(self.int_constant(i.into(), &CType::LONG, span).expr),
                    Step::Field(i) => Projection::Field(i),
                });
            }
            let value = read_local(LocalId(slot + i), scalar, span);
            self.emit(StmtKind::Assign(place, value), span);
        }
        self.define(name, Symbol::Local(id, ty.clone()));
        Ok(count)
    }

    /// Whether the function that is being lowered takes the address of a parameter.
    fn is_addressed(&self, name: &str) -> bool {
        let Some(Symbol::Function(index)) = self.scopes[0].get(&self.body.name) else { return true };
        let Some(function) = self.functions[*index].body else { return true };
        crate::visit::takes_address(&function.body, name)
    }

    fn block(&mut self, block: &'a ast::Block) -> Result<()> {
        self.with_own_labels(block, |this| this.items(&block.items))
    }

    fn with_own_labels<T>(
        &mut self,
        block: &'a ast::Block,
        inside: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if block.labels.is_empty() {
            return inside(self);
        }
        let fresh = block.labels.iter().map(|name| (name.text.clone(), self.fresh_label(&name.text)));
        let own = fresh.collect();
        self.body.own_labels.push(own);
        let result = inside(self);
        self.body.own_labels.pop();
        result
    }

    /// What a label is called in the program.
    fn label_name(&self, name: &str) -> String {
        let own = self.body.own_labels.iter().rev().find_map(|labels| labels.get(name));
        own.map_or_else(|| name.to_string(), String::clone)
    }

    pub(super) fn items(&mut self, items: &'a [ast::BlockItem]) -> Result<()> {
        for item in items {
            match item {
                ast::BlockItem::Declaration(declaration) => self.declare_local(declaration)?,
                ast::BlockItem::StaticAssert(assertion) => self.static_assert(assertion)?,
                ast::BlockItem::Statement(stmt) => self.statement(stmt)?,
            }
        }
        Ok(())
    }

    /// `({ ...; value; })`
    pub(super) fn statement_expression(&mut self, block: &'a ast::Block) -> Result<Value> {
        let first = self.body.blocks.count();
        let value = self.scoped(|this| this.with_own_labels(block, |this| this.last_value(block)))?;
        self.outlives_block(&value, first);
        Ok(value)
    }

    fn last_value(&mut self, block: &'a ast::Block) -> Result<Value> {
        let (mut last, rest) = match block.items.split_last() {
            Some((ast::BlockItem::Statement(last), rest)) => (Some(last), rest),
            _ => (None, &block.items[..]),
        };
        self.items(rest)?;
        while let Some(ast::Stmt { kind: Ast::Labeled(labels, inner), .. }) = last {
            for label in labels {
                self.label(label)?;
            }
            last = Some(inner);
        }
        let Some(last) = last else { return Ok(Value::Void) };
        let Ast::Expr(e) = &last.kind else {
            self.statement(last)?;
            return Ok(Value::Void);
        };
        match self.value(e)? {
            // Its variables may be assigned again before the value is used.
            Value::Scalar(v) => Ok(Value::Scalar(Typed { expr: self.keep(v.expr), ty: v.ty })),
            other => Ok(other),
        }
    }

    fn declare_local(&mut self, declaration: &'a ast::Declaration) -> Result<()> {
        let specifiers = &declaration.specifiers;
        let base = match specifiers.ty {
            ast::TypeSpecifier::Auto => None,
            _ => Some(self.base_type(specifiers)?),
        };
        let storage = specifiers.storage.map(|(storage, _)| storage);
        for declared in &declaration.declarators {
            let outside =
                matches!(storage, Some(ast::Storage::Typedef | ast::Storage::Extern | ast::Storage::Static))
                    || specifiers.thread_local.is_some();
            let is_function = matches!(declared.declarator.derived.first(), Some(ast::Derived::Function(_)));
            if outside || is_function {
                self.declare_outside(declaration, declared, base.clone())?;
                continue;
            }
            self.known_attributes(specifiers.attributes.iter().chain(&declared.declarator.attributes))?;
            self.declare_variable(declared, base.clone())?;
            let attributes = specifiers.attributes.iter().chain(&declared.declarator.attributes);
            self.note_cleanups(declared.name(), attributes)?;
        }
        Ok(())
    }

    fn declare_variable(&mut self, declared: &'a ast::InitDeclarator, base: Option<CType>) -> Result<()> {
        let name = declared.name();
        let span = name.span;
        self.not_twice(name)?;
        let steps = &declared.declarator.derived;
        let behind_rows = base.as_ref().and_then(|_| self.behind_rows(steps));
        if let (Some(base), Some((ast::Derived::Array(bounds), rest))) = (&base, steps.split_first())
            && let ast::ArraySize::Expr(length) = &bounds.size
            && (behind_rows.is_some() || self.constant(length).is_err())
        {
            return self.declare_variable_length(declared, base.clone(), length, behind_rows.unwrap_or(rest));
        }
        let ty = match (base, behind_rows) {
            (Some(base), Some(behind)) => self.derive_steps(base, behind)?.pointer_to(),
            (base, _) => self.declared_type(base, declared)?,
        };
        let Some(storage) = self.types().storage(&ty) else { return Err(self.no_values(&ty, span)) };
        if let (CType::Unsupported(..), Some(_)) = (ty.unqualified(), &declared.initializer) {
            return Err(self.no_values(&ty, span));
        }
        if self.program.records.cells(&storage) > MOST_REGISTERS {
            return self.declare_large(declared, ty, storage);
        }
        // What the user did not write is not shown.
        let hidden = if self.inlined > 0 { "%" } else { "" };
        let id = self.local(&format!("{hidden}{}", name.text), storage.clone(), span);
        self.begins_with_block(id);
        self.note_rows(id, steps, span)?;
        let place = Place::variable(VarRef::Local(id), span);
        let scalar = self.types().scalar(&ty);
        match (&declared.initializer, scalar) {
            (_, Some(Scalar::Mutex)) => self.emit(StmtKind::Declare(id, None), span),
            (Some(ast::Initializer::Expr(e)), Some(_)) => {
                // The name is known in its own initialiser, as in `T *p = malloc(sizeof *p)`.
                self.define(&name.text, Symbol::Local(id, ty.clone()));
                let value = self.scalar(e)?;
                let mut value = self.convert(value, &ty, e.span)?;
                self.guess_allocation(&mut value.expr, &name.text, e.span)?;
                self.emit(StmtKind::Declare(id, Some(value.expr)), span);
            }
            (Some(initializer), _) => {
                self.define(&name.text, Symbol::Local(id, ty.clone()));
                self.initialize(&place, &ty, initializer, initializer::Before::Anything, span)?;
            }
            (None, Some(scalar)) => {
                self.body.undefined.insert(id.0);
                // What is not followed has one value.
                let any = if ty.is_floating() { Some(Choices::one(0)) } else { anything(scalar) };
                self.emit(
                    StmtKind::Declare(id, any.map(|c| Expr { kind: ExprKind::Any(c), ty: scalar, span })),
                    span,
                );
            }
            (None, None) => {
                let layout = self.program.records.layout(&storage);
                if layout.iter().any(|cell| anything(cell.ty).is_some()) {
                    self.body.undefined.insert(id.0);
                }
                self.emit(StmtKind::Declare(id, None), span);
            }
        }
        self.define(&name.text, Symbol::Local(id, ty));
        Ok(())
    }

    /// A variable that is too large for registers: memory of its own, new with each declaration.
    fn declare_large(&mut self, declared: &'a ast::InitDeclarator, ty: CType, storage: Type) -> Result<()> {
        let name = declared.name();
        let span = name.span;
        let pointer = Scalar::Pointer { bits: self.program.pointer_bits };
        let id = self.local(&format!("&{}", name.text), pointer.into(), span);
        self.ends_with_block(id);
        let bytes = self.program.records.size(&storage) as i64;
        let bytes = self.int_constant(bytes, &CType::UNSIGNED_LONG, span).expr;
        let zeroed = declared.initializer.is_some() || self.has_bits(&storage);
        let fill = if zeroed { Fill::Zero } else { Fill::Undefined };
        let memory = ExprKind::Allocate(storage, Box::new(bytes), fill, Storage::Stack);
        let memory = Expr { kind: memory, ty: pointer, span };
        self.emit(StmtKind::Declare(id, Some(memory)), span);
        self.define(&name.text, Symbol::Pointed(id, ty.clone()));
        match &declared.initializer {
            Some(initializer) => {
                let Lvalue { place, .. } = self.variable(&name.text, span)?;
                self.initialize(&place, &ty, initializer, initializer::Before::Zero, span)
            }
            None => Ok(()),
        }
    }

    /// A scope has one variable of a name.
    pub(super) fn not_twice(&self, name: &ast::Name) -> Result<()> {
        let here = self.scopes.last().and_then(|scope| scope.get(&name.text));
        match here {
            Some(Symbol::Local(..) | Symbol::Pointed(..) | Symbol::Global(_)) => {
                let message = format!("`{}` is declared twice in this block", name.text);
                Err(Diagnostic::new(name.span, message))
            }
            _ => Ok(()),
        }
    }

    fn statement(&mut self, stmt: &'a ast::Stmt) -> Result<()> {
        fencepost_ir::wanted::point();
        let span = stmt.span;
        match &stmt.kind {
            Ast::Empty => Ok(()),
            Ast::Expr(e) => self.effect(e),
            Ast::Block(block) => self.scoped(|this| this.block(block)),
            Ast::Labeled(labels, inner) => {
                for label in labels {
                    self.label(label)?;
                }
                let starts = |label: &ast::Label| match &label.kind {
                    LabelKind::Name(name) => name.starts_with("__CPROVER_ASYNC_"),
                    LabelKind::Case(_) | LabelKind::Range(..) | LabelKind::Default => false,
                };
                match labels.iter().any(starts) {
                    true => self.started(inner),
                    false => self.statement(inner),
                }
            }
            Ast::If(cond, then, otherwise) => {
                let test = self.condition(cond)?;
                if let Some(value) = self.fold(&test) {
                    let (taken, left) = match value != 0 {
                        true => (Some(&**then), otherwise.as_deref()),
                        false => (otherwise.as_deref(), Some(&**then)),
                    };
                    // What is left out may still be jumped into.
                    if !left.is_some_and(crate::visit::has_label) {
                        return taken.map_or(Ok(()), |s| self.scoped(|this| this.statement(s)));
                    }
                }
                let (_, t) = self.captured(|this| this.scoped(|this| this.statement(then)))?;
                let (_, o) = self.captured(|this| match otherwise {
                    Some(otherwise) => this.scoped(|this| this.statement(otherwise)),
                    None => Ok(()),
                })?;
                self.emit(StmtKind::If(test, t, o), cond.span);
                Ok(())
            }
            Ast::Switch(e, body) => self.switch(e, body, span),
            Ast::While(cond, body) => self.while_loop(Some(cond), body, None, span),
            Ast::DoWhile(body, cond) => self.do_while(body, cond, span),
            Ast::For(f) => self.scoped(|this| {
                match &f.init {
                    ForInit::Empty => {}
                    ForInit::Expr(e) => this.effect(e)?,
                    ForInit::Declaration(d) => this.declare_local(d)?,
                }
                this.while_loop(f.condition.as_ref(), &f.body, f.step.as_ref(), span)
            }),
            Ast::Goto(name) => {
                if !self.body.cleanups.is_empty() {
                    let message =
                        "`goto` is not supported where a variable with the attribute `cleanup` is in scope";
                    return Err(Diagnostic::new(span, message));
                }
                let label = self.label_name(&name.text);
                self.body.jumped_to.push((label.clone(), name.span));
                self.emit(StmtKind::Goto(label), span);
                Ok(())
            }
            Ast::GotoComputed(e) => self.computed_goto(e, span),
            Ast::Continue => {
                let jumps = self.body.jumps.iter().rev().find_map(|j| Some((j.again.clone()?, j.cleanups)));
                self.jump(jumps, StmtKind::Continue, span)
            }
            Ast::Break => {
                let jumps = self.body.jumps.last().map(|j| (j.leave.clone(), j.cleanups));
                self.jump(jumps, StmtKind::Break, span)
            }
            Ast::Return(value) => self.return_statement(value.as_ref(), span),
            Ast::Asm(asm) => self.asm(asm),
        }
    }

    fn jump(&mut self, jumps: Option<(Target, usize)>, plain: StmtKind, span: Span) -> Result<()> {
        let Some((target, cleanups)) = jumps else {
            return Err(Diagnostic::new(span, "this stands in no loop"));
        };
        self.clean_up(cleanups)?;
        match target {
            Target::Loop => self.emit(plain, span),
            Target::Label(label) => self.emit(StmtKind::Goto(label), span),
        }
        Ok(())
    }

    fn label(&mut self, label: &'a ast::Label) -> Result<()> {
        let name = match &label.kind {
            LabelKind::Name(name) => {
                let name = self.label_name(name);
                if let Some(first) = self.body.placed.insert(name.clone(), label.span) {
                    return Err(Diagnostic::new(label.span, format!("the label `{name}` stands twice"))
                        .label(format!("first in line {}", first.line)));
                }
                name
            }
            LabelKind::Case(_) | LabelKind::Range(..) | LabelKind::Default => {
                let name = self.fresh_label("case");
                let (from, to) = match &label.kind {
                    LabelKind::Case(e) => {
                        let value = self.case_value(e)?;
                        (Some(value), Some(value))
                    }
                    LabelKind::Range(from, to) => (Some(self.case_value(from)?), Some(self.case_value(to)?)),
                    LabelKind::Name(_) | LabelKind::Default => (None, None),
                };
                let Some(switch) = self.body.switches.last_mut() else {
                    return Err(Diagnostic::new(label.span, "this case stands in no switch"));
                };
                match (from, to) {
                    (Some(from), Some(to)) => {
                        let below = switch.places.range(..=to).next_back();
                        if let Some((_, (_, first))) = below.filter(|(_, (end, _))| from <= *end) {
                            return Err(Diagnostic::new(label.span, "this case stands twice")
                                .label(format!("first in line {}", first.line)));
                        }
                        // A range from a larger value to a smaller one is empty.
                        if from <= to {
                            switch.places.insert(from, (to, label.span));
                        }
                        switch.cases.push((from, to, name.clone(), label.span));
                    }
                    _ if switch.default.is_some() => {
                        return Err(Diagnostic::new(label.span, "this switch has a `default` already"));
                    }
                    _ => switch.default = Some(name.clone()),
                }
                name
            }
        };
        self.emit(StmtKind::Label(name), label.span);
        Ok(())
    }

    /// A case's value, in the type of what is switched on.
    fn case_value(&mut self, e: &'a ast::Expr) -> Result<i128> {
        let value = self.constant(e)?;
        let ty = self.body.switches.last().and_then(|s| s.ty.clone());
        Ok(match ty.and_then(|ty| self.types().scalar(&ty)) {
            Some(Scalar::Int(int)) => int.meaning(int.wrap(value)),
            _ => value,
        })
    }

    fn switch(&mut self, e: &'a ast::Expr, body: &'a ast::Stmt, span: Span) -> Result<()> {
        let value = self.scalar(e)?;
        if !value.ty.is_integer() {
            let message = format!("this needs an integer, not `{}`", self.types().show(&value.ty));
            return Err(Diagnostic::new(e.span, message));
        }
        let ty = value.ty.promoted();
        let value = self.convert(value, &ty, e.span)?;
        let value = Typed { expr: self.keep(value.expr), ty: value.ty };
        let end = self.fresh_label("end");
        self.body.switches.push(Switch { ty: Some(ty.clone()), ..Switch::default() });
        let cleanups = self.body.cleanups.len();
        self.body.jumps.push(Jumps { leave: Target::Label(end.clone()), again: None, cleanups });
        let inner = self.captured(|this| this.scoped(|this| this.statement(body)));
        self.body.jumps.pop();
        let switch = self.body.switches.pop().expect("just pushed");
        let (_, inner) = inner?;
        for (from, to, label, span) in switch.cases {
            let within = |this: &mut Self, op, bound: i128| {
                let bound = this.int_constant(bound as i64, &ty, span);
                let test = this.arithmetic(op, value.clone(), bound, span)?;
                Ok(this.truth(test, span))
            };
            let test = if from == to {
                within(self, BinaryOp::Eq, from)?
            } else {
                let low = within(self, BinaryOp::Ge, from)?;
                let high = within(self, BinaryOp::Le, to)?;
                let both = ExprKind::Binary(BinaryOp::And, Box::new(low), Box::new(high));
                Expr { kind: both, ty: Scalar::Bool, span }
            };
            let jump = Block(vec![Stmt { kind: StmtKind::Goto(label), span }]);
            self.emit(StmtKind::If(test, jump, Block::default()), span);
        }
        self.emit(StmtKind::Goto(switch.default.unwrap_or_else(|| end.clone())), span);
        self.body.out.extend(inner.0);
        self.emit(StmtKind::Label(end), span);
        Ok(())
    }

    /// `while`, and `for` with its step.
    fn while_loop(
        &mut self,
        cond: Option<&'a ast::Expr>,
        body: &'a ast::Stmt,
        step: Option<&'a ast::Expr>,
        span: Span,
    ) -> Result<()> {
        let (test, effects) = self.captured(|this| match cond {
            Some(cond) => this.condition(cond),
            None => Ok(Expr::constant(1, Scalar::Bool, span)),
        })?;
        let again = match step {
            Some(_) if crate::visit::has_continue(body) => Target::Label(self.fresh_label("next")),
            _ => Target::Loop,
        };
        let cleanups = self.body.cleanups.len();
        self.body.jumps.push(Jumps { leave: Target::Loop, again: Some(again.clone()), cleanups });
        let inner = self.captured(|this| this.scoped(|this| this.statement(body)));
        self.body.jumps.pop();
        let (_, mut inner) = inner?;
        if let Some(step) = step {
            if let Target::Label(label) = again {
                inner.0.push(Stmt { kind: StmtKind::Label(label), span });
            }
            let (_, block) = self.captured(|this| this.effect(step))?;
            inner.0.extend(block.0);
        }
        let span = cond.map_or(span, |c| c.span);
        if effects.0.is_empty() {
            self.emit(StmtKind::While(test, inner), span);
            return Ok(());
        }
        // The condition's effects come before each test.
        let leave = Block(vec![Stmt { kind: StmtKind::Break, span }]);
        let mut whole = effects;
        whole.0.push(Stmt { kind: StmtKind::If(test, Block::default(), leave), span });
        whole.0.extend(inner.0);
        self.emit(StmtKind::While(Expr::constant(1, Scalar::Bool, span), whole), span);
        Ok(())
    }

    fn do_while(&mut self, body: &'a ast::Stmt, cond: &'a ast::Expr, span: Span) -> Result<()> {
        let again = match crate::visit::has_continue(body) {
            true => Target::Label(self.fresh_label("next")),
            false => Target::Loop,
        };
        let cleanups = self.body.cleanups.len();
        self.body.jumps.push(Jumps { leave: Target::Loop, again: Some(again.clone()), cleanups });
        let inner = self.captured(|this| this.scoped(|this| this.statement(body)));
        self.body.jumps.pop();
        let (_, mut inner) = inner?;
        if let Target::Label(label) = again {
            inner.0.push(Stmt { kind: StmtKind::Label(label), span });
        }
        let (test, effects) = self.captured(|this| this.condition(cond))?;
        inner.0.extend(effects.0);
        self.emit(StmtKind::DoWhile(inner, test), cond.span);
        Ok(())
    }

    /// What is returned, where that has 128 bits or becomes so.
    fn returned_value(&mut self, e: &'a ast::Expr, ty: &CType) -> Result<Value> {
        let value = self.value(e)?;
        match (&value, self.is_wide(ty)) {
            (_, Some(_)) => {
                let place = self.widened(value, ty, e.span)?;
                Ok(Value::Record(place, ty.unqualified().clone()))
            }
            (Value::Record(_, from), None) if self.is_wide(from).is_some() && ty.is_integer() => {
                Ok(Value::Scalar(self.words(value, e.span)?.lower()))
            }
            _ => Ok(value),
        }
    }

    fn return_statement(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Result<()> {
        if self.body.is_main {
            if let Some(value) = value {
                self.effect(value)?;
            }
            self.clean_up(0)?;
            return self.end_of_program(span);
        }
        let result = self.body.result.clone();
        let value = match (value, result) {
            (None, None) => None,
            // The value of a function that returns none is not used.
            (None, Some(ty)) => {
                self.types().scalar(&ty).map(|scalar| Expr::constant(scalar.default_value(), scalar, span))
            }
            // GNU C lets a call of a function without value stand there.
            (Some(value), None) => match self.value(value)? {
                Value::Void => None,
                Value::Scalar(_) | Value::Record(..) => {
                    return Err(Diagnostic::new(value.span, "this function returns no value"));
                }
            },
            (Some(e), Some(ty)) => match self.returned_value(e, &ty)? {
                Value::Scalar(value) => Some(self.convert(value, &ty, e.span)?.expr),
                Value::Record(place, from) if from == *ty.unqualified() => {
                    let Some(Symbol::Function(index)) = self.scopes[0].get(&self.body.name).cloned() else {
                        panic!("a function that is lowered has a name")
                    };
                    let procedure = self.functions[index].procedure.expect("it is being lowered");
                    let target = self.returned(procedure, &ty, span)?;
                    let scalars = self.scalars_of(&place, &ty, span)?;
                    for ((_, from, scalar), target) in scalars.into_iter().zip(target) {
                        let value = Expr { kind: ExprKind::Read(from), ty: scalar, span };
                        self.emit(StmtKind::Assign(target, value), span);
                    }
                    None
                }
                Value::Record(..) | Value::Void => {
                    return Err(Diagnostic::new(e.span, "this does not fit the function's result"));
                }
            },
        };
        let value = match value {
            Some(value) if !self.body.cleanups.is_empty() => Some(self.keep(value)),
            value => value,
        };
        self.clean_up(0)?;
        self.emit(StmtKind::Return(value), span);
        Ok(())
    }
}

/// What a scalar without initialiser may hold; `None` for what starts with one value.
pub(super) fn anything(scalar: Scalar) -> Option<Choices> {
    match scalar {
        Scalar::Bool => Some(Choices(vec![(0, 1)])),
        Scalar::Int(int) => {
            let (lo, hi) = if int.bits == 64 { (i64::MIN.into(), i64::MAX.into()) } else { int.limits() };
            Some(Choices(vec![(lo as i64, hi as i64)]))
        }
        Scalar::Pointer { .. } => Some(Choices(vec![(i64::MIN, i64::MAX)])),
        Scalar::Range { .. } | Scalar::Integer | Scalar::Thread | Scalar::Mutex => None,
    }
}

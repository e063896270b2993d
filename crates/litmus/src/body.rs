//! The body of a C test's thread to statements of the tree: integers in local variables, locations behind
//! the parameters, C11's atomic functions and the Linux kernel's simplest ones.
//!
//! What they mean is the table of docs/c.md: a sequentially consistent store is a store with a
//! full fence behind it; read-modify-writes drain the buffer; release and sequentially consistent stores
//! have a store-store fence before them, which matters under PSO only. An access through a pointer to an
//! atomic type is sequentially consistent, as C says; plain racing accesses are treated as relaxed ones.
//!
//! Calls and assignments have effects, so they become statements before the one that uses their value.

use super::ast::{Arch, Declared};
use super::expression::*;
use super::parser::named_type;
use fencepost_c::ast::{
    self, BasicType, BlockItem, ExprKind, ForInit, Initializer, StepOp, StmtKind as CStmt, TypeSpecifier,
    UnaryOp,
};
use fencepost_ir::tree::{
    BinaryOp, Block, Choices, Expr, LocalId, Place, RmwKind, SharedId, Stmt, StmtKind, Type,
    UnaryOp as TreeUnary, VarRef, Variable,
};
use fencepost_ir::{Access, IntType, Scalar, Span};
use fencepost_text::Diagnostic;
use std::collections::HashMap;

type Result<T> = std::result::Result<T, Diagnostic>;

const INT: IntType = IntType { bits: 32, signed: true };

/// A location that a parameter names.
#[derive(Clone, Copy, Debug)]
pub struct Global {
    /// Its number.
    pub place: usize,
    /// The type that this thread sees it in.
    pub ty: IntType,
    /// Whether plain accesses to it are atomic ones.
    pub atomic: bool,
}

/// A thread being made.
pub struct Body {
    globals: HashMap<String, Global>,
    /// The locals of the thread.
    pub locals: Vec<Variable>,
    /// Its statements.
    pub stmts: Vec<Stmt>,
    /// The names of the blocks that are open, innermost last.
    scopes: Vec<HashMap<String, LocalId>>,
    first: HashMap<String, LocalId>,
}

impl Body {
    /// Lowers a body.
    pub fn lower(globals: HashMap<String, Global>, items: &[BlockItem]) -> Result<Body> {
        let mut body = Body {
            globals,
            locals: Vec::new(),
            stmts: Vec::new(),
            scopes: vec![HashMap::new()],
            first: HashMap::new(),
        };
        body.items(items)?;
        Ok(body)
    }

    /// The variable of a name, as conditions see it.
    pub fn local(&self, name: &str) -> Option<(LocalId, IntType)> {
        let id = *self.first.get(name)?;
        Some((id, self.type_of(id)))
    }

    fn type_of(&self, id: LocalId) -> IntType {
        match self.locals[id.0].ty {
            Type::Scalar(Scalar::Int(int)) => int,
            _ => panic!("locals of tests are integers"),
        }
    }

    pub(super) fn push(&mut self, kind: StmtKind, span: Span) {
        self.stmts.push(Stmt { kind, span });
    }

    fn declare(&mut self, name: &str, ty: IntType, span: Span) -> LocalId {
        let id = LocalId(self.locals.len());
        let ty = Type::Scalar(Scalar::Int(ty));
        self.locals.push(Variable::new(name.to_string(), ty, vec![Choices::one(0)], span));
        self.first.entry(name.to_string()).or_insert(id);
        self.scopes.last_mut().expect("a body is open").insert(name.to_string(), id);
        id
    }

    pub(super) fn temporary(&mut self, ty: IntType, span: Span) -> LocalId {
        let id = LocalId(self.locals.len());
        let name = format!("value.{}", id.0);
        self.locals.push(Variable::new(name, Type::Scalar(Scalar::Int(ty)), vec![Choices::one(0)], span));
        id
    }

    pub(super) fn set(&mut self, id: LocalId, value: Expr, span: Span) {
        let ty = Scalar::Int(self.type_of(id));
        self.push(StmtKind::Assign(simple(VarRef::Local(id), span), convert(value, ty)), span);
    }

    pub(super) fn get(&self, id: LocalId, span: Span) -> Expr {
        read(simple(VarRef::Local(id), span), Scalar::Int(self.type_of(id)))
    }

    // Statements

    fn items(&mut self, items: &[BlockItem]) -> Result<()> {
        for item in items {
            match item {
                BlockItem::Declaration(declaration) => self.declaration(declaration)?,
                BlockItem::Statement(stmt) => self.stmt(stmt)?,
                BlockItem::StaticAssert(_) => {}
            }
        }
        Ok(())
    }

    fn declaration(&mut self, declaration: &ast::Declaration) -> Result<()> {
        let ty = specified(&declaration.specifiers)?;
        for declarator in &declaration.declarators {
            let name = declarator.name();
            if !declarator.declarator.derived.is_empty() {
                let message = format!("`{}` is no integer", name.text);
                return Err(Diagnostic::new(name.span, message)
                    .help("threads of C tests have integer variables only"));
            }
            let id = self.declare(&name.text, ty, name.span);
            match &declarator.initializer {
                None => {}
                Some(Initializer::Expr(value)) => {
                    let value = self.expr(value)?;
                    self.set(id, value, declarator.span);
                }
                Some(Initializer::List(list)) => {
                    return Err(Diagnostic::new(list.span, "a list is no integer"));
                }
            }
        }
        Ok(())
    }

    /// Statements of their own.
    fn nested(&mut self, lower: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Stmt>> {
        let outside = std::mem::take(&mut self.stmts);
        self.scopes.push(HashMap::new());
        let done = lower(self);
        self.scopes.pop();
        let inside = std::mem::replace(&mut self.stmts, outside);
        done.map(|()| inside)
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Result<()> {
        let span = stmt.span;
        match &stmt.kind {
            CStmt::Empty => Ok(()),
            CStmt::Expr(e) => self.effect(e),
            CStmt::Block(block) => {
                let inside = self.nested(|b| b.items(&block.items))?;
                self.stmts.extend(inside);
                Ok(())
            }
            CStmt::If(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                let then = self.nested(|b| b.stmt(then))?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.nested(|b| b.stmt(otherwise))?,
                    None => Vec::new(),
                };
                self.push(StmtKind::If(condition, Block(then), Block(otherwise)), span);
                Ok(())
            }
            CStmt::While(condition, body) => self.repeat(Some(condition), span, |b| b.stmt(body)),
            CStmt::DoWhile(body, condition) => {
                let mut test = None;
                let inside = self.nested(|b| {
                    b.stmt(body)?;
                    test = Some(b.truth(condition)?);
                    Ok(())
                })?;
                let test = test.expect("lowered just before");
                self.push(StmtKind::DoWhile(Block(inside), test), span);
                Ok(())
            }
            CStmt::For(for_loop) => {
                let mut stmts = self.nested(|b| {
                    match &for_loop.init {
                        ForInit::Empty => {}
                        ForInit::Expr(e) => b.effect(e)?,
                        ForInit::Declaration(declaration) => b.declaration(declaration)?,
                    }
                    b.repeat(for_loop.condition.as_ref(), span, |b| {
                        b.stmt(&for_loop.body)?;
                        for_loop.step.as_ref().map_or(Ok(()), |step| b.effect(step))
                    })
                })?;
                self.stmts.append(&mut stmts);
                Ok(())
            }
            CStmt::Labeled(labels, inner) => {
                for label in labels {
                    let ast::LabelKind::Name(name) = &label.kind else {
                        return Err(unsupported(label.span, "`case`"));
                    };
                    self.push(StmtKind::Label(name.clone()), label.span);
                }
                self.stmt(inner)
            }
            CStmt::Break => {
                self.push(StmtKind::Break, span);
                Ok(())
            }
            CStmt::Return(None) => {
                self.push(StmtKind::Return(None), span);
                Ok(())
            }
            CStmt::Continue => Err(unsupported(span, "`continue`")),
            CStmt::Goto(_) | CStmt::GotoComputed(_) => Err(unsupported(span, "`goto`")),
            CStmt::Switch(..) => Err(unsupported(span, "`switch`")),
            CStmt::Return(Some(_)) => Err(unsupported(span, "a result of a thread")),
            CStmt::Asm(_) => Err(unsupported(span, "`asm`")),
        }
    }

    /// A loop whose condition may need statements of its own.
    fn repeat(
        &mut self,
        condition: Option<&ast::Expr>,
        span: Span,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut test = None;
        let before = self.nested(|b| {
            test = Some(match condition {
                Some(condition) => b.truth(condition)?,
                None => number(1, Scalar::Bool, span),
            });
            Ok(())
        })?;
        let test = test.expect("lowered just before");
        let inside = self.nested(body)?;
        let (test, inside) = if before.is_empty() {
            (test, inside)
        } else {
            let leave = Stmt { kind: StmtKind::Break, span };
            let stop = Stmt { kind: StmtKind::If(not(test), Block(vec![leave]), Block(Vec::new())), span };
            (number(1, Scalar::Bool, span), before.into_iter().chain([stop]).chain(inside).collect())
        };
        self.push(StmtKind::While(test, Block(inside)), span);
        Ok(())
    }

    // Expressions

    /// An expression whose value nobody needs.
    fn effect(&mut self, e: &ast::Expr) -> Result<()> {
        self.value(e).map(|_| ())
    }

    /// An expression with a value.
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Result<Expr> {
        self.value(e)?.ok_or_else(|| Diagnostic::new(e.span, "this has no value"))
    }

    fn truth(&mut self, e: &ast::Expr) -> Result<Expr> {
        let value = self.expr(e)?;
        Ok(if value.ty == Scalar::Bool { value } else { with_number(BinaryOp::Ne, value, 0) })
    }

    /// The location that a pointer expression means.
    pub(super) fn pointed(&self, e: &ast::Expr) -> Result<Global> {
        match &e.kind {
            ExprKind::Identifier(name) => match self.globals.get(name) {
                Some(global) => Ok(*global),
                None => {
                    let message = format!("`{name}` is no parameter that names a location");
                    Err(Diagnostic::new(e.span, message))
                }
            },
            ExprKind::Unary(UnaryOp::AddressOf, inner) => match &inner.kind {
                ExprKind::Unary(UnaryOp::Deref, pointer) => self.pointed(pointer),
                _ => Err(unsupported(e.span, "this address")),
            },
            ExprKind::Cast(_, inner) => self.pointed(inner),
            _ => Err(unsupported(e.span, "this address")),
        }
    }

    /// What is assigned to.
    pub(super) fn target(&self, e: &ast::Expr) -> Result<Target> {
        match &e.kind {
            ExprKind::Identifier(name) => match self.find(name) {
                Some(id) => Ok(Target::Local(id)),
                None if self.globals.contains_key(name) => {
                    Err(Diagnostic::new(e.span, format!("`{name}` is the address of a location"))
                        .help(format!("its value is `*{name}`")))
                }
                None => Err(Diagnostic::new(e.span, format!("`{name}` is not declared"))),
            },
            ExprKind::Unary(UnaryOp::Deref, pointer) => self.pointed(pointer).map(Target::Memory),
            _ => Err(unsupported(e.span, "this place")),
        }
    }

    fn find(&self, name: &str) -> Option<LocalId> {
        self.scopes.iter().rev().find_map(|s| s.get(name).copied())
    }

    fn place(&self, global: Global, span: Span) -> Place {
        simple(VarRef::Shared(SharedId(global.place)), span)
    }

    /// A load into a variable of its own, so that it happens here and once.
    pub(super) fn load(&mut self, global: Global, access: Access, span: Span) -> Expr {
        let id = self.temporary(global.ty, span);
        let place = Place { access, ..self.place(global, span) };
        let value = read(place, unsigned(global.ty.bits));
        self.set(id, value, span);
        self.get(id, span)
    }

    pub(super) fn store(&mut self, global: Global, value: Expr, access: Access, span: Span) {
        let value = convert(value, unsigned(global.ty.bits));
        let place = Place { access, ..self.place(global, span) };
        self.push(StmtKind::Assign(place, value), span);
    }

    pub(super) fn rmw(
        &mut self,
        global: Global,
        kind: RmwKind,
        operands: Vec<Expr>,
        access: Access,
        span: Span,
    ) -> Expr {
        let cell = unsigned(global.ty.bits);
        let operands = operands.into_iter().map(|o| convert(o, cell)).collect();
        let id = self.temporary(global.ty, span);
        let place = Place { access, ..self.place(global, span) };
        let value = rmw(kind, place, operands, cell);
        self.set(id, value, span);
        self.get(id, span)
    }

    /// What an access is that names the variable alone.
    fn plain_access(global: Global) -> Access {
        if global.atomic { Access::SEQ_CST } else { Access::Plain }
    }

    pub(super) fn value(&mut self, e: &ast::Expr) -> Result<Option<Expr>> {
        let span = e.span;
        let value = match &e.kind {
            ExprKind::Integer(literal) => {
                let long = literal.length != ast::IntegerLength::Int || literal.value > i32::MAX as u64;
                let ty = IntType { bits: if long { 64 } else { 32 }, signed: !literal.unsigned };
                number(literal.value as i64, Scalar::Int(ty), span)
            }
            ExprKind::Character(literal) => number(literal.value, Scalar::Int(INT), span),
            ExprKind::Identifier(_) | ExprKind::Unary(UnaryOp::Deref, _) => match self.target(e)? {
                Target::Local(id) => self.get(id, span),
                Target::Memory(global) => self.load(global, Self::plain_access(global), span),
            },
            ExprKind::Unary(op, inner) => {
                let inner = promoted(self.expr(inner)?);
                match op {
                    UnaryOp::Plus => inner,
                    UnaryOp::Minus => unary(TreeUnary::Neg, inner),
                    UnaryOp::BitNot => unary(TreeUnary::BitNot, inner),
                    UnaryOp::Not => with_number(BinaryOp::Eq, inner, 0),
                    UnaryOp::AddressOf | UnaryOp::Deref | UnaryOp::Real | UnaryOp::Imag => {
                        return Err(unsupported(span, "this operator"));
                    }
                }
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let left = self.truth(left)?;
                let mut value = None;
                let before = self.nested(|b| {
                    value = Some(b.truth(right)?);
                    Ok(())
                })?;
                let right = value.expect("lowered just before");
                if before.is_empty() {
                    binary(*op, left, right)
                } else {
                    // The right side's statements happen only where the left side does not decide.
                    let id = self.temporary(INT, span);
                    self.set(id, left.clone(), span);
                    let go_on = with_number(BinaryOp::Ne, self.get(id, span), 0);
                    let go_on = if *op == BinaryOp::And { go_on } else { not(go_on) };
                    let outside = std::mem::replace(&mut self.stmts, before);
                    self.set(id, right, span);
                    let inside = std::mem::replace(&mut self.stmts, outside);
                    self.push(StmtKind::If(go_on, Block(inside), Block(Vec::new())), span);
                    self.get(id, span)
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                arithmetic(*op, left, right)
            }
            ExprKind::Assign(op, place, value) => {
                let target = self.target(place)?;
                let value = self.expr(value)?;
                self.assign(target, *op, value, span)
            }
            ExprKind::Step(step, place) => {
                let target = self.target(place)?;
                let (op, old) = match step {
                    StepOp::PreIncrement => (BinaryOp::Add, false),
                    StepOp::PreDecrement => (BinaryOp::Sub, false),
                    StepOp::PostIncrement => (BinaryOp::Add, true),
                    StepOp::PostDecrement => (BinaryOp::Sub, true),
                };
                let one = number(1, Scalar::Int(INT), span);
                let new = self.assign(target, Some(op), one.clone(), span);
                let back = if op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add };
                let ty = new.ty;
                if old { convert(arithmetic(back, new, one), ty) } else { new }
            }
            ExprKind::Cast(ty, inner) => {
                if let TypeSpecifier::Basic(BasicType::Void) = ty.specifiers.ty {
                    self.effect(inner)?;
                    return Ok(None);
                }
                let value = self.expr(inner)?;
                convert(value, Scalar::Int(specified(&ty.specifiers)?))
            }
            ExprKind::Comma(first, second) => {
                self.effect(first)?;
                self.expr(second)?
            }
            ExprKind::Conditional(condition, Some(then), otherwise) => {
                let condition = self.truth(condition)?;
                let (mut first, mut second) = (None, None);
                let then_stmts = self.nested(|b| {
                    first = Some(promoted(b.expr(then)?));
                    Ok(())
                })?;
                let otherwise_stmts = self.nested(|b| {
                    second = Some(promoted(b.expr(otherwise)?));
                    Ok(())
                })?;
                let (Some(then), Some(otherwise)) = (first, second) else { panic!("lowered just before") };
                let ty = common(then.ty, otherwise.ty);
                if then_stmts.is_empty() && otherwise_stmts.is_empty() {
                    select(condition, convert(then, ty), convert(otherwise, ty))
                } else {
                    let Scalar::Int(int) = ty else { panic!("promoted values are integers") };
                    let id = self.temporary(int, span);
                    let outside = std::mem::replace(&mut self.stmts, then_stmts);
                    self.set(id, then, span);
                    let then_stmts = std::mem::replace(&mut self.stmts, otherwise_stmts);
                    self.set(id, otherwise, span);
                    let otherwise_stmts = std::mem::replace(&mut self.stmts, outside);
                    self.push(StmtKind::If(condition, Block(then_stmts), Block(otherwise_stmts)), span);
                    self.get(id, span)
                }
            }
            ExprKind::Call(function, args) => {
                let ExprKind::Identifier(name) = &function.kind else {
                    return Err(unsupported(span, "this call"));
                };
                return self.call(name, args, span);
            }
            _ => return Err(unsupported(span, "this expression")),
        };
        Ok(Some(value))
    }

    /// Assigns; gives the new value.
    fn assign(&mut self, target: Target, op: Option<BinaryOp>, value: Expr, span: Span) -> Expr {
        match target {
            Target::Local(id) => {
                let value = match op {
                    Some(op) => arithmetic(op, self.get(id, span), value),
                    None => value,
                };
                self.set(id, value, span);
                self.get(id, span)
            }
            Target::Memory(global) => {
                let kind = match op {
                    Some(BinaryOp::Add) => Some(RmwKind::Add),
                    Some(BinaryOp::Sub) => Some(RmwKind::Sub),
                    Some(BinaryOp::BitAnd) => Some(RmwKind::And),
                    Some(BinaryOp::BitOr) => Some(RmwKind::Or),
                    Some(BinaryOp::BitXor) => Some(RmwKind::Xor),
                    _ => None,
                };
                match (op, kind) {
                    (Some(op), Some(kind)) if global.atomic => {
                        let old = self.rmw(global, kind, vec![value.clone()], Access::SEQ_CST, span);
                        convert(arithmetic(op, old, value), Scalar::Int(global.ty))
                    }
                    _ => {
                        let id = self.temporary(global.ty, span);
                        let value = match op {
                            Some(op) => {
                                let old = self.load(global, Self::plain_access(global), span);
                                arithmetic(op, old, value)
                            }
                            None => value,
                        };
                        self.set(id, value, span);
                        let value = self.get(id, span);
                        self.store(global, value.clone(), Self::plain_access(global), span);
                        value
                    }
                }
            }
        }
    }
}

/// What can be assigned to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Local(LocalId),
    Memory(Global),
}

/// What is said of C that threads of tests may not use.
pub(super) fn unsupported(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(span, format!("{what} is not supported in C litmus tests"))
        .help("docs/litmus.md lists what is; `fencepost check` takes whole C programs")
}

/// The type of a local variable.
fn specified(specifiers: &ast::Specifiers) -> Result<IntType> {
    let int = |bits, signed| Ok(IntType { bits, signed });
    match &specifiers.ty {
        TypeSpecifier::Basic(basic) => match basic {
            BasicType::Bool | BasicType::UnsignedChar => int(8, false),
            BasicType::Char | BasicType::SignedChar => int(8, true),
            BasicType::Short => int(16, true),
            BasicType::UnsignedShort => int(16, false),
            BasicType::Int => int(32, true),
            BasicType::Unsigned => int(32, false),
            BasicType::Long | BasicType::LongLong => int(64, true),
            BasicType::UnsignedLong | BasicType::UnsignedLongLong => int(64, false),
            BasicType::Void
            | BasicType::Int128
            | BasicType::UnsignedInt128
            | BasicType::Floating(_)
            | BasicType::Complex(_) => Err(unsupported(specifiers.span, "this type")),
        },
        TypeSpecifier::Named(name) => match named_type(Arch::C, std::slice::from_ref(&name.text)) {
            Some(Declared::Int { bits, signed }) => int(bits, signed),
            _ => Err(unsupported(specifiers.span, "this type")),
        },
        _ => Err(unsupported(specifiers.span, "this type")),
    }
}

fn unary(op: TreeUnary, e: Expr) -> Expr {
    let (ty, span) = (e.ty, e.span);
    Expr { kind: fencepost_ir::tree::ExprKind::Unary(op, Box::new(e)), ty, span }
}

/// C's integer promotion.
fn promoted(e: Expr) -> Expr {
    match e.ty {
        Scalar::Int(IntType { bits: 32 | 64, .. }) => e,
        _ => convert(e, Scalar::Int(INT)),
    }
}

/// The common type of two promoted ones.
fn common(left: Scalar, right: Scalar) -> Scalar {
    match (left, right) {
        (Scalar::Int(l), Scalar::Int(r)) if l.bits == r.bits => {
            Scalar::Int(IntType { bits: l.bits, signed: l.signed && r.signed })
        }
        (Scalar::Int(l), Scalar::Int(r)) => Scalar::Int(if l.bits > r.bits { l } else { r }),
        _ => Scalar::Int(INT),
    }
}

/// An operator on C's integers.
fn arithmetic(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let (left, right) = (promoted(left), promoted(right));
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
        let ty = left.ty;
        return binary(op, left, convert(right, ty));
    }
    let ty = common(left.ty, right.ty);
    let value = binary(op, convert(left, ty), convert(right, ty));
    promoted(value)
}

//! What holds of every typed program. `check` keeps it, `lower` builds on it, debug builds look whether it is so.

use super::visit::{walk_expression, walk_place, walk_statement};
use super::*;
use fencepost_ir::tree::BinaryOp;

/// The first thing in a program that is not as it should be.
pub fn broken(program: &Program) -> Option<String> {
    let mut looks = Looks { program, body: None, result: program.types.void(), wrong: None };
    program.globals.iter().for_each(|global| looks.initializer(&global.init));
    for function in &program.functions {
        let Some(body) = &function.body else { continue };
        looks.body = Some(body);
        looks.result = program.types.function(function.ty).map_or(program.types.void(), |ty| ty.result);
        looks.block(&body.block);
    }
    looks.wrong
}

struct Looks<'a> {
    program: &'a Program,
    body: Option<&'a Body>,
    /// What the function at hand returns.
    result: TypeId,
    wrong: Option<String>,
}

impl Looks<'_> {
    fn types(&self) -> &Types {
        &self.program.types
    }

    fn same(&self, a: TypeId, b: TypeId) -> bool {
        self.types().same(a, b)
    }

    fn note(&mut self, holds: bool, what: &str, span: Span) {
        if !holds && self.wrong.is_none() {
            self.wrong = Some(format!("{what} at {}:{}", span.line, span.column));
        }
    }

    /// Whether an expression is made of parts of the right types.
    fn is_right(&self, e: &Expr) -> bool {
        let types = self.types();
        let int = |ty| self.same(ty, types.int());
        match &e.kind {
            ExprKind::Const(value) | ExprKind::SizeOf(_, value) => self.is_in_range(*value, e.ty),
            ExprKind::Number(_) => types.is_floating(e.ty),
            ExprKind::Read(place) => self.same(e.ty, place.ty),
            ExprKind::AddressOf(place) => types.element(e.ty).is_some_and(|to| self.same(to, place.ty)),
            ExprKind::Function(_) => types.element(e.ty).is_some_and(|to| types.function(to).is_some()),
            ExprKind::LabelAddress(_) => types.is_pointer(e.ty),
            ExprKind::Unary(_, arg) => self.same(e.ty, arg.ty),
            ExprKind::Not(arg) => int(e.ty) && types.is_scalar(arg.ty),
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, l, r) => {
                self.same(e.ty, l.ty) && types.is_integer(r.ty)
            }
            ExprKind::Binary(_, l, r) => self.same(e.ty, l.ty) && self.same(e.ty, r.ty),
            ExprKind::Compare(_, l, r) => int(e.ty) && self.same(l.ty, r.ty),
            ExprKind::Logical(_, l, r) => int(e.ty) && types.is_scalar(l.ty) && types.is_scalar(r.ty),
            ExprKind::Offset(pointer, _, count) => {
                self.same(e.ty, pointer.ty) && self.same(count.ty, types.distance_type())
            }
            ExprKind::Distance(l, r) => self.same(e.ty, types.distance_type()) && self.same(l.ty, r.ty),
            ExprKind::Conditional(test, then, otherwise) => {
                types.is_scalar(test.ty) && self.same(e.ty, then.ty) && self.same(e.ty, otherwise.ty)
            }
            ExprKind::Elvis(first, other) => self.same(e.ty, first.ty) && self.same(e.ty, other.ty),
            ExprKind::Convert(_, arg) => !self.same(e.ty, arg.ty),
            ExprKind::Assign(place, value) => self.same(e.ty, place.ty) && self.same(value.ty, place.ty),
            ExprKind::Update(update) => self.same(e.ty, update.place.ty) && self.is_update(update),
            ExprKind::Comma(_, last) => self.same(e.ty, last.ty),
            ExprKind::Call(callee, args) => self.is_call(callee, args, e.ty),
            ExprKind::Atomic(atomic) => self.is_atomic(atomic, e.ty),
            ExprKind::Builtin(..) | ExprKind::VaArg(_) => true,
            ExprKind::Statements(_, value) => {
                value.as_ref().map_or(types.is_void(e.ty), |value| self.same(e.ty, value.ty))
            }
            ExprKind::Error => false,
        }
    }

    fn is_update(&self, update: &Update) -> bool {
        let types = self.types();
        match update.op {
            _ if types.is_pointer(update.computed_in) => self.same(update.operand.ty, types.distance_type()),
            BinaryOp::Shl | BinaryOp::Shr => types.is_integer(update.operand.ty),
            _ => self.same(update.operand.ty, update.computed_in),
        }
    }

    fn is_atomic(&self, atomic: &Atomic, ty: TypeId) -> bool {
        let types = self.types();
        match &atomic.op {
            AtomicOp::Load(place) => self.same(place.ty, ty),
            AtomicOp::Store(place, value) | AtomicOp::Init(place, value) => {
                self.same(place.ty, value.ty) && types.is_void(ty)
            }
            AtomicOp::Exchange(place, value) => self.same(place.ty, value.ty) && self.same(place.ty, ty),
            AtomicOp::CompareExchange { place, desired, .. } => self.same(place.ty, desired.ty),
            AtomicOp::CompareSwap { place, expected, desired, gives: _ } => {
                self.same(place.ty, desired.ty) && self.same(place.ty, expected.ty)
            }
            AtomicOp::Fetch { place, operand, .. } => match types.is_pointer(place.ty) {
                true => self.same(operand.ty, types.distance_type()),
                false => self.same(operand.ty, place.ty),
            },
            AtomicOp::TestAndSet(_) | AtomicOp::Clear(_) | AtomicOp::Fence | AtomicOp::SignalFence => true,
        }
    }

    fn is_in_range(&self, value: i128, ty: TypeId) -> bool {
        let types = self.types();
        match types.as_integer(ty) {
            Some(integer) if types.bits(integer) == 128 => true,
            Some(integer) => {
                let bits = types.bits(integer) - u32::from(integer.signed);
                let least = if integer.signed { -(1i128 << bits) } else { 0 };
                value >= least && value < 1i128 << bits
            }
            None => value >= 0 && types.is_scalar(ty) && !types.is_floating(ty),
        }
    }

    fn is_call(&self, callee: &Callee, args: &[Expr], result: TypeId) -> bool {
        let types = self.types();
        let ty = match callee {
            Callee::Intrinsic(_) => return true,
            Callee::Function(id) => Some(self.program.functions[*id].ty),
            Callee::Pointer(pointer) => types.element(pointer.ty),
        };
        let Some(ty) = ty.and_then(|ty| types.function(ty)) else { return false };
        let fits = |params: &[TypeId]| {
            params.len() <= args.len()
                && params.iter().zip(args).all(|(param, arg)| self.same(*param, arg.ty))
        };
        self.same(result, ty.result) && ty.params.as_ref().is_none_or(|params| fits(params))
    }

    /// The type of the part that a place's path leads to.
    fn reached(&self, place: &Place) -> Option<TypeId> {
        let types = self.types();
        let mut ty = match &place.base {
            Base::Local(id) | Base::Literal(id, _) => self.body?.locals[*id].ty,
            Base::Global(id) => self.program.globals[*id].ty,
            Base::Pointed(pointer) => types.element(pointer.ty)?,
            Base::Value(value) => value.ty,
        };
        for step in &place.path {
            ty = match step {
                Projection::Index(_) => types.element(ty)?,
                Projection::Member(i) => types.layout(types.record_id(ty)?)?.members.get(*i)?.ty,
            };
        }
        Some(ty)
    }
}

impl Visitor for Looks<'_> {
    fn expression(&mut self, e: &Expr) {
        let right = self.is_right(e);
        self.note(right, "an expression of wrong parts", e.span);
        let is_value = !matches!(self.types().kind(e.ty), Type::Array(..) | Type::Function(_));
        self.note(is_value, "a value that is an array or function", e.span);
        let bare = self.types().qualifiers(e.ty) == Qualifiers::NONE;
        self.note(bare, "a value with qualifiers", e.span);
        walk_expression(self, e);
    }

    fn place(&mut self, place: &Place) {
        let reached = self.reached(place).is_some_and(|ty| self.same(ty, place.ty));
        self.note(reached, "a place of another type than its path leads to", place.span);
        walk_place(self, place);
    }

    fn statement(&mut self, stmt: &Stmt) {
        let right = match &stmt.kind {
            StmtKind::Return(Some(value)) => self.same(value.ty, self.result),
            StmtKind::Declare(id, Initializer::Value(value)) => {
                self.body.is_some_and(|body| self.same(body.locals[*id].ty, value.ty))
            }
            StmtKind::Switch(switch) => self.types().is_integer(switch.value.ty),
            _ => true,
        };
        self.note(right, "a statement with a value of another type", stmt.span);
        walk_statement(self, stmt);
    }
}

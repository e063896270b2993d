//! Calls of library functions that are C of our own: the body is lowered where the call stands.
//!
//! All that comes of it has the call's place, so that runs show the user's line and no function that
//! the user did not write. Parameters are names of the arguments' values; the functions assign none
//! of them and return at their end only.

use super::*;
use crate::ast::{BlockItem, StmtKind as Ast};

/// How functions begin that work on objects of thread libraries, whose accesses race with nothing.
const ORDERING: [&str; 9] = [
    "pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "tss_",
    "call_once",
    "__fencepost_futex",
    "__fencepost_sem_open",
    "__fencepost_cancelled_here",
];

impl<'a> Lowerer<'a> {
    /// A call of a function of the library.
    pub(super) fn inline_call(&mut self, index: usize, args: &'a [ast::Expr], span: Span) -> Result<Value> {
        let ty = self.functions[index].ty.clone();
        let name = self.functions[index].name.clone();
        if let ("pthread_key_create" | "tss_create", [_, destructor]) = (name.as_str(), args)
            && self.inlined == 0
            && !self.constant(destructor).is_ok_and(|d| d == 0)
        {
            self.has_destructors = true;
        }
        let args = self.arguments(&ty, &name, args, span)?;
        self.inline(index, args, span)
    }

    /// The function's body with these arguments, converted already.
    pub(super) fn inline(&mut self, index: usize, args: Vec<Expr>, span: Span) -> Result<Value> {
        let ty = self.functions[index].ty.clone();
        let types = ty.params.clone().unwrap_or_default();
        let args = args.into_iter().zip(types).map(|(expr, ty)| Typed { expr, ty }).collect();
        self.inline_typed(index, args, span)
    }

    /// The function's body with arguments whose types count, and not the parameters'.
    pub(super) fn inline_typed(&mut self, index: usize, args: Vec<Typed>, span: Span) -> Result<Value> {
        let function = self.functions[index].body.expect("library functions have bodies");
        let ty = self.functions[index].ty.clone();
        let names = self.parameter_names(index);
        let mut bound = Vec::new();
        for Typed { expr, ty } in args {
            let expr = if is_stable(&expr) { expr } else { self.keep(expr) };
            bound.push(Typed { expr, ty });
        }
        let first_local = self.body.locals.len();
        let jumps = std::mem::take(&mut self.body.jumps);
        self.inlined += 1;
        let unit = self.functions[index].unit;
        let lowered = self.captured(|this| {
            this.at_file_scope(unit, |this| {
                this.scoped(|this| {
                    for ((name, _), value) in names.iter().zip(bound) {
                        this.define(name, Symbol::Alias(value));
                    }
                    this.inlined_body(&function.body, &ty.result)
                })
            })
        });
        self.inlined -= 1;
        self.body.jumps = jumps;
        let (mut value, mut block) = lowered.map_err(|d| Diagnostic { span, ..d })?;
        let name = &self.functions[index].name;
        // An access that is not said to be atomic is one, and orders nothing.
        let access = match ORDERING.iter().any(|start| name.starts_with(start)) {
            true => Access::Atomic(Order::Relaxed),
            false => Access::Plain,
        };
        block.visit_mut(&mut |stmt| {
            stmt.span = span;
            stmt.kind.expressions_mut().into_iter().for_each(|e| move_to(e, span, access));
            stmt.kind.places_mut().into_iter().for_each(|place| move_place(place, span, access));
        });
        if let Value::Scalar(value) = &mut value {
            move_to(&mut value.expr, span, access);
        }
        self.body.locals[first_local..].iter_mut().for_each(|local| local.span = span);
        self.body.out.extend(block.0);
        Ok(value)
    }

    fn inlined_body(&mut self, body: &'a ast::Block, result: &CType) -> Result<Value> {
        let (last, rest) = match body.items.split_last() {
            Some((BlockItem::Statement(ast::Stmt { kind: Ast::Return(Some(e)), .. }), rest)) => {
                (Some(e), rest)
            }
            _ => (None, &body.items[..]),
        };
        self.items(rest)?;
        let Some(e) = last else { return Ok(Value::Void) };
        let value = self.scalar(e)?;
        self.convert(value, result, e.span).map(Value::Scalar)
    }
}

/// Whether an expression means the same wherever it stands, and costs nothing.
pub(super) fn is_stable(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) => true,
        ExprKind::AddressOf(place) => {
            matches!(place.base, Base::Variable(_))
                && place.indices().all(|index| matches!(index.kind, ExprKind::Const(_)))
        }
        _ => false,
    }
}

/// Gives an expression and all in it one place, and its plain accesses a kind.
fn move_to(e: &mut Expr, span: Span, access: Access) {
    e.visit_mut(&mut |e| {
        e.span = span;
        if let ExprKind::Read(place) | ExprKind::AddressOf(place) | ExprKind::Rmw(_, place, _) = &mut e.kind {
            move_place(place, span, access);
        }
    });
}

fn move_place(place: &mut Place, span: Span, access: Access) {
    place.span = span;
    if place.access == Access::Plain {
        place.access = access;
    }
}

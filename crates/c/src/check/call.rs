//! Calls: what is called, and its arguments.

use super::link::FunctionDecl;
use super::scope::Symbol;
use super::{Checker, Result};
use crate::ast::{self, ExprKind as Ast};
use crate::hir::{Callee, Expr, ExprKind, FunctionType, Intrinsic, TypeId};
use fencepost_ir::Span;

/// What verifiers' harnesses define, and mean by its name.
const BY_NAME: [&str; 3] = ["reach_error", "__VERIFIER_error", "assume_abort_if_not"];

impl<'a> Checker<'a> {
    pub fn call(&mut self, function: &'a ast::Expr, args: &'a [ast::Expr], span: Span) -> Result<Expr> {
        match &function.kind {
            Ast::Generic(generic) => {
                let chosen = self.generic(generic, function.span)?;
                self.call(chosen, args, span)
            }
            Ast::Identifier(name) => match self.scopes.lookup(name) {
                Some(Symbol::Function(decl)) => self.call_declared(decl, name, args, span),
                None => match self.known_call(name, None, args, span)? {
                    Some(value) => Ok(self.reaching(name, value)),
                    None => {
                        // What is wrong with the arguments is worth knowing, too.
                        self.effects(args);
                        Err(self.not_declared(name, function.span))
                    }
                },
                Some(_) => self.call_pointer(function, args, span),
            },
            _ => self.call_pointer(function, args, span),
        }
    }

    /// Arguments for what they do.
    fn effects(&mut self, args: &'a [ast::Expr]) {
        for arg in args {
            self.effect(arg);
        }
    }

    /// A call of a function by its name: one that the library knows needs no body.
    fn call_declared(
        &mut self,
        decl: FunctionDecl,
        name: &'a str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Expr> {
        let declared = &self.link.functions[decl];
        let ty = declared.ty;
        let is_librarys = declared.unit == self.link.library_unit;
        let is_known = !is_librarys && (declared.body.is_none() || declared.is_librarys);
        if (is_known || BY_NAME.contains(&name))
            && let Some(value) = self.known_call(name, Some(ty), args, span)?
        {
            return Ok(self.reaching(name, value));
        }
        let arguments = self.declared_arguments(ty, name, args, span);
        let id = self.callee(decl, span);
        self.finished_call(id?, ty, arguments?, span)
    }

    /// The function that is called; where it is not evaluated, it is not needed.
    fn callee(&mut self, decl: FunctionDecl, span: Span) -> Result<Callee> {
        match self.mode.unevaluated {
            0 => self.used_function(decl, span).map(Callee::Function),
            _ => Ok(Callee::Pointer(Box::new(self.error(span)))),
        }
    }

    fn finished_call(&mut self, callee: Callee, ty: TypeId, args: Vec<Expr>, span: Span) -> Result<Expr> {
        let result = self.types.function(ty).expect("functions are called").result;
        let ty = self.types.unqualified(result);
        if self.types.size(ty).is_none() {
            return Err(self.incomplete(ty, span));
        }
        Ok(Expr { kind: ExprKind::Call(callee, args), ty, span })
    }

    /// A call of a library function or a builtin, if it is one; `declared` is the type that the program gives it.
    fn known_call(
        &mut self,
        name: &'a str,
        declared: Option<TypeId>,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Expr>> {
        if let Some(decl) = self.library_function(name) {
            let ty = self.link.functions[decl].ty;
            let arguments = self.declared_arguments(ty, name, args, span)?;
            let callee = self.callee(decl, span)?;
            return self.finished_call(callee, ty, arguments, span).map(Some);
        }
        if let Some(value) = self.atomic_call(name, args, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.builtin_call(name, args, span)? {
            return Ok(Some(value));
        }
        self.intrinsic_call(name, declared, args, span)
    }

    /// A call of a function whose meaning is known, after a word on it if it must not be called.
    fn reaching(&mut self, name: &str, call: Expr) -> Expr {
        if !self.options.reach.iter().any(|forbidden| forbidden == name) {
            return call;
        }
        let (ty, span) = (call.ty, call.span);
        let kind = ExprKind::Call(Callee::Intrinsic(Intrinsic::Reached), Vec::new());
        let reached = Expr { kind, ty: self.types.void(), span };
        Expr { kind: ExprKind::Comma(Box::new(reached), Box::new(call)), ty, span }
    }

    fn call_pointer(&mut self, function: &'a ast::Expr, args: &'a [ast::Expr], span: Span) -> Result<Expr> {
        let pointer = match self.value(function) {
            Ok(pointer) => pointer,
            Err(reported) => {
                self.effects(args);
                return Err(reported);
            }
        };
        let to = self.types.element(pointer.ty).filter(|to| self.types.function(*to).is_some());
        let Some(ty) = to else {
            let message = format!("`{}` is not a function", self.show(pointer.ty));
            return self.fail(span, message);
        };
        let args = self.declared_arguments(ty, "this function", args, span)?;
        let callee = match pointer.kind {
            ExprKind::Function(id) => Callee::Function(id),
            _ => Callee::Pointer(Box::new(pointer)),
        };
        self.finished_call(callee, ty, args, span)
    }

    /// The arguments of a call of a function of a type, each checked even if others are wrong.
    fn declared_arguments(
        &mut self,
        ty: TypeId,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Vec<Expr>> {
        let ty: FunctionType = self.types.function(ty).expect("functions are called").clone();
        let params = ty.params.as_deref();
        let takes = params.map_or(args.len(), <[TypeId]>::len);
        let fits = args.len() == takes || ty.variadic && args.len() > takes;
        if !fits {
            self.effects(args);
            let name = if name == "this function" { name.to_string() } else { format!("`{name}`") };
            let count = if takes == 1 { "1 argument".into() } else { format!("{takes} arguments") };
            let least = if ty.variadic { " or more" } else { "" };
            return self.fail(span, format!("{name} takes {count}{least}, not {}", args.len()));
        }
        self.arguments(params.unwrap_or_default(), args)
    }

    /// The arguments, as values of the parameters' types; those without a parameter are promoted.
    pub fn arguments(&mut self, params: &[TypeId], args: &'a [ast::Expr]) -> Result<Vec<Expr>> {
        let mut values = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let value = self.value(arg);
            values.push(value.and_then(|value| match params.get(i) {
                Some(ty) => self.converted(value, *ty),
                None => self.default_promoted(value),
            }));
        }
        values.into_iter().collect()
    }
}

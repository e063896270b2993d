//! Where a program begins: `main`, and what runs before and after it.

use super::link::{FunctionDecl, Hook, Linkage};
use super::scope::Symbol;
use super::{Checker, Reported, Result};
use crate::hir::{FunctionId, Type, TypeId};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use std::cmp::Reverse;
use std::fmt::Write;

impl Checker<'_> {
    fn defined(&self, name: &str) -> Option<FunctionDecl> {
        let mut functions = self.link.functions.iter_enumerated();
        functions.find(|(_, f)| f.name == name && f.body.is_some()).map(|(decl, _)| decl)
    }

    /// The function that the program begins with.
    pub fn main_function(&mut self) -> Result<FunctionId> {
        // CDSChecker calls it by a name of its own.
        let main = self.defined("main").or_else(|| self.defined("user_main"));
        let Some(main) = main else { return Err(self.no_main()) };
        let span = self.link.functions[main].span;
        let ty = self.types.function(self.link.functions[main].ty);
        let params = ty.and_then(|ty| ty.params.clone()).unwrap_or_default();
        let fits = params.iter().enumerate().all(|(i, ty)| match i {
            0 if self.types.is_integer(*ty) => true,
            _ => self.types.is_pointer(*ty),
        });
        if !fits {
            return self.fail(span, "`main` takes no parameters, or `int argc` and `char **argv`");
        }
        self.used_function(main, span)
    }

    /// What runs before `main`, functions of lower numbers first.
    pub fn constructors(&mut self) -> Vec<FunctionId> {
        let mut hooks = std::mem::take(&mut self.link.constructors);
        hooks.sort_by_key(|hook| hook.priority);
        self.hooks(&hooks)
    }

    /// What runs after it, the later ones first.
    pub fn destructors(&mut self) -> Vec<FunctionId> {
        let mut hooks = std::mem::take(&mut self.link.destructors);
        hooks.reverse();
        hooks.sort_by_key(|hook| Reverse(hook.priority));
        self.hooks(&hooks)
    }

    fn hooks(&mut self, hooks: &[Hook]) -> Vec<FunctionId> {
        let mut functions = Vec::new();
        for hook in hooks {
            let function = &self.link.functions[hook.function];
            let (name, span) = (function.name, function.span);
            let ty = self.types.function(function.ty);
            if ty.and_then(|ty| ty.params.as_ref()).is_some_and(|params| !params.is_empty()) {
                let message = format!("`{name}` has parameters, which is not supported here");
                let _ = self.fail::<()>(span, message);
            } else if let Ok(id) = self.used_function(hook.function, span) {
                functions.push(id);
            }
        }
        functions
    }

    /// What to say about files without `main`: a program to start from, in which two threads call what they offer.
    fn no_main(&mut self) -> Reported {
        let is_users = |decl: &FunctionDecl| {
            let function = &self.link.functions[*decl];
            function.body.is_some() && function.unit != self.link.library_unit
        };
        let defined: Vec<_> = self.link.functions.indices().filter(is_users).collect();
        let is_public = |decl: &FunctionDecl| self.link.functions[*decl].linkage == Linkage::External;
        let public: Vec<_> = defined.iter().copied().filter(is_public).collect();
        let offered = if public.is_empty() { defined } else { public };
        let start = Span { line: 1, column: 1, ..Span::NONE };
        let span = offered.first().map_or(start, |decl| self.link.functions[*decl].span);
        let draft = self.harness(&offered);
        self.report(
            Diagnostic::new(span, "there is no `main`, so nothing runs")
                .help(
                    "a harness to start from is printed; save it beside this file, say what must hold, and check it",
                )
                .draft(draft),
        )
    }

    fn harness(&self, offered: &[FunctionDecl]) -> String {
        // One variable for all functions that take a pointer to its type.
        let mut types: Vec<String> = Vec::new();
        let mut calls = String::new();
        for decl in offered {
            let function = &self.link.functions[*decl];
            let ty = self.types.function(function.ty);
            let params = ty.and_then(|ty| ty.params.clone()).unwrap_or_default();
            let arguments = params.iter().map(|ty| match self.pointed_name(*ty) {
                Some(name) => {
                    let known = types.iter().position(|t| *t == name);
                    let number = known.unwrap_or_else(|| {
                        types.push(name);
                        types.len() - 1
                    });
                    format!("&argument{}", number + 1)
                }
                None => "0".to_string(),
            });
            let arguments: Vec<_> = arguments.collect();
            let _ = writeln!(calls, "    {}({});", function.name, arguments.join(", "));
        }
        if calls.is_empty() {
            calls = "    /* what a thread does */\n".to_string();
        }
        let declared = types.iter().enumerate().map(|(i, ty)| format!("static {ty} argument{};\n", i + 1));
        let mut variables: String = declared.collect();
        if !variables.is_empty() {
            variables.push('\n');
        }
        format!(
            "{variables}static void *first(void *unused)\n{{\n    (void)unused;\n{calls}    return 0;\n}}\n\n\
             static void *second(void *unused)\n{{\n    (void)unused;\n{calls}    return 0;\n}}\n\n\
             int main(void)\n{{\n    pthread_t a, b;\n\
             \x20   pthread_create(&a, 0, first, 0);\n    pthread_create(&b, 0, second, 0);\n\
             \x20   pthread_join(a, 0);\n    pthread_join(b, 0);\n\
             \x20   assert(1); /* what must hold at the end */\n    return 0;\n}}\n"
        )
    }

    /// The name of the type that a parameter points to, if a variable of it can be declared.
    fn pointed_name(&self, ty: TypeId) -> Option<String> {
        let Type::Pointer(to) = *self.types.kind(ty) else { return None };
        if self.types.is_void(to) || self.types.size(to).is_none() {
            return None;
        }
        match self.types.kind(to) {
            Type::Record(record) if self.types.records[*record].tag.is_empty() => self.alias(to),
            Type::Array(..) | Type::Function(_) => self.alias(to),
            _ => Some(self.show(self.types.unqualified(to))),
        }
    }

    /// A typedef name for a type that has no other; names that headers keep to themselves are not to be written.
    fn alias(&self, ty: TypeId) -> Option<String> {
        let names = self.scopes.file_names().iter().filter(|(name, symbol)| {
            !name.starts_with("__") && matches!(symbol, Symbol::Type(known) if self.types.same(*known, ty))
        });
        names.map(|(name, _)| name.to_string()).min()
    }
}

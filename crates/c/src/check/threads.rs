//! Threads that are there from the beginning: functions whose parameters point to shared variables of the same names.

use super::link::FunctionDecl;
use super::scope::Symbol;
use super::{Checker, Result};
use crate::ast;
use crate::hir::{self, GlobalId, StartedThread, Type, TypeId};
use crate::preprocess::Options;
use fencepost_ir::Span;
use fencepost_text::Diagnostic;
use std::collections::HashMap;

/// The unit that all texts are, and that of the library.
const OWN: usize = 0;
const LIBRARY: usize = 1;

/// Which of the things that texts declare run, and what they share.
pub(crate) struct Threads<'a> {
    /// Shared variables, in order, with their places.
    pub shared: Vec<(&'a str, Span)>,
    /// Functions, in order.
    pub functions: Vec<&'a str>,
}

/// Checks texts that are one translation unit. Without a library they call no function of it.
pub(crate) fn check_threads<'a>(
    texts: &[&'a ast::Unit],
    library: Option<&'a ast::Unit>,
    threads: &Threads<'a>,
    options: &'a Options,
) -> std::result::Result<hir::Program, Vec<Diagnostic>> {
    let mut checker = Checker::new(options, 2);
    checker.link.library_unit = LIBRARY;
    checker.mode.pointers_are_no_numbers = true;
    if let Some(library) = library {
        checker.library(library, LIBRARY);
    }
    checker.scopes.enter_unit(OWN);
    texts.iter().for_each(|text| checker.unit(text));
    let program = checker.threads(threads)?;
    debug_assert_eq!(hir::broken(&program), None, "a checked program is right in itself");
    Ok(program)
}

impl<'a> Checker<'a> {
    fn threads(mut self, threads: &Threads<'a>) -> std::result::Result<hir::Program, Vec<Diagnostic>> {
        let mut shared = HashMap::new();
        for (name, span) in &threads.shared {
            if let Some(Symbol::Variable(decl)) = self.scopes.at_file_scope(name)
                && let Ok(id) = self.used_variable(decl, *span)
            {
                shared.insert(*name, id);
            }
        }
        let mut started = Vec::new();
        for name in &threads.functions {
            let Some(Symbol::Function(decl)) = self.scopes.at_file_scope(name) else { continue };
            let Ok(function) = self.used_function(decl, self.link.functions[decl].span) else { continue };
            if let Ok(shared) = self.parameters_of_thread(decl, &shared) {
                started.push(StartedThread { function, shared });
            }
        }
        self.check_waiting();
        while self.support_ends(false) {
            self.check_waiting();
        }
        self.sort_diagnostics();
        match self.diagnostics.is_empty() {
            true => Ok(self.finished(hir::Start::Threads(started), Vec::new(), Vec::new())),
            false => Err(self.diagnostics),
        }
    }

    /// The variables that a thread's parameters point to.
    fn parameters_of_thread(
        &mut self,
        decl: FunctionDecl,
        shared: &HashMap<&str, GlobalId>,
    ) -> Result<Vec<GlobalId>> {
        let function = &self.link.functions[decl];
        let (name, span) = (function.name, function.span);
        let ty = self.types.function(function.ty).expect("functions have function types").clone();
        let definition = function.body.expect("threads have bodies");
        if !self.types.is_void(ty.result) {
            return self.fail(span, format!("`{name}` is a thread, which gives no result"));
        }
        let parameters = match definition.parameters() {
            ast::Parameters::Prototype { parameters, variadic: false } => &parameters[..],
            ast::Parameters::Unspecified => &[],
            ast::Parameters::Prototype { .. } | ast::Parameters::Names(_) => {
                return self.fail(span, "expected the types of all parameters");
            }
        };
        let mut globals = Vec::new();
        for (parameter, ty) in parameters.iter().zip(ty.params.unwrap_or_default()) {
            globals.push(self.parameter_of_thread(parameter, ty, shared));
        }
        globals.into_iter().collect()
    }

    fn parameter_of_thread(
        &mut self,
        parameter: &ast::Parameter,
        ty: TypeId,
        shared: &HashMap<&str, GlobalId>,
    ) -> Result<GlobalId> {
        let (Type::Pointer(to), Some(name)) = (self.types.kind(ty).clone(), &parameter.declarator.name)
        else {
            let message = "a parameter is a pointer to a location";
            let diagnostic = Diagnostic::new(parameter.span, message).help("write it as in `int* x`");
            return Err(self.report(diagnostic));
        };
        // What is wrong with the variable has been reported.
        let Some(global) = shared.get(name.text.as_str()).copied() else { return Err(super::Reported(())) };
        let variable = self.output.globals[global].ty;
        let parts = self.array(variable).map(|(element, _)| element);
        let fits = [Some(variable), parts].into_iter().flatten();
        if !fits.into_iter().any(|ty| self.types.size(ty) == self.types.size(to)) {
            return self.fail(name.span, format!("`{}` has another width elsewhere", name.text));
        }
        Ok(global)
    }
}

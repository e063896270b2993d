//! Declarations: typedef names, functions and variables, in functions and outside.

use super::link::{DeclaredVariable, Linkage, VariableDecl};
use super::scope::Symbol;
use super::unit::linkage;
use super::{Checker, Result};
use crate::ast::{self, AttributeKind, Storage};
use crate::hir::{FunctionId, Initializer, Length, Lives, Stmt, StmtKind, Type, TypeId};
use fencepost_text::Diagnostic;

impl<'a> Checker<'a> {
    /// Types of thread libraries, which are ours whatever their header says they are.
    fn library_type(&mut self, name: &str) -> Option<TypeId> {
        let same = match name {
            "mtx_t" => "pthread_mutex_t",
            "cnd_t" => "pthread_cond_t",
            name => name,
        };
        if let Some(Symbol::Type(ty)) = self.link.library.get(same) {
            return Some(*ty);
        }
        match name {
            "__fencepost_lock_t" => Some(self.types.intern(Type::Mutex)),
            "pthread_t" | "thrd_t" => Some(self.types.intern(Type::Thread)),
            _ => None,
        }
    }

    /// A typedef, a function, or a variable that lives as long as the program.
    pub fn declare_outside(
        &mut self,
        declaration: &'a ast::Declaration,
        declared: &'a ast::InitDeclarator,
        base: Option<TypeId>,
    ) -> Result<()> {
        let specifiers = &declaration.specifiers;
        let name = declared.name();
        let attributes = || specifiers.attributes.iter().chain(&declared.declarator.attributes);
        let ty = self.declared_type(base, declared)?;
        let ty = self.with_mode(ty, attributes())?;
        if let Some((Storage::Typedef, _)) = specifiers.storage {
            let ty = self.with_vectors(ty, attributes())?;
            self.with_transparency(ty, attributes());
            let ty = self.library_type(&name.text).unwrap_or(ty);
            let named = match self.alignment_attributes(attributes())? {
                0 => self.types.intern(Type::Named(name.text.clone(), ty)),
                align => self.types.named_and_aligned(&name.text, ty, align),
            };
            if self.scopes.is_file_scope() {
                self.types.declare_typedef(named, name.span);
            }
            self.scopes.define(&name.text, Symbol::Type(named));
            return Ok(());
        }
        if self.types.function(ty).is_some() {
            // The type of the declaration may be a typedef name.
            let ty = self.types.intern(self.types.kind(ty).clone());
            let decl = self.function_symbol(&name.text, ty, linkage(specifiers), name.span);
            self.scopes.define(&name.text, Symbol::Function(decl));
            return self.function_attributes(decl, attributes());
        }
        self.known_attributes(attributes())?;
        self.declare_variable(specifiers, declared, ty)
    }

    /// A variable that lives as long as the program or its thread.
    fn declare_variable(
        &mut self,
        specifiers: &'a ast::Specifiers,
        declared: &'a ast::InitDeclarator,
        ty: TypeId,
    ) -> Result<()> {
        let name = declared.name();
        let is_extern = matches!(specifiers.storage, Some((Storage::Extern, _)));
        let is_shared = self.scopes.is_file_scope() || is_extern;
        let external = linkage(specifiers) == Linkage::External && is_shared;
        let shared = || self.link.external.get(name.text.as_str()).copied().filter(|_| external);
        let known = match self.scopes.at_file_scope(&name.text).or_else(shared) {
            Some(Symbol::Variable(decl)) if is_shared => Some(decl),
            _ => None,
        };
        if !is_shared {
            self.not_twice(name)?;
        }
        let decl = match known {
            Some(known) => {
                self.agrees(known, ty, declared)?;
                known
            }
            None => self.link.variables.push(DeclaredVariable {
                name: &name.text,
                ty,
                initializer: None,
                unit: self.scopes.unit(),
                lives: None,
                span: name.span,
                id: None,
            }),
        };
        let defines = !is_extern || declared.initializer.is_some();
        self.complete_variable(decl, specifiers, declared, ty, defines);
        if is_extern && !self.scopes.is_file_scope() && self.scopes.at_file_scope(&name.text).is_none() {
            self.scopes.define_at_file_scope(&name.text, Symbol::Variable(decl));
        }
        if external {
            self.link.external.entry(&name.text).or_insert(Symbol::Variable(decl));
        }
        self.scopes.define(&name.text, Symbol::Variable(decl));
        // The initialiser of a function's own static variable means the names of the function.
        if !is_shared { self.static_local(decl) } else { Ok(()) }
    }

    /// What a further declaration tells of a variable.
    fn complete_variable(
        &mut self,
        decl: VariableDecl,
        specifiers: &'a ast::Specifiers,
        declared: &'a ast::InitDeclarator,
        ty: TypeId,
        defines: bool,
    ) {
        let is_open = matches!(self.array(self.link.variables[decl].ty), Some((_, Length::Unknown)));
        let variable = &mut self.link.variables[decl];
        if let Some(initializer) = &declared.initializer {
            variable.initializer = Some(initializer);
            variable.unit = self.scopes.unit();
        }
        if is_open {
            variable.ty = ty;
        }
        if defines {
            let per_thread = specifiers.thread_local.is_some();
            variable.lives = Some(if per_thread { Lives::Thread } else { Lives::Program });
        }
    }

    fn static_local(&mut self, decl: VariableDecl) -> Result<()> {
        let variable = &mut self.link.variables[decl];
        let initializer = variable.initializer.take();
        let (ty, span) = (variable.ty, variable.span);
        let id = self.used_variable(decl, span)?;
        self.output.globals[id].function = self.body.as_ref().map(|body| body.id);
        if let Some(initializer) = initializer {
            self.output.globals[id].init = self.static_initializer(ty, initializer)?;
        }
        Ok(())
    }

    /// Whether a further declaration of a variable fits those before.
    fn agrees(&mut self, known: VariableDecl, ty: TypeId, declared: &ast::InitDeclarator) -> Result<()> {
        let name = declared.name();
        let before = &self.link.variables[known];
        let first = format!("first in line {}", before.span.line);
        let both_scalar = self.types.is_scalar(before.ty) && self.types.is_scalar(ty);
        let differ = self.types.size(before.ty) != self.types.size(ty)
            || self.types.is_pointer(before.ty) != self.types.is_pointer(ty);
        if both_scalar && differ && !self.compatible(before.ty, ty) {
            let (l, r) = (self.show(before.ty), self.show(ty));
            let message = format!("`{}` is declared as `{l}` and as `{r}`", name.text);
            return Err(self.report(Diagnostic::new(name.span, message).label(first)));
        }
        if declared.initializer.is_some() && before.initializer.is_some() {
            let message = format!("`{}` is defined twice", name.text);
            return Err(self.report(Diagnostic::new(name.span, message).label(first)));
        }
        Ok(())
    }

    /// A scope has one variable of a name.
    fn not_twice(&mut self, name: &ast::Name) -> Result<()> {
        match self.scopes.here(&name.text) {
            Some(Symbol::Local(_) | Symbol::Variable(_)) => {
                self.fail(name.span, format!("`{}` is declared twice in this block", name.text))
            }
            _ => Ok(()),
        }
    }

    /// A declaration in a function.
    pub fn declare_local(&mut self, declaration: &'a ast::Declaration, items: &mut Vec<Stmt>) {
        let specifiers = &declaration.specifiers;
        let base = match specifiers.ty {
            ast::TypeSpecifier::Auto => None,
            _ => match self.base_type(specifiers) {
                Ok(base) => Some(base),
                Err(_) => return self.break_names(declaration),
            },
        };
        let storage = specifiers.storage.map(|(storage, _)| storage);
        let outside = matches!(storage, Some(Storage::Typedef | Storage::Extern | Storage::Static))
            || specifiers.thread_local.is_some();
        for declared in &declaration.declarators {
            let is_function = matches!(declared.declarator.derived.first(), Some(ast::Derived::Function(_)))
                || base.is_some_and(|base| {
                    declared.declarator.derived.is_empty() && self.types.function(base).is_some()
                });
            let result = match outside || is_function {
                true => self.declare_outside(declaration, declared, base),
                false => self.local_variable(specifiers, declared, base, items),
            };
            // A typedef with a length is one that the block evaluates.
            let lengths = std::mem::take(&mut self.body().lengths);
            items.extend(lengths);
            if result.is_err() && !matches!(self.scopes.here(&declared.name().text), Some(Symbol::Local(_))) {
                self.scopes.define(&declared.name().text, Symbol::Broken);
            }
        }
    }

    fn local_variable(
        &mut self,
        specifiers: &'a ast::Specifiers,
        declared: &'a ast::InitDeclarator,
        base: Option<TypeId>,
        items: &mut Vec<Stmt>,
    ) -> Result<()> {
        let name = declared.name();
        let span = name.span;
        let attributes = || specifiers.attributes.iter().chain(&declared.declarator.attributes);
        self.known_attributes(attributes())?;
        self.not_twice(name)?;
        let ty = self.declared_type(base, declared)?;
        let ty = self.with_mode(ty, attributes())?;
        let is_known = self.types.size(ty).is_some() && !self.types.is_void(ty);
        if !is_known && !self.types.is_variable(ty) {
            return Err(self.incomplete(ty, span));
        }
        let lengths = std::mem::take(&mut self.body().lengths);
        items.extend(lengths);
        let id = self.new_local(&name.text, ty, span);
        // The name is known in its own initialiser, as in `T *p = malloc(sizeof *p)`.
        self.scopes.define(&name.text, Symbol::Local(id));
        let init = match &declared.initializer {
            Some(initializer) => self.initializer(ty, initializer)?,
            None => Initializer::None,
        };
        items.push(Stmt { kind: StmtKind::Declare(id, init), span });
        if let Some(cleanup) = self.cleanup(attributes())? {
            self.body().locals[id].cleanup = Some(cleanup);
            self.body().locals[id].addressed = true;
            self.body().cleanups += 1;
        }
        Ok(())
    }

    /// What is called with a variable's address when its block is left.
    fn cleanup(
        &mut self,
        attributes: impl Iterator<Item = &'a ast::Attribute>,
    ) -> Result<Option<FunctionId>> {
        for attribute in attributes {
            let AttributeKind::Cleanup(called) = &attribute.kind else { continue };
            let Some(Symbol::Function(decl)) = self.scopes.lookup(&called.text) else {
                return self.fail(called.span, format!("`{}` is not a function", called.text));
            };
            let ty = self.types.function(self.link.functions[decl].ty);
            if ty.and_then(|ty| ty.params.as_ref()).is_none_or(|params| params.len() != 1) {
                return self.fail(called.span, "such a function takes one pointer");
            }
            return self.used_function(decl, called.span).map(Some);
        }
        Ok(None)
    }
}

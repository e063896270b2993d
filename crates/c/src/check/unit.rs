//! What is at file scope, in the order of the text.

use super::link::{DeclaredFunction, FunctionDecl, Linkage};
use super::scope::Symbol;
use super::{Checker, Result};
use crate::ast::{self, Parameters};
use crate::hir::{FunctionType, Type, TypeId};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;

impl<'a> Checker<'a> {
    /// Declares what is at file scope. An error in one declaration leaves the others as they are.
    pub fn unit(&mut self, unit: &'a ast::Unit) {
        self.packs.add(&unit.pragmas);
        self.newer_constants();
        for name in &unit.unknown {
            self.scopes.define(name, Symbol::Broken);
        }
        self.items(&unit.items);
    }

    /// Declares some of what is at file scope.
    pub fn items(&mut self, items: impl IntoIterator<Item = &'a ast::Item>) {
        for item in items {
            let _: Result<()> = match item {
                ast::Item::Function(function) => self.define_function(function),
                ast::Item::Declaration(declaration) => self.declare_at_file_scope(declaration),
                ast::Item::StaticAssert(assertion) => self.static_assert(assertion),
                ast::Item::Asm(asm) => self.fail(asm.span, "assembly outside of functions is not supported"),
            };
        }
    }

    /// Constants that C23 knows without a header; older texts may define them again.
    pub fn newer_constants(&mut self) {
        let int = self.types.int();
        self.scopes.define("false", Symbol::Constant(0, int));
        self.scopes.define("true", Symbol::Constant(1, int));
        let null = self.types.void_pointer();
        self.scopes.define("nullptr", Symbol::Constant(0, null));
    }

    fn declare_at_file_scope(&mut self, declaration: &'a ast::Declaration) -> Result<()> {
        let base = match declaration.specifiers.ty {
            ast::TypeSpecifier::Auto => None,
            _ => match self.base_type(&declaration.specifiers) {
                Ok(base) => Some(base),
                Err(reported) => {
                    self.break_names(declaration);
                    return Err(reported);
                }
            },
        };
        for declared in &declaration.declarators {
            if self.declare_outside(declaration, declared, base).is_err() {
                self.scopes.define(&declared.name().text, Symbol::Broken);
            }
        }
        Ok(())
    }

    /// Lets the names of a wrong declaration be known, so that their uses are not reported as well.
    pub fn break_names(&mut self, declaration: &'a ast::Declaration) {
        for declared in &declaration.declarators {
            self.scopes.define(&declared.name().text, Symbol::Broken);
        }
    }

    fn define_function(&mut self, function: &'a ast::Function) -> Result<()> {
        let name = function.name();
        let ty = match self.definition_type(function) {
            Ok(ty) => ty,
            Err(reported) => {
                self.scopes.define(&name.text, Symbol::Broken);
                return Err(reported);
            }
        };
        let decl = self.function_symbol(&name.text, ty, linkage(&function.specifiers), name.span);
        if let Some(first) = self.link.functions[decl].body {
            let inline = |f: &ast::Function| f.specifiers.inline.is_some();
            if inline(first) || inline(function) {
                return Ok(());
            }
            let message = format!("`{}` is defined twice", name.text);
            let first = format!("first in line {}", first.name().span.line);
            return Err(self.report(Diagnostic::new(name.span, message).label(first)));
        }
        let attributes = || function.specifiers.attributes.iter().chain(&function.declarator.attributes);
        self.known_attributes(attributes())?;
        let gnu_inline = |a: &ast::Attribute| matches!(a.kind, ast::AttributeKind::GnuInline);
        let is_extern = matches!(function.specifiers.storage, Some((ast::Storage::Extern, _)));
        let unit = self.scopes.unit();
        let known = &mut self.link.functions[decl];
        known.is_librarys = is_extern && attributes().any(gnu_inline);
        (known.ty, known.body, known.unit, known.span) = (ty, Some(function), unit, name.span);
        self.function_attributes(decl, attributes())
    }

    /// The type of a function that is defined, whose parameters are all known.
    fn definition_type(&mut self, function: &'a ast::Function) -> Result<TypeId> {
        let base = self.base_type(&function.specifiers)?;
        let ty = self.derive(base, &function.declarator.derived)?;
        let mut ty = self.types.function(ty).expect("the parser defines functions only").clone();
        match function.parameters() {
            Parameters::Names(names) => ty.params = Some(self.old_style_types(names, &function.old_style)?),
            // A definition without prototype takes nothing.
            Parameters::Unspecified => ty.params = Some(Vec::new()),
            Parameters::Prototype { .. } => {}
        }
        Ok(self.types.intern(Type::Function(ty)))
    }

    fn old_style_types(
        &mut self,
        names: &'a [ast::Name],
        declarations: &'a [ast::Declaration],
    ) -> Result<Vec<TypeId>> {
        let mut types = vec![self.types.int(); names.len()];
        for declaration in declarations {
            let base = self.base_type(&declaration.specifiers)?;
            for declared in &declaration.declarators {
                let ty = self.parameter_type(base, &declared.declarator.derived)?;
                match names.iter().position(|n| n.text == declared.name().text) {
                    Some(position) => types[position] = ty,
                    None => {
                        let message = format!("there is no parameter `{}`", declared.name().text);
                        return self.fail(declared.span, message);
                    }
                }
            }
        }
        Ok(types)
    }

    /// The function of a name, declared if it is not yet.
    pub fn function_symbol(
        &mut self,
        name: &'a str,
        ty: TypeId,
        linkage: Linkage,
        span: Span,
    ) -> FunctionDecl {
        let shared = || self.link.external.get(name).copied().filter(|_| linkage == Linkage::External);
        let known = match self.scopes.at_file_scope(name).or_else(shared) {
            Some(Symbol::Function(decl)) => Some(decl),
            _ => None,
        };
        let decl = known.unwrap_or_else(|| {
            let unit = self.scopes.unit();
            self.link.functions.push(DeclaredFunction {
                name,
                ty,
                body: None,
                unit,
                linkage,
                is_librarys: false,
                span,
                id: None,
            })
        });
        let function = &mut self.link.functions[decl];
        let is_open = |ty: Option<&FunctionType>| ty.is_some_and(|ty| ty.params.is_none());
        if function.body.is_none() && is_open(self.types.function(function.ty)) {
            function.ty = ty;
        }
        self.scopes.define_at_file_scope(name, Symbol::Function(decl));
        if linkage == Linkage::External {
            self.link.external.entry(name).or_insert(Symbol::Function(decl));
        }
        decl
    }
}

/// Whether a declaration means the same name in all units.
pub fn linkage(specifiers: &ast::Specifiers) -> Linkage {
    match specifiers.storage {
        Some((ast::Storage::Static, _)) => Linkage::Internal,
        _ => Linkage::External,
    }
}

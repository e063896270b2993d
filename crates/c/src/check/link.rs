//! Functions and variables of all units, and which of them are the same.

use super::scope::Symbol;
use super::{Checker, Reported, Result, Work};
use crate::ast;
use crate::hir::{self, FunctionId, GlobalId, Lives, Origin, Type, TypeId};
use fencepost_ir::{Remark, Span};
use fencepost_text::Diagnostic;
use index_vec::IndexVec;
use std::collections::HashMap;

index_vec::define_index_type! {
    /// A function that is declared somewhere.
    pub struct FunctionDecl = u32;
}

index_vec::define_index_type! {
    /// A variable that is declared somewhere and is not a local one.
    pub struct VariableDecl = u32;
}

/// Whether a name means the same in all units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    External,
    Internal,
}

/// A declared function.
pub struct DeclaredFunction<'a> {
    pub name: &'a str,
    pub ty: TypeId,
    pub body: Option<&'a ast::Function>,
    /// The unit that the body is in.
    pub unit: usize,
    pub linkage: Linkage,
    /// The body is a header's, for inlining; the function itself is the library's.
    pub is_librarys: bool,
    pub span: Span,
    /// Set when it is first used.
    pub id: Option<FunctionId>,
}

/// A declared variable.
pub struct DeclaredVariable<'a> {
    pub name: &'a str,
    pub ty: TypeId,
    pub initializer: Option<&'a ast::Initializer>,
    /// The unit that it is in, whose names its initialiser means.
    pub unit: usize,
    /// `None` as long as it is only declared.
    pub lives: Option<Lives>,
    pub span: Span,
    /// Set when it is first used.
    pub id: Option<GlobalId>,
}

/// A function that runs before or after `main`.
#[derive(Clone, Copy)]
pub struct Hook {
    pub function: FunctionDecl,
    pub priority: i128,
}

/// What is declared anywhere.
#[derive(Default)]
pub struct Link<'a> {
    pub functions: IndexVec<FunctionDecl, DeclaredFunction<'a>>,
    pub variables: IndexVec<VariableDecl, DeclaredVariable<'a>>,
    /// Functions and variables that all units share.
    pub external: HashMap<&'a str, Symbol>,
    /// What the library declares.
    pub library: HashMap<&'a str, Symbol>,
    pub library_unit: usize,
    /// How many of the records are the library's.
    pub library_records: usize,
    pub constructors: Vec<Hook>,
    pub destructors: Vec<Hook>,
}

/// Functions of the library that a pointer to a known function is a pointer to.
const VALUES: [(&str, &str); 1] = [("free", "__fencepost_free")];

impl<'a> Checker<'a> {
    fn origin(&self, unit: usize) -> Origin {
        if unit == self.link.library_unit { Origin::Library } else { Origin::User }
    }

    /// The library's function of a name; builtin ones have the names of those of the C library after a prefix.
    pub fn library_function(&self, name: &str) -> Option<FunctionDecl> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let known = self.link.library.get(name).or_else(|| self.link.library.get(plain));
        match known {
            Some(Symbol::Function(function)) => Some(*function),
            _ => None,
        }
    }

    /// A function that the program uses. One without a body is the library's, if that has it.
    pub fn used_function(&mut self, decl: FunctionDecl, span: Span) -> Result<FunctionId> {
        let function = &self.link.functions[decl];
        if let Some(id) = function.id.filter(|_| function.body.is_some()) {
            return Ok(id);
        }
        if function.body.is_none() {
            if let Some(own) = self.library_function(function.name).filter(|own| *own != decl) {
                return self.used_function(own, span);
            }
            if !self.options.havoc_externs && self.mode.unevaluated == 0 {
                self.report_once(self.link.functions[decl].name);
                return Err(self.no_body(decl, span));
            }
        }
        if let Some(id) = self.link.functions[decl].id {
            return Ok(id);
        }
        let id = self.new_function(decl);
        if self.link.functions[decl].body.is_some() {
            self.waiting.push_back(Work::Function(decl));
        }
        Ok(id)
    }

    /// A function that the program has a pointer to. Nobody may ever call it, so it need not have a body: lowering refuses
    /// calls that may mean one that has none.
    pub fn named_function(&mut self, decl: FunctionDecl, span: Span) -> Result<FunctionId> {
        let function = &self.link.functions[decl];
        if let Some(id) = function.id {
            return Ok(id);
        }
        if function.body.is_some() || self.library_function(function.name).is_some_and(|own| own != decl) {
            return self.used_function(decl, span);
        }
        let value = VALUES.iter().find(|(name, _)| *name == function.name);
        if let Some(own) = value.and_then(|(_, own)| self.library_function(own)) {
            return self.used_function(own, span);
        }
        Ok(self.new_function(decl))
    }

    /// A function of the program, without its body as yet.
    fn new_function(&mut self, decl: FunctionDecl) -> FunctionId {
        let function = &self.link.functions[decl];
        let (name, ty, span) = (function.name.to_string(), function.ty, function.span);
        let origin = self.origin(function.unit);
        let id = self.output.functions.push(hir::Function { name, ty, body: None, origin, span });
        self.link.functions[decl].id = Some(id);
        id
    }

    /// Lets further uses of what is wrong go unreported in its unit.
    fn report_once(&mut self, name: &'a str) {
        if self.mode.quiet == 0 {
            self.scopes.define_at_file_scope(name, Symbol::Broken);
        }
    }

    /// Reports a function that is called and has no body.
    fn no_body(&mut self, decl: FunctionDecl, span: Span) -> Reported {
        let name = self.link.functions[decl].name;
        let not_modelled = match name {
            "longjmp" | "_longjmp" | "siglongjmp" => Some("jumps from one function to another are"),
            "fork" | "vfork" | "clone" | "wait" | "waitpid" | "pipe" | "pipe2" | "popen" | "execl"
            | "execlp" | "execv" | "execvp" | "execve" => Some("several processes are"),
            _ => None,
        };
        self.report(match not_modelled {
            Some(what) => Diagnostic::new(span, format!("`{name}` is not supported: {what} not modelled")),
            None => Diagnostic::new(span, format!("the function `{name}` has no body"))
                .label("called here")
                .help(
                    "give the file that defines it, too, with --link, write a body for it, or let it give any value \
                     with --havoc-externs",
                ),
        })
    }

    /// A variable that is defined in no file at hand: it is there, and 0 at first, which is said.
    fn undefined_variable(&mut self, decl: VariableDecl, span: Span) -> Result<GlobalId> {
        let variable = &self.link.variables[decl];
        let (name, ty, declared) = (variable.name, variable.ty, variable.span);
        if self.mode.is_test || self.types.size(ty).is_none() {
            let message = format!("the variable `{name}` is defined nowhere");
            let help = "give the file that defines it, too, with --link, or define it";
            self.report_once(name);
            return Err(self.report(Diagnostic::new(span, message).help(help)));
        }
        let message = format!("the variable `{name}` is defined nowhere, and is taken to be 0 at first");
        self.output.remarks.push(Remark { span: declared, message });
        self.link.variables[decl].lives = Some(Lives::Program);
        self.used_variable(decl, span)
    }

    /// A variable that the program uses.
    pub fn used_variable(&mut self, decl: VariableDecl, span: Span) -> Result<GlobalId> {
        if let Some(id) = self.link.variables[decl].id {
            return Ok(id);
        }
        let variable = &self.link.variables[decl];
        let name = variable.name;
        let Some(lives) = variable.lives else {
            // What the library's headers declare, the library has.
            if let Some(Symbol::Variable(own)) = self.link.library.get(name).copied()
                && own != decl
            {
                let id = self.used_variable(own, span)?;
                self.link.variables[decl].id = Some(id);
                return Ok(id);
            }
            return self.undefined_variable(decl, span);
        };
        self.complete_tentative(decl);
        let variable = &self.link.variables[decl];
        let (ty, declared) = (variable.ty, variable.span);
        if self.types.size(ty).is_none() {
            self.report_once(name);
            return Err(self.incomplete(ty, span));
        }
        let origin = self.origin(variable.unit);
        let init = hir::Initializer::None;
        let name = name.to_string();
        let id = self.output.globals.push(hir::Global {
            name,
            ty,
            lives,
            function: None,
            init,
            origin,
            span: declared,
        });
        self.link.variables[decl].id = Some(id);
        if self.link.variables[decl].initializer.is_some() {
            self.waiting.push_back(Work::Variable(decl));
        }
        Ok(id)
    }

    /// A tentative definition of an array without length has one element.
    fn complete_tentative(&mut self, decl: VariableDecl) {
        let variable = &self.link.variables[decl];
        if let Type::Array(of, hir::Length::Unknown) = self.types.kind(variable.ty) {
            let one = self.types.array_of(*of, hir::Length::Known(1));
            self.link.variables[decl].ty = one;
        }
    }

    /// Checks the initialiser of a variable that is used.
    pub fn variable_initializer(&mut self, decl: VariableDecl) {
        let variable = &self.link.variables[decl];
        let (Some(initializer), Some(id)) = (variable.initializer, variable.id) else { return };
        let ty = variable.ty;
        self.scopes.enter_unit(variable.unit);
        if let Ok(init) = self.static_initializer(ty, initializer) {
            self.output.globals[id].init = init;
        }
    }

    /// Reports a type that has no values here.
    pub fn incomplete(&mut self, ty: TypeId, span: Span) -> Reported {
        let message = match self.types.kind(ty) {
            Type::Opaque(what, ..) => format!("{what} is not supported"),
            _ => format!("`{}` is not a complete type here", self.show(ty)),
        };
        let diagnostic = Diagnostic::new(span, message);
        let diagnostic = match self.similar_record(ty) {
            Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
            None if self.types.is_record(ty) => diagnostic.help("give its members before it is used"),
            None => diagnostic,
        };
        self.report(diagnostic)
    }
}

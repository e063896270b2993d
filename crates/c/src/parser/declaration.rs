//! Declarations, functions and initialisers.

use super::{Keyword, Meaning, Parser, Result, TokenKind, refused};
use crate::ast::*;
use fencepost_ir::Span;
use fencepost_text::Diagnostic;

/// Where a declaration is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Outside of functions, where functions are defined.
    File,
    /// Inside of a function.
    Block,
}

impl Parser<'_, '_> {
    /// Reads what is outside of functions; stray semicolons are nothing.
    pub(super) fn item(&mut self, items: &mut Vec<Item>) -> Result<()> {
        if self.take(";") {
            return Ok(());
        }
        if self.is_word(Keyword::StaticAssert) {
            items.push(Item::StaticAssert(self.static_assert()?));
            return Ok(());
        }
        if self.is_word(Keyword::Asm) {
            items.push(Item::Asm(self.asm()?));
            return Ok(());
        }
        if !self.is_declaration() && !self.is_attribute() {
            if self.kind() != TokenKind::Identifier {
                return Err(self.unexpected("a declaration or a function"));
            }
            // In old programs a type that is not there is `int`.
            if !["(", "=", ";", ",", "["].iter().any(|symbol| self.is_at(1, symbol)) {
                return Err(self.unknown_type());
            }
        }
        items.push(self.declared(Level::File)?);
        Ok(())
    }

    /// A declaration inside of a function, with its semicolon.
    pub(super) fn declaration(&mut self) -> Result<Declaration> {
        match self.declared(Level::Block)? {
            Item::Declaration(declaration) => Ok(declaration),
            Item::Function(_) | Item::StaticAssert(_) | Item::Asm(_) => {
                unreachable!("functions are defined at file level only, and the others have no specifiers")
            }
        }
    }

    /// What begins with specifiers: a declaration or a function.
    fn declared(&mut self, level: Level) -> Result<Item> {
        let start = self.here();
        let specifiers = self.specifiers()?;
        let mut declarators = Vec::new();
        if self.take(";") {
            return Ok(Item::Declaration(Declaration { specifiers, declarators, span: self.since(start) }));
        }
        let meaning = match specifiers.storage {
            Some((Storage::Typedef, _)) => Meaning::Type,
            _ => Meaning::Hidden,
        };
        loop {
            let place = self.here();
            let mut before = Vec::new();
            self.attributes(&mut before)?;
            let mut declarator = self.declarator()?;
            declarator.attributes.append(&mut before);
            let asm_label = self.asm_label()?;
            self.attributes(&mut declarator.attributes)?;
            if declarators.is_empty() && self.is_definition(&declarator) {
                if level == Level::Block {
                    return refused(
                        Diagnostic::new(declarator.span, "nested functions are not supported")
                            .label("a function inside of a function")
                            .help("move it out of the function around it"),
                    );
                }
                return Ok(Item::Function(Box::new(self.function(specifiers, declarator, start)?)));
            }
            // The name is known in its own initialiser.
            if let Some(name) = &declarator.name {
                self.declare(&name.text, meaning);
            }
            let initializer = if self.take("=") { Some(self.initializer()?) } else { None };
            declarators.push(InitDeclarator { declarator, asm_label, initializer, span: self.since(place) });
            if self.take(";") {
                let span = self.since(start);
                return Ok(Item::Declaration(Declaration { specifiers, declarators, span }));
            }
            if !self.take(",") {
                return Err(self.unfinished(&declarators));
            }
        }
    }

    /// Says what is missing after a declarator.
    fn unfinished(&self, declarators: &[InitDeclarator]) -> Box<Diagnostic> {
        let last = declarators.last();
        if last.is_some_and(|d| d.initializer.is_some()) {
            return self.unexpected("`,` or `;`");
        }
        match last.and_then(|d| d.declarator.derived.first()) {
            Some(Derived::Function(_)) => self.unexpected("`{`, `,` or `;`"),
            _ => self.unexpected("`=`, `,` or `;`"),
        }
    }

    /// Whether a function's body, or the declarations of its old-style parameters, are next.
    fn is_definition(&self, declarator: &Declarator) -> bool {
        match declarator.derived.first() {
            Some(Derived::Function(Parameters::Names(_))) => self.is("{") || self.is_declaration(),
            Some(Derived::Function(_)) => self.is("{"),
            Some(Derived::Pointer(_) | Derived::Array(_)) | None => false,
        }
    }

    fn function(&mut self, specifiers: Specifiers, declarator: Declarator, start: Span) -> Result<Function> {
        let span = self.since(start);
        if let Some((Storage::Typedef, place)) = specifiers.storage {
            return refused(Diagnostic::new(place, "a typedef has no body"));
        }
        if let Some(name) = &declarator.name {
            self.declare(&name.text, Meaning::Hidden);
        }
        self.scoped(|p| {
            let mut old_style = Vec::new();
            while !p.is("{") {
                if !p.is_declaration() {
                    return Err(p.unexpected("a parameter's declaration or `{`"));
                }
                old_style.push(p.declaration()?);
            }
            match declarator.derived.first() {
                Some(Derived::Function(Parameters::Prototype { parameters, .. })) => {
                    for name in parameters.iter().filter_map(|p| p.declarator.name.as_ref()) {
                        p.declare(&name.text, Meaning::Hidden);
                    }
                }
                Some(Derived::Function(Parameters::Names(names))) => {
                    for name in names {
                        p.declare(&name.text, Meaning::Hidden);
                    }
                }
                _ => {}
            }
            p.functions += 1;
            let body = p.deeper(Self::block)?;
            p.functions -= 1;
            Ok(Function { specifiers, declarator, old_style, body, span })
        })
    }

    pub(super) fn static_assert(&mut self) -> Result<StaticAssert> {
        let start = self.advance().span;
        self.expect("(")?;
        let condition = self.conditional()?;
        let message = if self.take(",") { Some(self.string()?) } else { None };
        self.expect(")")?;
        self.expect(";")?;
        Ok(StaticAssert { condition, message, span: self.since(start) })
    }

    fn initializer(&mut self) -> Result<Initializer> {
        if self.is("{") {
            Ok(Initializer::List(self.initializer_list()?))
        } else {
            Ok(Initializer::Expr(self.assignment()?))
        }
    }

    pub(super) fn initializer_list(&mut self) -> Result<InitializerList> {
        self.deeper(|p| {
            let start = p.expect("{")?;
            let mut items = Vec::new();
            while !p.take("}") {
                items.push(p.initializer_item()?);
                if !p.take(",") && !p.is("}") {
                    return Err(p.unexpected("`,` or `}`"));
                }
            }
            Ok(InitializerList { items, span: p.since(start) })
        })
    }

    fn initializer_item(&mut self) -> Result<InitializerItem> {
        let start = self.here();
        let mut designators = Vec::new();
        if self.kind() == TokenKind::Identifier && self.is_at(1, ":") {
            designators.push(Designator::Field(self.name("a member's name")?));
            self.advance();
        } else {
            while self.is(".") || self.is("[") {
                designators.push(self.designator()?);
            }
            // GNU's `[2] value` has no `=`.
            let is_old = matches!(designators.as_slice(), [Designator::Index(_) | Designator::Range(..)]);
            if !designators.is_empty() && !self.take("=") && !is_old {
                return Err(self.unexpected("`=`"));
            }
        }
        let value = self.initializer()?;
        Ok(InitializerItem { designators, value, span: self.since(start) })
    }

    fn designator(&mut self) -> Result<Designator> {
        if self.take(".") {
            return Ok(Designator::Field(self.name("a member's name")?));
        }
        self.expect("[")?;
        let first = self.conditional()?;
        let designator = if self.take("...") {
            Designator::Range(first, self.conditional()?)
        } else {
            Designator::Index(first)
        };
        self.expect("]")?;
        Ok(designator)
    }
}

//! Declarators: what is declared, from the name outwards.

use super::{Meaning, Parser, Result, TokenKind, refused};
use crate::ast::*;
use crate::token::Keyword;
use fencepost_text::Diagnostic;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Forbidden,
    Either,
}

impl Parser<'_, '_> {
    /// A declarator with a name.
    pub(super) fn declarator(&mut self) -> Result<Declarator> {
        self.any_declarator(Naming::Required)
    }

    /// The declarator of something that has neither a name nor anything else.
    pub(super) fn no_declarator(&self) -> Declarator {
        Declarator { name: None, derived: Vec::new(), attributes: Vec::new(), span: self.here() }
    }

    /// A type without a name.
    pub(super) fn type_name(&mut self) -> Result<Box<TypeName>> {
        let start = self.here();
        if !self.is_type_at(0) {
            return Err(if self.kind() == TokenKind::Identifier {
                self.unknown_type()
            } else {
                self.unexpected("a type")
            });
        }
        let specifiers = self.specifiers()?;
        if let Some((_, span)) = specifiers.storage {
            return refused(Diagnostic::new(span, "a type has no storage class"));
        }
        let declarator = self.any_declarator(Naming::Forbidden)?;
        Ok(Box::new(TypeName { specifiers, declarator, span: self.since(start) }))
    }

    fn any_declarator(&mut self, naming: Naming) -> Result<Declarator> {
        let mut declarator = self.no_declarator();
        self.declarator_into(&mut declarator, naming)?;
        self.check_height(self.depth + declarator.derived.len())?;
        Ok(declarator)
    }

    fn declarator_into(&mut self, declarator: &mut Declarator, naming: Naming) -> Result<()> {
        let mut pointers = Vec::new();
        self.attributes(&mut declarator.attributes)?;
        while self.take("*") {
            pointers.push(Derived::Pointer(self.qualifiers(&mut declarator.attributes)?));
        }
        let token = self.peek();
        match token.kind {
            TokenKind::Identifier | TokenKind::Keyword(Keyword::FloatN(_)) if naming != Naming::Forbidden => {
                self.advance();
                declarator.name = Some(Name { text: token.text.to_string(), span: token.span });
                declarator.span = token.span;
            }
            TokenKind::Symbol("(") if naming == Naming::Required || !self.is_parameter_list() => {
                self.advance();
                self.deeper(|p| p.declarator_into(declarator, naming))?;
                self.expect(")")?;
            }
            _ if naming == Naming::Required => return Err(self.unexpected("a name")),
            _ => declarator.span = token.span,
        }
        self.attributes(&mut declarator.attributes)?;
        loop {
            if self.is("[") && !self.is_at(1, "[") {
                declarator.derived.push(Derived::Array(self.bounds()?));
            } else if self.is("(") {
                self.advance();
                let parameters = self.deeper(Self::parameters)?;
                declarator.derived.push(Derived::Function(parameters));
                self.expect(")")?;
            } else {
                break;
            }
        }
        declarator.derived.extend(pointers.into_iter().rev());
        Ok(())
    }

    /// Whether the `(` that is next begins parameters, and not a declarator in parentheses.
    fn is_parameter_list(&self) -> bool {
        self.is_at(1, ")")
            || self.is_at(1, "...")
            || self.is_type_at(1)
            || self.peek_at(1).kind == TokenKind::Keyword(Keyword::Register)
    }

    /// `[static const n]`
    fn bounds(&mut self) -> Result<ArrayBounds> {
        let start = self.expect("[")?;
        let mut is_static = self.take_word(Keyword::Static);
        let qualifiers = self.qualifiers(&mut Vec::new())?;
        is_static |= self.take_word(Keyword::Static);
        let size = if self.is("]") {
            ArraySize::Unspecified
        } else if self.is("*") && self.is_at(1, "]") {
            self.advance();
            ArraySize::Star
        } else {
            ArraySize::Expr(Box::new(self.deeper(Self::assignment)?))
        };
        self.expect("]")?;
        Ok(ArrayBounds { size, qualifiers, is_static, span: self.since(start) })
    }

    /// What is between a function's parentheses.
    fn parameters(&mut self) -> Result<Parameters> {
        if self.is(")") {
            return Ok(Parameters::Unspecified);
        }
        let is_name = |token: super::Token<'_>| token.kind == TokenKind::Identifier;
        if !is_name(self.peek()) || self.is_type_at(0) {
            return self.scoped(Self::prototype);
        }
        // A row of names, unless what should be a type is not known as one.
        if is_name(self.peek_at(1)) || self.is_at(1, "*") {
            return Err(self.unknown_type());
        }
        let mut names = Vec::new();
        loop {
            names.push(self.name("a parameter's name")?);
            if !self.take(",") {
                return Ok(Parameters::Names(names));
            }
        }
    }

    /// Parameters with their types.
    pub(super) fn prototype(&mut self) -> Result<Parameters> {
        let mut parameters = Vec::new();
        loop {
            if self.take("...") {
                return Ok(Parameters::Prototype { parameters, variadic: true });
            }
            parameters.push(self.parameter()?);
            if !self.take(",") {
                break;
            }
        }
        if let [only] = parameters.as_slice()
            && matches!(only.specifiers.ty, TypeSpecifier::Basic(BasicType::Void))
            && only.declarator.name.is_none()
            && only.declarator.derived.is_empty()
        {
            parameters.clear();
        }
        Ok(Parameters::Prototype { parameters, variadic: false })
    }

    fn parameter(&mut self) -> Result<Parameter> {
        let start = self.here();
        if !self.is_declaration() && !self.is_attribute() {
            return Err(if self.kind() == TokenKind::Identifier {
                self.unknown_type()
            } else {
                self.unexpected("a parameter")
            });
        }
        let specifiers = self.specifiers()?;
        let mut declarator = self.any_declarator(Naming::Either)?;
        self.attributes(&mut declarator.attributes)?;
        if let Some(name) = &declarator.name {
            self.declare(&name.text, Meaning::Hidden);
        }
        Ok(Parameter { specifiers, declarator, span: self.since(start) })
    }
}

//! Attributes, in GNU's notation and in C23's, and asm labels.
//!
//! Kept is what may change a program's meaning; of the rest only the parentheses are read.

use super::{Keyword, Parser, Result, Token, TokenKind};
use crate::ast::*;

/// Attributes that change the meaning in a way that nothing here describes further.
const MEANINGFUL: [&str; 6] = ["address_space", "ifunc", "naked", "scalar_storage_order", "symver", "simd"];

impl<'a> Parser<'_, 'a> {
    pub(super) fn is_attribute(&self) -> bool {
        self.is_word(Keyword::Attribute) || (self.is("[") && self.is_at(1, "["))
    }

    /// How far ahead the first token is that belongs to no attribute and is not `__extension__`.
    pub(super) fn past_attributes(&self, mut ahead: usize) -> usize {
        loop {
            match self.peek_at(ahead).kind {
                TokenKind::Keyword(Keyword::Extension) => ahead += 1,
                TokenKind::Keyword(Keyword::Attribute) => ahead = self.past_brackets(ahead + 1),
                TokenKind::Symbol("[") if self.is_at(ahead + 1, "[") => ahead = self.past_brackets(ahead),
                _ => return ahead,
            }
        }
    }

    /// How far ahead the token is that follows the brackets that begin so far ahead.
    fn past_brackets(&self, mut ahead: usize) -> usize {
        let mut open = 0;
        loop {
            match self.peek_at(ahead).kind {
                TokenKind::Symbol("(" | "[") => open += 1,
                TokenKind::Symbol(")" | "]") => open -= 1,
                TokenKind::End => return ahead,
                _ => {}
            }
            if open <= 0 {
                return ahead + usize::from(open == 0);
            }
            ahead += 1;
        }
    }

    /// Reads all attributes that are next.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Result<()> {
        while self.is_attribute() {
            if self.take_word(Keyword::Attribute) {
                self.expect("(")?;
                self.expect("(")?;
                self.attribute_list(")", attributes)?;
                self.expect(")")?;
                self.expect(")")?;
            } else {
                self.expect("[")?;
                self.expect("[")?;
                self.attribute_list("]", attributes)?;
                self.expect("]")?;
                self.expect("]")?;
            }
        }
        Ok(())
    }

    /// Attributes with commas between them, of which any may be missing.
    fn attribute_list(&mut self, end: &str, attributes: &mut Vec<Attribute>) -> Result<()> {
        loop {
            if !self.is(",") && !self.is(end) {
                attributes.extend(self.attribute()?);
            }
            if !self.take(",") {
                return Ok(());
            }
        }
    }

    fn attribute(&mut self) -> Result<Option<Attribute>> {
        let mut token = self.attribute_name()?;
        // `gnu::packed`
        if self.is(":") && self.is_at(1, ":") {
            self.advance();
            self.advance();
            token = self.attribute_name()?;
        }
        let span = token.span;
        let name = bare(token.text);
        let kind = match name {
            "packed" => AttributeKind::Packed,
            "aligned" => AttributeKind::Aligned(self.attribute_value()?),
            "noreturn" | "_Noreturn" => AttributeKind::NoReturn,
            "constructor" => AttributeKind::Constructor(self.attribute_value()?),
            "destructor" => AttributeKind::Destructor(self.attribute_value()?),
            "cleanup" => {
                self.expect("(")?;
                let function = self.name("a function's name")?;
                self.expect(")")?;
                AttributeKind::Cleanup(function)
            }
            "weak" => AttributeKind::Weak,
            "alias" | "weakref" if self.is("(") => {
                self.expect("(")?;
                let target = self.string()?;
                self.expect(")")?;
                AttributeKind::Alias(target)
            }
            "mode" => {
                self.expect("(")?;
                let mode = self.attribute_name()?;
                self.expect(")")?;
                AttributeKind::Mode(Name { text: bare(mode.text).to_string(), span: mode.span })
            }
            "vector_size" => match self.attribute_value()? {
                Some(size) => AttributeKind::VectorSize(size),
                None => return Err(self.unexpected("`(`")),
            },
            "transparent_union" => AttributeKind::TransparentUnion,
            "gnu_inline" => AttributeKind::GnuInline,
            other => {
                self.skip_arguments()?;
                if !MEANINGFUL.contains(&other) {
                    return Ok(None);
                }
                AttributeKind::Other(other.to_string())
            }
        };
        Ok(Some(Attribute { kind, span }))
    }

    /// An attribute's name may be a keyword, as in `__attribute__((const))`.
    fn attribute_name(&mut self) -> Result<Token<'a>> {
        match self.kind() {
            TokenKind::Identifier | TokenKind::Keyword(_) => Ok(self.advance()),
            _ => Err(self.unexpected("an attribute")),
        }
    }

    /// `(n)`, if it is there.
    fn attribute_value(&mut self) -> Result<Option<Box<Expr>>> {
        if !self.take("(") {
            return Ok(None);
        }
        // GCC takes `aligned()` as well.
        if self.take(")") {
            return Ok(None);
        }
        let value = self.assignment()?;
        self.expect(")")?;
        Ok(Some(Box::new(value)))
    }

    /// Skips parentheses, if there are any, with all that they hold.
    fn skip_arguments(&mut self) -> Result<()> {
        if !self.is("(") {
            return Ok(());
        }
        let length = self.past_brackets(0);
        for _ in 0..length {
            self.advance();
        }
        if self.at_end() { Err(self.unexpected("`)`")) } else { Ok(()) }
    }

    /// `asm("symbol")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Result<Option<StringLiteral>> {
        if !self.take_word(Keyword::Asm) {
            return Ok(None);
        }
        self.expect("(")?;
        let symbol = self.string()?;
        self.expect(")")?;
        Ok(Some(symbol))
    }
}

/// An attribute's name without the underscores around it.
fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).filter(|n| !n.is_empty()).unwrap_or(name)
}

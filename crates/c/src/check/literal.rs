//! Numbers, characters and strings.

use super::{Checker, Result};
use crate::ast::{Encoding, IntegerLength, IntegerLiteral, Radix, StringLiteral};
use crate::hir::{
    Base, Expr, ExprKind, Floating, Global, Initializer, Integer, Length, Lives, Origin, Part, PartValue,
    Place, Rank, Type, TypeId,
};
use fencepost_ir::{Access, Span};

impl Checker<'_> {
    /// An integer constant: of the first type that holds it, of those that its form allows.
    pub fn integer_literal(&mut self, literal: &IntegerLiteral, span: Span) -> Expr {
        let value = i128::from(literal.value);
        let first = match literal.length {
            IntegerLength::Int => Rank::Int,
            IntegerLength::Long => Rank::Long,
            IntegerLength::LongLong => Rank::LongLong,
        };
        let ranks = [Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128];
        for rank in ranks.into_iter().filter(|rank| *rank >= first) {
            for signed in [true, false] {
                let allowed = match signed {
                    true => !literal.unsigned,
                    false => literal.unsigned || literal.radix != Radix::Decimal,
                };
                let bits = self.types.bits(Integer::new(rank, signed)) - u32::from(signed);
                if allowed && (bits >= 127 || value < 1 << bits) {
                    let ty = self.types.integer(rank, signed);
                    return self.constant(value, ty, span);
                }
            }
        }
        let ty = self.types.integer(Rank::LongLong, false);
        self.constant(value, ty, span)
    }

    /// A floating constant; its suffix tells the type.
    pub fn number(&mut self, text: &str, span: Span) -> Result<Expr> {
        let lower = text.to_ascii_lowercase();
        if lower.ends_with(['i', 'j']) {
            return self.fail(span, "complex numbers are not supported");
        }
        let ends = |suffix: &str| lower.ends_with(suffix);
        let floating = match () {
            () if ends("f16") => Floating::Half,
            () if ends("f128") || ends("q") || ends("dl") => Floating::Float128,
            () if ends("l") || ends("w") || ends("f64x") => Floating::LongDouble,
            () if ends("f64") || ends("f32x") || ends("dd") => Floating::Double,
            () if ends("f") || ends("f32") || ends("df") => Floating::Float,
            () => Floating::Double,
        };
        let ty = self.types.intern(Type::Floating(floating));
        Ok(Expr { kind: ExprKind::Number(text.to_string()), ty, span })
    }

    /// The type of the elements of a string.
    pub fn character_type(&mut self, encoding: Encoding) -> TypeId {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => self.types.char(),
            Encoding::Utf16 => self.types.integer(Rank::Short, false),
            Encoding::Utf32 => self.types.unsigned(),
            Encoding::Wide => self.types.int(),
        }
    }

    /// The type of a character constant.
    pub fn character_constant_type(&mut self, encoding: Encoding) -> TypeId {
        match encoding {
            Encoding::Plain => self.types.int(),
            Encoding::Utf8 => self.types.char(),
            wide => self.character_type(wide),
        }
    }

    /// The array that a string literal is, one for all that are alike.
    pub fn string(&mut self, literal: &StringLiteral, span: Span) -> Place {
        let element = self.character_type(literal.encoding);
        let length = literal.units.len() as u64 + 1;
        let ty = self.types.array_of(element, Length::Known(length));
        let key = (element, literal.units.clone());
        let id = match self.output.strings.get(&key) {
            Some(id) => *id,
            None => {
                let mut units = literal.units.clone();
                units.push(0);
                let part = Part { path: Vec::new(), value: PartValue::Units(units) };
                let id = self.output.globals.push(Global {
                    name: String::new(),
                    ty,
                    lives: Lives::Program,
                    function: None,
                    init: Initializer::Parts(vec![part]),
                    origin: Origin::Library,
                    span,
                });
                self.output.strings.insert(key, id);
                id
            }
        };
        Place { base: Base::Global(id), path: Vec::new(), ty, bits: None, access: Access::Plain, span }
    }

    /// The name of the function that is being checked, as a string.
    pub fn function_name(&mut self, span: Span) -> Place {
        let name = self.body.as_ref().map_or("", |body| body.name);
        let units = name.bytes().map(u32::from).collect();
        self.string(&StringLiteral { units, encoding: Encoding::Plain }, span)
    }
}

/// The value of a floating constant, as far as 64 bits hold it.
pub fn number_value(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse().ok()
}

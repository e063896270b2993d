//! Attributes that change what a program means.

use super::link::{FunctionDecl, Hook};
use super::{Checker, Reported, Result};
use crate::ast::{self, Attribute, AttributeKind};
use crate::hir::{Rank, Type, TypeId};
use fencepost_ir::Span;
use fencepost_text::Diagnostic;

/// The priority of what has none.
const LAST: i128 = 65535;

/// What a bare `aligned` asks for: the most that any type of the machine needs.
const MOST_ALIGNED: i128 = 16;

impl<'a> Checker<'a> {
    fn refused(&mut self, name: &str, attribute: &Attribute) -> Reported {
        let message = format!("the attribute `{name}` is not supported");
        self.report(Diagnostic::new(attribute.span, message))
    }

    /// Notes what a function's attributes say of when it runs.
    pub fn function_attributes(
        &mut self,
        function: FunctionDecl,
        attributes: impl Iterator<Item = &'a Attribute>,
    ) -> Result<()> {
        for attribute in attributes {
            let value = match &attribute.kind {
                AttributeKind::Constructor(value) | AttributeKind::Destructor(value) => value,
                AttributeKind::Alias(_) => return Err(self.refused("alias", attribute)),
                _ => continue,
            };
            let priority = match value {
                Some(value) => self.integer_constant(value)?,
                None => LAST,
            };
            let hooks = match attribute.kind {
                AttributeKind::Constructor(_) => &mut self.link.constructors,
                _ => &mut self.link.destructors,
            };
            if !hooks.iter().any(|hook| hook.function == function) {
                hooks.push(Hook { function, priority });
            }
        }
        Ok(())
    }

    /// Refuses attributes of a definition or a variable that change what it means in a way that is not followed.
    pub fn known_attributes(&mut self, attributes: impl Iterator<Item = &'a Attribute>) -> Result<()> {
        for attribute in attributes {
            match &attribute.kind {
                AttributeKind::Alias(_) => return Err(self.refused("alias", attribute)),
                AttributeKind::VectorSize(_) => return Err(self.refused("vector_size", attribute)),
                AttributeKind::Other(name) => return Err(self.refused(name, attribute)),
                // Of a local variable it is followed; of others it means nothing.
                AttributeKind::Cleanup(_)
                | AttributeKind::Packed
                | AttributeKind::Aligned(_)
                | AttributeKind::NoReturn
                | AttributeKind::Constructor(_)
                | AttributeKind::Destructor(_)
                | AttributeKind::Weak
                | AttributeKind::Mode(_)
                | AttributeKind::TransparentUnion
                | AttributeKind::GnuInline => {}
            }
        }
        Ok(())
    }

    /// A type with the attribute `vector_size`, which only has room.
    pub fn with_vectors(
        &mut self,
        ty: TypeId,
        attributes: impl IntoIterator<Item = &'a Attribute>,
    ) -> Result<TypeId> {
        let mut ty = ty;
        for attribute in attributes {
            if let AttributeKind::VectorSize(bytes) = &attribute.kind {
                let bytes = self.integer_constant(bytes)?;
                let bytes = self.power_of_two(bytes, attribute.span)?;
                ty = self.types.intern(Type::Opaque("a vector", bytes, bytes));
            }
        }
        Ok(ty)
    }

    /// Makes a union transparent, if the attributes of its name say so.
    pub fn with_transparency(&mut self, ty: TypeId, mut attributes: impl Iterator<Item = &'a Attribute>) {
        if attributes.any(|attribute| matches!(attribute.kind, AttributeKind::TransparentUnion))
            && let Some(record) = self.types.record_id(ty)
            && let Some(layout) = &mut self.types.records[record].layout
        {
            layout.transparent = true;
        }
    }

    /// An integer type as wide as an attribute `mode` says.
    pub fn with_mode(
        &mut self,
        ty: TypeId,
        attributes: impl Iterator<Item = &'a Attribute>,
    ) -> Result<TypeId> {
        let mut ty = ty;
        for attribute in attributes {
            let AttributeKind::Mode(mode) = &attribute.kind else { continue };
            let bytes = match mode.text.as_str() {
                "QI" | "byte" => 1,
                "HI" => 2,
                "SI" => 4,
                "DI" => 8,
                "TI" => 16,
                "word" | "pointer" | "unwind_word" => self.types.pointer_bytes(),
                _ => return Err(self.refused(&format!("mode({})", mode.text), attribute)),
            };
            let Some(integer) = self.types.as_integer(ty) else {
                return Err(self.refused("mode", attribute));
            };
            let ranks =
                [Rank::Char, Rank::Short, Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128].into_iter();
            let wide = |this: &mut Self, rank| this.types.integer(rank, integer.signed);
            let fits = ranks.map(|rank| wide(self, rank)).collect::<Vec<_>>();
            match fits.into_iter().find(|ty| self.types.size(*ty) == Some(bytes)) {
                Some(wide) => ty = wide,
                None => return Err(self.refused("mode", attribute)),
            }
        }
        Ok(ty)
    }

    /// What `aligned` asks for; 0 if it is not there.
    pub fn alignment_attributes(
        &mut self,
        attributes: impl IntoIterator<Item = &'a Attribute>,
    ) -> Result<u64> {
        let mut alignment = 0;
        for attribute in attributes {
            if let AttributeKind::Aligned(n) = &attribute.kind {
                let n = n.as_ref().map_or(Ok(MOST_ALIGNED), |n| self.integer_constant(n))?;
                alignment = alignment.max(self.power_of_two(n, attribute.span)?);
            }
        }
        Ok(alignment)
    }

    /// What `_Alignas` and `aligned` before the declarators ask for; 0 if they are not there.
    pub fn alignment_specifiers(&mut self, specifiers: &'a ast::Specifiers) -> Result<u64> {
        let mut alignment = self.alignment_attributes(&specifiers.attributes)?;
        for of in &specifiers.alignments {
            let n = match of {
                ast::TypeOrExpr::Type(name) => {
                    let ty = self.type_name(name)?;
                    self.types.align(ty)
                }
                ast::TypeOrExpr::Expr(e) => match self.integer_constant(e)? {
                    0 => 0,
                    n => self.power_of_two(n, e.span)?,
                },
            };
            alignment = alignment.max(n);
        }
        Ok(alignment)
    }

    fn power_of_two(&mut self, n: i128, span: Span) -> Result<u64> {
        match u64::try_from(n) {
            Ok(n) if n.is_power_of_two() && n <= 1 << 20 => Ok(n),
            _ => self.fail(span, format!("{n} is no alignment")),
        }
    }
}

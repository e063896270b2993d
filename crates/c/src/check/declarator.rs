//! Declarators: what a declaration makes of its base type.

use super::specifier::qualifiers;
use super::{Checker, Result};
use crate::ast::{self, ArraySize, Derived, Parameters};
use crate::hir::{FunctionType, Length, Type, TypeId};
use fencepost_ir::Span;

/// More elements than any model can have.
const MAX_ELEMENTS: u64 = 1 << 24;

/// More bytes than a pointer tells apart.
const MAX_BYTES: u64 = fencepost_ir::pointer::LARGEST;

impl<'a> Checker<'a> {
    /// The type that derivation steps make of a base type, the last step first.
    pub fn derive(&mut self, base: TypeId, steps: &'a [Derived]) -> Result<TypeId> {
        let mut ty = base;
        for step in steps.iter().rev() {
            ty = match step {
                Derived::Pointer(written) => {
                    let pointer = self.types.pointer_to(ty);
                    self.types.qualified(pointer, qualifiers(*written))
                }
                Derived::Array(bounds) => {
                    let length = self.array_length(bounds)?;
                    self.types.array_of(ty, length)
                }
                Derived::Function(parameters) => {
                    let (params, variadic) = self.parameter_types(parameters)?;
                    self.types.intern(Type::Function(FunctionType { result: ty, params, variadic }))
                }
            };
        }
        Ok(ty)
    }

    fn array_length(&mut self, bounds: &'a ast::ArrayBounds) -> Result<Length> {
        let size = match &bounds.size {
            ArraySize::Unspecified | ArraySize::Star => return Ok(Length::Unknown),
            ArraySize::Expr(size) => size,
        };
        match self.length(size)? {
            Length::Known(n) if n > MAX_ELEMENTS => {
                self.fail(size.span, format!("an array of {n} elements is not supported"))
            }
            length => Ok(length),
        }
    }

    fn parameter_types(&mut self, parameters: &'a Parameters) -> Result<(Option<Vec<TypeId>>, bool)> {
        let Parameters::Prototype { parameters, variadic } = parameters else { return Ok((None, false)) };
        self.scopes.open();
        let mut types = Vec::new();
        for p in parameters {
            let ty = self.base_type(&p.specifiers);
            let ty = ty.and_then(|base| self.prototype_parameter(base, &p.declarator.derived));
            types.push(ty);
        }
        self.scopes.close();
        let types: Result<Vec<TypeId>> = types.into_iter().collect();
        Ok((Some(types?), *variadic))
    }

    /// The type of a parameter, adjusted: an array's own length says nothing, for it is a pointer.
    pub fn parameter_type(&mut self, base: TypeId, steps: &'a [Derived]) -> Result<TypeId> {
        match steps.split_first() {
            Some((Derived::Array(bounds), rest)) => {
                let element = self.derive(base, rest)?;
                let pointer = self.types.pointer_to(element);
                Ok(self.types.qualified(pointer, qualifiers(bounds.qualifiers)))
            }
            _ => {
                let ty = self.derive(base, steps)?;
                Ok(self.adjusted(ty))
            }
        }
    }

    /// What a parameter or value of that type really is.
    pub fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.types.kind(ty) {
            Type::Array(of, _) => self.types.pointer_to(of),
            Type::Function(_) => self.types.pointer_to(ty),
            _ => ty,
        }
    }

    /// The type of a declared name; for `__auto_type`, which has no base, that of its initialiser.
    pub fn declared_type(
        &mut self,
        base: Option<TypeId>,
        declared: &'a ast::InitDeclarator,
    ) -> Result<TypeId> {
        let ty = match (base, &declared.initializer) {
            (Some(base), _) => self.derive(base, &declared.declarator.derived)?,
            (None, Some(ast::Initializer::Expr(e))) => self.unevaluated(|this| this.value(e))?.ty,
            (None, _) => return self.fail(declared.span, "`__auto_type` needs an initialiser"),
        };
        match (self.types.kind(ty).clone(), &declared.initializer) {
            (Type::Array(of, Length::Unknown), Some(initializer)) => {
                let n = self.initializer_length(ty, initializer);
                if n > MAX_ELEMENTS {
                    return self.fail(declared.span, format!("an array of {n} elements is not supported"));
                }
                let ty = self.types.array_of(of, Length::Known(n));
                self.of_known_size(ty, declared.span)
            }
            _ => self.of_known_size(ty, declared.span),
        }
    }

    /// The type, unless an object of it is larger than pointers can tell.
    pub fn of_known_size(&mut self, ty: TypeId, span: Span) -> Result<TypeId> {
        match self.types.size(ty) {
            Some(size) if size > MAX_BYTES => {
                self.fail(span, format!("an object of {size} bytes is not supported"))
            }
            _ => Ok(ty),
        }
    }
}

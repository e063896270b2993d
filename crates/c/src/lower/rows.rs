//! Arrays of arrays whose inner lengths only the run knows: `int a[n][m]`, as variable, as parameter, and pointers to rows
//! of them, `int (*p)[m]`.
//!
//! Such a variable is a pointer to its first element, and the lengths of its rows are noted where it is declared. An
//! element is found by the lengths: `a[i][j]` is `*(a + (i * m + j))`. Memory is one row of elements then, so that arrays of
//! constant lengths and those of variable ones can be handed to each other. Pointers to rows cannot be moved by `+`, since
//! their type does not tell how far.

use super::*;
use crate::ast::{ArraySize, Derived, ExprKind as Ast};

/// What an expression takes of a variable with rows.
struct InRows<'a> {
    pointer: LocalId,
    ty: CType,
    lengths: Vec<Expr>,
    /// The indices so far; `*` takes the first of all.
    indices: Vec<Option<&'a ast::Expr>>,
}

impl<'a> Lowerer<'a> {
    /// The steps of a declarator behind the rows of variable length: `None` if there are none such. The first step is the
    /// outermost array or pointer.
    pub(super) fn behind_rows(&mut self, steps: &'a [Derived]) -> Option<&'a [Derived]> {
        let (Derived::Array(_) | Derived::Pointer(_), rest) = steps.split_first()? else { return None };
        let inner = rest.iter().take_while(|step| matches!(step, Derived::Array(_))).count();
        let varies = rest[..inner].iter().any(|step| match step {
            Derived::Array(bounds) => match &bounds.size {
                ArraySize::Expr(size) => self.constant(size).is_err(),
                ArraySize::Star => true,
                ArraySize::Unspecified => false,
            },
            _ => false,
        });
        varies.then(|| &rest[inner..])
    }

    /// Evaluates the lengths of the rows of a variable that has been declared so.
    pub(super) fn note_rows(&mut self, id: LocalId, steps: &'a [Derived], span: Span) -> Result<()> {
        let Some(behind) = self.behind_rows(steps) else { return Ok(()) };
        let mut lengths = Vec::new();
        for step in &steps[1..steps.len() - behind.len()] {
            let Derived::Array(bounds) = step else { continue };
            let ArraySize::Expr(size) = &bounds.size else {
                return Err(Diagnostic::new(span, "rows without a length are not supported"));
            };
            lengths.push(self.row_length(size, span)?);
        }
        self.body.rows.insert(id, lengths);
        Ok(())
    }

    /// A length, evaluated now.
    pub(super) fn row_length(&mut self, size: &'a ast::Expr, span: Span) -> Result<Expr> {
        let length = self.scalar(size)?;
        if !length.ty.is_integer() {
            return Err(Diagnostic::new(span, "an array's length is an integer"));
        }
        let length = self.convert(length, &CType::UNSIGNED_LONG, span)?;
        Ok(self.keep(length.expr))
    }

    /// Whether an expression is an element or a row of an array with rows of variable length.
    pub(super) fn is_in_rows(&self, e: &'a ast::Expr) -> bool {
        self.in_rows(e).is_some()
    }

    fn in_rows(&self, e: &'a ast::Expr) -> Option<InRows<'a>> {
        let mut indices = Vec::new();
        let mut base = e;
        loop {
            match &base.kind {
                Ast::Index(array, index) => {
                    indices.push(Some(&**index));
                    base = array;
                }
                Ast::Unary(ast::UnaryOp::Deref, pointer) => {
                    indices.push(None);
                    base = pointer;
                }
                Ast::Identifier(name) => {
                    let Some(Symbol::Local(id, ty)) = self.lookup(name) else { return None };
                    let lengths = self.body.rows.get(id)?.clone();
                    indices.reverse();
                    return Some(InRows { pointer: *id, ty: ty.clone(), lengths, indices });
                }
                _ => return None,
            }
        }
    }

    /// An element or a row of such a variable, if the expression names one.
    pub(super) fn row_element(&mut self, e: &'a ast::Expr, span: Span) -> Result<Option<Lvalue>> {
        let Some(InRows { pointer, ty, lengths, indices }) = self.in_rows(e) else { return Ok(None) };
        if indices.is_empty() || indices.len() > lengths.len() + 1 {
            return Ok(None);
        }
        let element = ty.element().expect("rows begin at a pointer").clone();
        let scalar = self.types().scalar(&ty).expect("pointers are scalars");
        let pointer = self.keep(read_local(pointer, scalar, span));
        let long = CType::LONG;
        let mut place = self.int_constant(0, &long, span);
        for level in 0..=lengths.len() {
            if level > 0 {
                let length = Typed { expr: lengths[level - 1].clone(), ty: CType::UNSIGNED_LONG };
                let length = self.convert(length, &long, span)?;
                place = self.arithmetic(BinaryOp::Mul, place, length, span)?;
            }
            if let Some(Some(index)) = indices.get(level) {
                let index = self.scalar(index)?;
                let index = self.convert(index, &long, span)?;
                place = self.arithmetic(BinaryOp::Add, place, index, span)?;
            }
            place = Typed { expr: self.keep(place.expr), ty: place.ty };
        }
        let pointer = self.offset(Typed { expr: pointer, ty }, place, 1, span)?;
        if indices.len() == lengths.len() + 1 {
            return self.pointed(pointer, span).map(Some);
        }
        // A row is an array whose length its type does not tell.
        let row = CType::Array(Rc::new(element), Some(0));
        self.pointed(Typed { expr: pointer.expr, ty: row.pointer_to() }, span).map(Some)
    }

    /// The bytes of a row of such a variable.
    pub(super) fn row_bytes(&mut self, e: &'a ast::Expr) -> Result<Option<Expr>> {
        let Some(InRows { ty, lengths, indices, .. }) = self.in_rows(e) else { return Ok(None) };
        if indices.is_empty() || indices.len() > lengths.len() {
            return Ok(None);
        }
        let element = ty.element().expect("rows begin at a pointer").clone();
        self.bytes_of(&element, &lengths[indices.len() - 1..], e.span).map(Some)
    }

    /// The bytes of a type with arrays of variable length, as in `sizeof(int[n][m])`.
    pub(super) fn type_bytes(&mut self, name: &'a ast::TypeName, span: Span) -> Result<Option<Expr>> {
        let steps = &name.declarator.derived;
        let arrays = steps.iter().take_while(|step| matches!(step, Derived::Array(_))).count();
        let mut sizes = Vec::new();
        for step in &steps[..arrays] {
            let Derived::Array(ast::ArrayBounds { size: ArraySize::Expr(size), .. }) = step else {
                return Ok(None);
            };
            sizes.push(size);
        }
        if sizes.iter().all(|size| self.constant(size).is_ok()) {
            return Ok(None);
        }
        let base = self.base_type(&name.specifiers)?;
        let element = self.derive_steps(base, &steps[arrays..])?;
        let mut lengths = Vec::new();
        for size in sizes {
            lengths.push(self.row_length(size, span)?);
        }
        self.bytes_of(&element, &lengths, span).map(Some)
    }

    /// The bytes of so many elements.
    pub(super) fn bytes_of(&mut self, element: &CType, lengths: &[Expr], span: Span) -> Result<Expr> {
        let size = self.types().size(element).ok_or_else(|| self.no_values(element, span))?;
        let mut bytes = self.int_constant(size as i64, &CType::UNSIGNED_LONG, span);
        for length in lengths {
            let length = Typed { expr: length.clone(), ty: CType::UNSIGNED_LONG };
            bytes = self.arithmetic(BinaryOp::Mul, length, bytes, span)?;
        }
        Ok(self.keep(bytes.expr))
    }

    /// Refuses to move a pointer to rows.
    pub(super) fn not_rows(&self, pointer: &Expr, span: Span) -> Result<()> {
        let ExprKind::Read(place) = &pointer.kind else { return Ok(()) };
        self.not_a_row(place, span)
    }

    pub(super) fn not_a_row(&self, pointer: &Place, span: Span) -> Result<()> {
        if let Base::Variable(VarRef::Local(id)) = &pointer.base
            && pointer.path.is_empty()
            && self.body.rows.get(id).is_some_and(|lengths| !lengths.is_empty())
        {
            let message = "moving a pointer to arrays of variable length is not supported";
            return Err(Diagnostic::new(span, message).help("use indices"));
        }
        Ok(())
    }

    /// Evaluates the lengths in the types of parameters.
    pub(super) fn parameter_rows(&mut self, function: &'a ast::Function) -> Result<()> {
        let ast::Parameters::Prototype { parameters, .. } = function.parameters() else { return Ok(()) };
        for parameter in parameters {
            let Some(name) = &parameter.declarator.name else { continue };
            if let Some(Symbol::Local(id, _)) = self.lookup(&name.text).cloned() {
                self.note_rows(id, &parameter.declarator.derived, name.span)?;
            }
        }
        Ok(())
    }

    /// An array whose length only the run knows: a pointer to memory of its own.
    pub(super) fn declare_variable_length(
        &mut self,
        declared: &'a ast::InitDeclarator,
        base: CType,
        length: &'a ast::Expr,
        inner: &'a [ast::Derived],
    ) -> Result<()> {
        let name = declared.name();
        let span = name.span;
        let element = self.derive_steps(base, inner)?;
        let storage = self.types().storage(&element).ok_or_else(|| self.no_values(&element, span))?;
        let length = self.row_length(length, span)?;
        let ty = element.clone().pointer_to();
        let scalar = self.types().scalar(&ty).expect("pointers are scalars");
        let id = self.local(&name.text, scalar.into(), span);
        self.note_rows(id, &declared.declarator.derived, span)?;
        let rows = self.body.rows.get(&id).cloned().unwrap_or_default();
        let bytes = self.bytes_of(&element, &[&[length], &rows[..]].concat(), span)?;
        self.ends_with_block(id);
        let fill = if self.has_bits(&storage) { Fill::Zero } else { Fill::Undefined };
        let memory = ExprKind::Allocate(storage, Box::new(bytes.clone()), fill, Storage::Stack);
        let memory = Expr { kind: memory, ty: scalar, span };
        self.emit(StmtKind::Declare(id, Some(memory)), span);
        self.body.variable_length.insert(id, bytes);
        self.define(&name.text, Symbol::Local(id, ty));
        Ok(())
    }
}

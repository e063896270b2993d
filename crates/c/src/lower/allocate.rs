//! New memory, and which type its values have.
//!
//! An object's cells are those of one type, and C's `malloc` names none. It is taken, in this order, from
//! the pointer type that the result is converted to, from a `sizeof` in the argument, and from the casts of
//! the variable that it is assigned to. A function that gives back what it allocates as `void *` is lowered
//! once for each type that its result is converted to.

use super::*;
use crate::ast::ExprKind as Ast;
use crate::visit::Conversion;

/// Functions that make objects.
const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "valloc",
    "posix_memalign",
    "__builtin_malloc",
    "__builtin_calloc",
];

impl<'a> Lowerer<'a> {
    /// New memory, for values of the type whose size is asked for until a conversion says more.
    pub(super) fn allocate(
        &mut self,
        bytes: Typed,
        size: &'a ast::Expr,
        fill: Fill,
        span: Span,
    ) -> Result<Value> {
        let hint = self.size_hint(size).and_then(|ty| self.types().storage(&ty));
        let byte = self.types().scalar(&CType::CHAR).expect("char is a scalar");
        let ty = hint.or_else(|| self.body.allocated.clone()).unwrap_or(Type::Scalar(byte));
        let bytes = self.convert(bytes, &CType::UNSIGNED_LONG, span)?;
        let pointer = CType::Void.pointer_to();
        let scalar = self.types().scalar(&pointer).expect("pointers are scalars");
        let fill = if self.has_bits(&ty) { Fill::Zero } else { fill };
        let kind = ExprKind::Allocate(ty, Box::new(bytes.expr), fill, Storage::Heap);
        Ok(Value::Scalar(Typed { expr: Expr { kind, ty: scalar, span }, ty: pointer }))
    }

    /// The type in a `sizeof` of the expression.
    pub(super) fn size_hint(&mut self, e: &'a ast::Expr) -> Option<CType> {
        match &e.kind {
            Ast::Sizeof(of) => self.type_or_expr(of).ok(),
            Ast::Binary(_, l, r) => match self.size_hint(l) {
                Some(ty) => Some(ty),
                None => self.size_hint(r),
            },
            Ast::Cast(_, inner) => self.size_hint(inner),
            _ => None,
        }
    }

    /// Gives an object that is being made the type of what a pointer to it points to.
    pub(super) fn retype_allocation(&mut self, expr: &mut Expr, target: &CType, span: Span) -> Result<()> {
        let Some(storage) = self.types().storage(target).filter(|s| !is_bytes(s)) else { return Ok(()) };
        if matches!(target.unqualified(), CType::Void) {
            return Ok(());
        }
        let has_bits = self.has_bits(&storage);
        match &mut expr.kind {
            ExprKind::Allocate(ty, _, fill, _) => {
                *ty = storage;
                if has_bits {
                    *fill = Fill::Zero;
                }
            }
            ExprKind::Reallocate(ty, ..) => *ty = storage,
            ExprKind::Call(procedure, _) => {
                if let Some(&function) = self.allocators.get(procedure) {
                    *procedure = self.specialised(function, storage, span)?;
                }
            }
            ExprKind::Select(_, then, otherwise) => {
                let (mut t, mut o) = (then.clone(), otherwise.clone());
                self.retype_allocation(&mut t, target, span)?;
                self.retype_allocation(&mut o, target, span)?;
                (**then, **otherwise) = (*t, *o);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a function gives back what it, or one that it calls, allocates, as what only the caller
    /// knows the type of.
    pub(super) fn is_allocator(&mut self, index: usize) -> bool {
        if let Some(known) = self.functions[index].allocates {
            return known;
        }
        // Until it is known, so that recursion ends.
        self.functions[index].allocates = Some(false);
        let generic = match &self.functions[index].ty.result {
            CType::Pointer(to) => match to.unqualified() {
                CType::Void => true,
                ty => self.types().storage(ty).is_some_and(|s| is_bytes(&s)),
            },
            _ => false,
        };
        let Some(body) = self.functions[index].body.filter(|_| generic) else { return false };
        let mut called = Vec::new();
        crate::visit::called(&body.body, &mut |name| called.push(name.to_string()));
        let allocates = called.iter().any(|name| {
            ALLOCATORS.contains(&name.as_str())
                || matches!(self.scopes[0].get(name).cloned(), Some(Symbol::Function(f)) if self.is_allocator(f))
        });
        self.functions[index].allocates = Some(allocates);
        allocates
    }

    /// Whether a function that allocates for its callers is called without being told what; such are lowered.
    pub(super) fn allocators_wait(&mut self) -> bool {
        let mut called = HashSet::new();
        for procedure in &self.program.procedures {
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Call(p, _) | ExprKind::Spawn(p, ..) = e.kind {
                            called.insert(p);
                        }
                    });
                }
            });
        }
        let (needed, rest) = std::mem::take(&mut self.unlowered).into_iter().partition(|f: &usize| {
            let function = &self.functions[*f];
            self.taken.contains(&function.name) || function.procedure.is_some_and(|p| called.contains(&p))
        });
        self.unlowered = rest;
        self.waiting.extend::<Vec<usize>>(needed);
        !self.waiting.is_empty()
    }

    /// The procedure of an allocating function for objects of a type.
    pub(super) fn specialised(&mut self, index: usize, ty: Type, used: Span) -> Result<ProcedureId> {
        let original = self.functions[index].original.unwrap_or(index);
        let same = |f: &Function<'_>| f.original == Some(original) && f.allocated.as_ref() == Some(&ty);
        let known = self.functions.iter().position(same);
        let made = match known {
            Some(made) => made,
            None => {
                let copies = self.functions.iter().filter(|f| f.original == Some(original)).count();
                let Function { name, ty: signature, body, unit, span, .. } = &self.functions[original];
                let copy = Function {
                    is_librarys: false,
                    name: if copies == 0 { name.clone() } else { format!("{name}.{}", copies + 1) },
                    ty: signature.clone(),
                    body: *body,
                    unit: *unit,
                    procedure: None,
                    span: *span,
                    allocates: Some(true),
                    allocated: Some(ty),
                    original: Some(original),
                };
                self.functions.push(copy);
                self.functions.len() - 1
            }
        };
        let procedure = self.procedure(made, used)?;
        self.allocators.insert(procedure, made);
        Ok(procedure)
    }

    /// Gives memory that is assigned to a variable the type of what the variable is converted to.
    pub(super) fn guess_allocation(&mut self, expr: &mut Expr, name: &str, span: Span) -> Result<()> {
        let open = match &expr.kind {
            ExprKind::Allocate(ty, ..) => is_bytes(ty),
            ExprKind::Call(procedure, _) => {
                let function = self.allocators.get(procedure);
                function.is_some_and(|f| self.functions[*f].allocated.is_none())
            }
            _ => false,
        };
        let Some(storage) = (if open { self.cast_of(name) } else { None }) else { return Ok(()) };
        match &mut expr.kind {
            ExprKind::Allocate(ty, ..) => *ty = storage,
            ExprKind::Call(procedure, _) => {
                let function = self.allocators[procedure];
                *procedure = self.specialised(function, storage, span)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The type that a variable's value is converted to in the function that is being lowered, if only
    /// one is.
    fn cast_of(&mut self, name: &str) -> Option<Type> {
        let Some(Symbol::Function(index)) = self.scopes[0].get(&self.body.name).cloned() else { return None };
        let body = self.functions[index].body?;
        let mut found = Vec::new();
        crate::visit::conversions(&body.body, name, &mut |to| found.push(to));
        let types = found.into_iter().filter_map(|to| {
            let ty = match to {
                Conversion::Cast(ty) => self.type_name(ty),
                Conversion::Declared(specifiers, declarator) => {
                    self.base_type(specifiers).and_then(|base| self.derive(base, declarator))
                }
            };
            let storage = self.types().storage(ty.ok()?.element()?)?;
            (!is_bytes(&storage)).then_some(storage)
        });
        let types: Vec<_> = types.collect();
        let first = types.first()?;
        types.iter().all(|ty| ty == first).then(|| first.clone())
    }
}

/// Whether memory of a type is that of which nothing else is known.
fn is_bytes(ty: &Type) -> bool {
    matches!(ty.leaf(), Some(Scalar::Int(int)) if int.bits == 8)
}

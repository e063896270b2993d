//! `memcpy` and its like, on values of known types.
//!
//! The type is that of what the pointers point to, before they become `void *`, or else the one whose size
//! is asked for. So whole scalars are copied, and memory never sees half of one. A few elements are
//! copied one by one; more, or a number that only the run knows, by a loop of the library. Where nothing is known of
//! the type, a loop copies words or bytes, as their number and places allow; `overlay.rs` makes memory show these.

use super::*;
use crate::ast::ExprKind as Ast;

/// More scalars than this are copied by a loop.
const MOST_UNROLLED: u64 = 32;

/// The error of a wrong argument.
const EINVAL: i64 = 22;

/// More than this are not set one by one where no loop can do it.
const MOST_SET: u64 = 2048;

impl<'a> Lowerer<'a> {
    /// A function on memory, if it is one.
    pub(super) fn memory_call(
        &mut self,
        name: &str,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Result<Option<Value>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let value = match (plain, args) {
            ("memcpy" | "memmove", [to, from, n]) => self.copy_memory(to, from, n, span)?,
            ("bcopy", [from, to, n]) => self.copy_memory(to, from, n, span)?,
            ("mempcpy", [to, from, n]) => {
                let Value::Scalar(start) = self.copy_memory(to, from, n, span)? else {
                    panic!("a copy gives a pointer")
                };
                let start = Typed { expr: self.keep(start.expr), ty: CType::CHAR.pointer_to() };
                let bytes = self.scalar(n)?;
                let end = self.offset(start, bytes, 1, span)?;
                Value::Scalar(Typed { ty: CType::Void.pointer_to(), ..end })
            }
            ("__memcpy_chk" | "__memmove_chk" | "___memcpy_chk" | "___memmove_chk", [to, from, n, _]) => {
                self.copy_memory(to, from, n, span)?
            }
            ("memset", [to, byte, n]) | ("__memset_chk" | "___memset_chk", [to, byte, n, _]) => {
                let byte = self.scalar(byte)?;
                self.fill_memory(to, byte, n, span)?
            }
            ("bzero", [to, n]) => {
                let zero = self.int_constant(0, &CType::INT, span);
                self.fill_memory(to, zero, n, span)?
            }
            ("memcmp" | "bcmp", [a, b, n]) => self.compare_memory(a, b, n, span)?,
            ("realloc", [pointer, bytes]) => self.reallocate(pointer, bytes, None, span)?,
            ("reallocarray", [pointer, count, bytes]) => {
                self.reallocate(pointer, bytes, Some(count), span)?
            }
            // Objects begin where every alignment does.
            ("aligned_alloc" | "memalign", [_, bytes]) | ("valloc" | "pvalloc", [bytes]) => {
                let size = self.scalar(bytes)?;
                self.allocate(size, bytes, Fill::Undefined, span)?
            }
            ("posix_memalign", [_, alignment, _])
                if self.constant(alignment).is_ok_and(|n| !self.is_alignment(n)) =>
            {
                self.evaluate(args)?;
                Value::Scalar(self.int_constant(EINVAL, &CType::INT, span))
            }
            ("posix_memalign", [out, _, bytes]) => {
                let size = self.scalar(bytes)?;
                let Value::Scalar(memory) = self.allocate(size, bytes, Fill::Undefined, span)? else {
                    panic!("an allocation gives a pointer")
                };
                let mut memory = memory;
                let (pointer, known) = self.typed_pointer(out)?;
                if let Some(to) = known.as_ref().and_then(CType::element) {
                    self.retype_allocation(&mut memory.expr, to, span)?;
                }
                let void = CType::Void.pointer_to();
                let target = Typed { expr: pointer.expr, ty: void.pointer_to() };
                let target = self.pointed(target, span)?;
                self.store(&target, memory.expr, span);
                self.zero(span)
            }
            // Of files nothing is known.
            ("mmap", [_, bytes, _, flags, ..]) => {
                let anonymous = self.constant(flags).is_ok_and(|flags| flags & 32 != 0);
                if !anonymous {
                    return Err(Diagnostic::new(span, "mapping files is not supported"));
                }
                let size = self.scalar(bytes)?;
                self.allocate(size, bytes, Fill::Zero, span)?
            }
            ("munmap", [pointer, bytes]) => {
                self.effect(bytes)?;
                let pointer = self.scalar(pointer)?;
                let pointer = self.convert(pointer, &CType::Void.pointer_to(), span)?;
                self.emit(StmtKind::Free(pointer.expr), span);
                self.zero(span)
            }
            ("qsort", [base, n, _, compare]) => {
                let (base, n, compare) = self.sorted(base, n, compare, span)?;
                self.library_loop("__fencepost_sort", vec![base, n, compare], span)?
            }
            ("bsearch", [key, base, n, _, compare]) => {
                let key = self.scalar(key)?;
                let key = Typed { expr: self.keep(key.expr), ty: CType::Void.pointer_to() };
                let (base, n, compare) = self.sorted(base, n, compare, span)?;
                self.library_loop("__fencepost_search", vec![key, base, n, compare], span)?
            }
            ("alloca", [bytes]) => {
                // It lives longer than it should, and is freed by nobody.
                let bytes_value = self.scalar(bytes)?;
                let mut value = self.allocate(bytes_value, bytes, Fill::Undefined, span)?;
                if let Value::Scalar(Typed { expr: Expr { kind, .. }, .. }) = &mut value
                    && let ExprKind::Allocate(.., storage) = kind
                {
                    *storage = Storage::Stack;
                }
                value
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// A pointer, and what it points to before any conversion to `void *` or `char *`.
    fn typed_pointer(&mut self, e: &'a ast::Expr) -> Result<(Typed, Option<CType>)> {
        if let Ast::Cast(ty, inner) = &e.kind {
            let ty = self.type_name(ty)?;
            if ty.is_pointer() && is_raw(ty.element()) {
                return self.typed_pointer(inner);
            }
        }
        let mut pointer = self.scalar(e)?;
        if self.fold(&pointer.expr) == Some(0) {
            pointer = self.convert(pointer, &CType::Void.pointer_to(), e.span)?;
        }
        if !pointer.ty.is_pointer() {
            return Err(Diagnostic::new(e.span, "this is not a pointer"));
        }
        let element = pointer.ty.element().cloned();
        let known = element.filter(|ty| !is_raw(Some(ty)) && self.types().size(ty).is_some_and(|s| s > 0));
        Ok((pointer, known))
    }

    /// Two pointers of one type, the one that is told best, and how many bytes are meant.
    fn operands(
        &mut self,
        pointers: [&'a ast::Expr; 2],
        n: &'a ast::Expr,
        span: Span,
    ) -> Result<(Typed, Typed, Typed, CType)> {
        let void = |pointer: &Typed| pointer.ty.element().is_some_and(|ty| *ty.unqualified() == CType::Void);
        let (first, first_ty) = self.typed_pointer(pointers[0])?;
        let first = Typed { expr: self.keep_unless_stable(first.expr), ..first };
        let (second, second_ty) = self.typed_pointer(pointers[1])?;
        let second = Typed { expr: self.keep_unless_stable(second.expr), ..second };
        let hint = self.size_hint(n).map(|ty| innermost(&ty));
        let bytes = self.scalar(n)?;
        let bytes = self.convert(bytes, &CType::UNSIGNED_LONG, span)?;
        let fits = |this: &Self, ty: &CType| match (this.fold(&bytes.expr), this.types().size(ty)) {
            (Some(n), Some(size)) => (n as u64).is_multiple_of(size),
            _ => true,
        };
        // A structure that is larger than what is copied begins with something smaller.
        let known = [first_ty, second_ty, hint].into_iter().flatten().map(|ty| innermost(&ty));
        let known: Vec<_> = known.filter(|ty| !is_raw(Some(ty))).collect();
        if known.is_empty() && (void(&first) || void(&second)) {
            self.copies.insert(span);
        }
        let ty = known.iter().find(|ty| fits(self, ty)).or(known.first()).cloned().unwrap_or(CType::CHAR);
        for pointer in [&first, &second] {
            let element = pointer.ty.element().filter(|e| *e.unqualified() != CType::Void);
            if element.is_some_and(|e| self.has_floating(e) != self.has_floating(&ty)) {
                return Err(floating::unknown_value(span));
            }
        }
        let pointer = ty.clone().pointer_to();
        let retype = |p: Typed| Typed { expr: p.expr, ty: pointer.clone() };
        Ok((retype(first), retype(second), bytes, ty))
    }

    /// How many elements of the type are meant, if that is known and they are few.
    fn few(&mut self, bytes: &Typed, ty: &CType) -> Option<u64> {
        let n = self.fold(&bytes.expr)? as u64;
        let size = self.types().size(ty)?.max(1);
        let cells = self.types().storage(ty).map_or(1, |ty| self.program.records.cells(&ty));
        (n.is_multiple_of(size) && (n / size).saturating_mul(cells) <= MOST_UNROLLED).then_some(n / size)
    }

    /// The scalars in the first bytes of one element, where fewer are meant than it has and none is cut.
    fn prefix(&mut self, bytes: &Typed, ty: &CType) -> Option<Vec<Vec<Step>>> {
        let n = self.fold(&bytes.expr)? as u64;
        let storage = self.types().storage(ty)?;
        let records = &self.program.records;
        if n >= records.size(&storage) || storage.as_scalar().is_some() || records.has_union(&storage) {
            return None;
        }
        let mut inside = Vec::new();
        for (path, scalar) in self.covering(&storage) {
            let (offset, _) = records.offset(&storage, &path);
            match (offset < n, offset + scalar.size() <= n) {
                (true, true) => inside.push(path),
                (true, false) => return None,
                (false, _) => {}
            }
        }
        Some(inside)
    }

    /// The element at a place behind a pointer.
    fn nth(&mut self, pointer: &Typed, i: u64, span: Span) -> Result<Lvalue> {
        let element = pointer.ty.element().expect("a pointer").clone();
        // An element of an array that needs no pointer.
        if let ExprKind::AddressOf(place) = &pointer.expr.kind
            && let Some(Projection::Index(Expr { kind: ExprKind::Const(first), .. })) = place.path.last()
        {
            let mut place = place.clone();
            let index = self.int_constant(first + i as i64, &CType::LONG, span).expr;
            let typed = self.element_type(&place) == self.types().storage(&element);
            *place.path.last_mut().expect("it has an index") = Projection::Index(index);
            if typed {
                return Ok(Lvalue { place, ty: element });
            }
        }
        let i = self.int_constant(i as i64, &CType::LONG, span);
        let pointer = if self.fold(&i.expr) == Some(0) {
            pointer.clone()
        } else {
            self.offset(pointer.clone(), i, 1, span)?
        };
        self.pointed(pointer, span)
    }

    fn element_type(&self, place: &Place) -> Option<Type> {
        self.place_type(place)
    }

    fn keep_unless_stable(&mut self, e: Expr) -> Expr {
        if inline::is_stable(&e) { e } else { self.keep(e) }
    }

    fn copy_memory(
        &mut self,
        to: &'a ast::Expr,
        from: &'a ast::Expr,
        n: &'a ast::Expr,
        span: Span,
    ) -> Result<Value> {
        let (to, from, bytes, ty) = self.operands([to, from], n, span)?;
        let result = Typed { expr: to.expr.clone(), ty: CType::Void.pointer_to() };
        if self.copies.contains(&span) {
            self.library_loop("__fencepost_copy_raw", vec![to, from, bytes], span)?;
            return Ok(Value::Scalar(result));
        }
        if let Some(prefix) = self.prefix(&bytes, &ty) {
            let (source, target) = (self.nth(&from, 0, span)?, self.nth(&to, 0, span)?);
            let target = self.scalars_of(&target.place, &ty, span)?;
            let source = self.scalars_of(&source.place, &ty, span)?;
            let mut moves = Vec::new();
            for ((_, place, scalar), (path, target, _)) in source.into_iter().zip(target) {
                if prefix.contains(&path) {
                    moves.push((target, self.keep(Expr { kind: ExprKind::Read(place), ty: scalar, span })));
                }
            }
            for (target, value) in moves {
                self.emit(StmtKind::Assign(target, value), span);
            }
            return Ok(Value::Scalar(result));
        }
        let Some(count) = self.few(&bytes, &ty) else {
            self.library_loop("__fencepost_copy", vec![to, from, bytes], span)?;
            return Ok(Value::Scalar(result));
        };
        // All is read before anything is written: the two may overlap.
        let mut moves = Vec::new();
        for i in 0..count {
            let source = self.nth(&from, i, span)?;
            let target = self.nth(&to, i, span)?;
            let target = self.scalars_of(&target.place, &ty, span)?;
            for ((_, place, scalar), (_, target, _)) in
                self.scalars_of(&source.place, &ty, span)?.into_iter().zip(target)
            {
                let value = self.keep(Expr { kind: ExprKind::Read(place), ty: scalar, span });
                moves.push((target, value));
            }
        }
        for (target, value) in moves {
            self.emit(StmtKind::Assign(target, value), span);
        }
        Ok(Value::Scalar(result))
    }

    /// How many structures are set that no loop of the library can set.
    fn as_many_as_there_are(&mut self, bytes: &Typed, ty: &CType, word: &Typed) -> Option<u64> {
        let n = self.fold(&bytes.expr)? as u64;
        let storage = self.types().storage(ty)?;
        if storage.as_scalar().is_some() || !n.is_multiple_of(self.program.records.size(&storage).max(1)) {
            return None;
        }
        let odd = |scalar: Scalar| matches!(scalar, Scalar::Mutex | Scalar::Thread);
        let by_loop = self.fold(&word.expr) == Some(0)
            && !self.program.records.has_union(&storage)
            && !self.covering(&storage).into_iter().any(|(_, scalar)| odd(scalar));
        let count = n / self.program.records.size(&storage).max(1);
        let cells = count.saturating_mul(self.program.records.cells(&storage));
        (!by_loop && cells <= MOST_SET).then_some(count)
    }

    /// `p = malloc(n)` and then `memset(p, 0, n)`, perhaps with a test of `p` between them, is memory that starts with
    /// zeros, whatever its type.
    fn clears_new_memory(
        &mut self,
        to: &'a ast::Expr,
        n: &'a ast::Expr,
        span: Span,
    ) -> Result<Option<Value>> {
        let Ast::Identifier(name) = &to.kind else { return Ok(None) };
        let Some(Symbol::Local(id, ty)) = self.lookup(name).cloned() else { return Ok(None) };
        let Some(scalar) = self.types().scalar(&ty).filter(|_| ty.is_pointer()) else { return Ok(None) };
        let (bytes, effects) = self.captured(|this| {
            let bytes = this.scalar(n)?;
            this.convert(bytes, &CType::UNSIGNED_LONG, span)
        })?;
        if !effects.0.is_empty() {
            return Ok(None);
        }
        for stmt in self.body.out.iter_mut().rev() {
            let made = match &mut stmt.kind {
                StmtKind::Declare(made, Some(value)) if *made == id => value,
                StmtKind::Assign(Place { base: Base::Variable(VarRef::Local(made)), path, .. }, value)
                    if *made == id && path.is_empty() =>
                {
                    value
                }
                StmtKind::Declare(_, None) | StmtKind::Skip => continue,
                StmtKind::If(_, then, otherwise) if leaves_memory(then) && leaves_memory(otherwise) => {
                    continue;
                }
                _ => return Ok(None),
            };
            return Ok(match &mut made.kind {
                ExprKind::Allocate(_, size, fill, _) if same_value(size, &bytes.expr) => {
                    *fill = Fill::Zero;
                    let expr = read_local(id, scalar, span);
                    Some(Value::Scalar(Typed { expr, ty: CType::Void.pointer_to() }))
                }
                _ => None,
            });
        }
        Ok(None)
    }

    fn fill_memory(&mut self, to: &'a ast::Expr, byte: Typed, n: &'a ast::Expr, span: Span) -> Result<Value> {
        if self.fold(&byte.expr) == Some(0)
            && let Some(value) = self.clears_new_memory(to, n, span)?
        {
            return Ok(value);
        }
        let byte = Typed { expr: self.keep(byte.expr), ty: byte.ty };
        let (to, _, bytes, ty) = self.operands([to, to], n, span)?;
        let result = Typed { expr: to.expr.clone(), ty: CType::Void.pointer_to() };
        let byte = self.convert(byte, &CType::integer(crate::types::Rank::Char, false), span)?;
        let word = self.convert(byte, &CType::integer(crate::types::Rank::LongLong, false), span)?;
        let ones = self.int_constant(0x0101_0101_0101_0101, &word.ty.clone(), span);
        let word = self.arithmetic(BinaryOp::Mul, word, ones, span)?;
        let word = Typed { expr: self.keep(word.expr), ty: word.ty };
        if self.copies.contains(&span) {
            self.library_loop("__fencepost_fill_raw", vec![to, word, bytes], span)?;
            return Ok(Value::Scalar(result));
        }
        let prefix = self.prefix(&bytes, &ty);
        let few = prefix.as_ref().map(|_| 1).or_else(|| self.few(&bytes, &ty));
        let few = few.or_else(|| self.as_many_as_there_are(&bytes, &ty, &word));
        let Some(count) = few else {
            let is_zero = self.fold(&word.expr) == Some(0);
            let storage = self.types().storage(&ty).ok_or_else(|| self.no_values(&ty, span))?;
            let clears = |scalar: Scalar| !matches!(scalar, Scalar::Mutex | Scalar::Thread);
            let has_union = self.program.records.has_union(&storage);
            if is_zero && !has_union && self.covering(&storage).into_iter().all(|(_, scalar)| clears(scalar))
            {
                self.library_loop("__fencepost_clear", vec![to, bytes], span)?;
                return Ok(Value::Scalar(result));
            }
            let Some(scalar) = self.types().scalar(&ty) else {
                return Err(Diagnostic::new(span, "setting that many structures is not supported")
                    .help("set them in a loop, one by one"));
            };
            if let Scalar::Pointer { .. } | Scalar::Thread | Scalar::Mutex = scalar {
                return Err(Diagnostic::new(span, "setting the bytes of pointers is not supported"));
            }
            let value = self.convert(word, &ty, span)?;
            self.library_loop("__fencepost_fill", vec![to, value, bytes], span)?;
            return Ok(Value::Scalar(result));
        };
        for i in 0..count {
            let target = self.nth(&to, i, span)?;
            for (path, place, scalar) in self.fillable(&target.place, &ty, span)? {
                if prefix.as_ref().is_some_and(|inside| !inside.contains(&path)) {
                    continue;
                }
                let value = match scalar {
                    Scalar::Thread => Expr::constant(scalar.default_value(), scalar, span),
                    Scalar::Bool => self.truth(word.clone(), span),
                    _ => self.folded(convert::wrapping(word.expr.clone(), scalar, span)),
                };
                self.emit(StmtKind::Assign(place, value), span);
            }
        }
        Ok(Value::Scalar(result))
    }

    fn compare_memory(
        &mut self,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        n: &'a ast::Expr,
        span: Span,
    ) -> Result<Value> {
        let (a, b, bytes, ty) = self.operands([a, b], n, span)?;
        if self.has_floating(&ty) {
            return Err(floating::unknown_value(span));
        }
        if self.types().scalar(&ty).is_some() {
            return self.library_loop("__fencepost_compare", vec![a, b, bytes], span);
        }
        let Some(count) = self.few(&bytes, &ty) else {
            return Err(Diagnostic::new(span, "comparing that many structures is not supported"));
        };
        let int = self.types().scalar(&CType::INT).expect("int is a scalar");
        let order = self.temporary(int, span);
        self.emit(StmtKind::Declare(order, Some(Expr::constant(0, int, span))), span);
        for i in 0..count {
            let l = self.nth(&a, i, span)?;
            let r = self.nth(&b, i, span)?;
            let right = self.scalars_of(&r.place, &ty, span)?;
            for ((_, l, scalar), (_, r, _)) in self.scalars_of(&l.place, &ty, span)?.into_iter().zip(right) {
                let read = |place| Box::new(Expr { kind: ExprKind::Read(place), ty: scalar, span });
                let (l, r) = (self.keep(*read(l)), self.keep(*read(r)));
                let (_, decides) = self.captured(|this| {
                    let found = this.order_of(&l, &r, span)?;
                    let to = Place::variable(VarRef::Local(order), span);
                    this.emit(StmtKind::Assign(to, found), span);
                    Ok(())
                })?;
                let binary = |op, l, r| Expr {
                    kind: ExprKind::Binary(op, Box::new(l), Box::new(r)),
                    ty: Scalar::Bool,
                    span,
                };
                let open = binary(BinaryOp::Eq, read_local(order, int, span), Expr::constant(0, int, span));
                let test = binary(BinaryOp::And, open, binary(BinaryOp::Ne, l, r));
                self.emit(StmtKind::If(test, decides, Block::default()), span);
            }
        }
        Ok(Value::Scalar(Typed { expr: read_local(order, int, span), ty: CType::INT }))
    }

    /// Which of two different scalars comes first, by its bytes; of pointers either may.
    fn order_of(&mut self, l: &Expr, r: &Expr, span: Span) -> Result<Expr> {
        if !matches!(l.ty, Scalar::Int(_) | Scalar::Bool) {
            let any = Choices(vec![(-1, -1), (1, 1)]);
            let ty = self.types().scalar(&CType::INT).expect("int is a scalar");
            return Ok(Expr { kind: ExprKind::Any(any), ty, span });
        }
        let word = self.types().scalar(&self.widest()).expect("integers are scalars");
        let args = [l, r].map(|e| convert::wrapping(e.clone(), word, span)).to_vec();
        Ok(self.put("__fencepost_order", args, span)?.expr)
    }

    /// Whether `posix_memalign` takes an alignment.
    fn is_alignment(&self, n: i128) -> bool {
        let pointer = i128::from(self.program.pointer_bits / 8);
        n > 0 && n & (n - 1) == 0 && n % pointer == 0
    }

    /// What sorting works on: elements of a type that the pointer tells, how many, and what compares them.
    fn sorted(
        &mut self,
        base: &'a ast::Expr,
        n: &'a ast::Expr,
        compare: &'a ast::Expr,
        span: Span,
    ) -> Result<(Typed, Typed, Typed)> {
        let (pointer, known) = self.typed_pointer(base)?;
        let element = known.or_else(|| pointer.ty.element().cloned()).filter(|ty| *ty != CType::Void);
        let element = element.ok_or_else(|| {
            Diagnostic::new(base.span, "what this points to has no known type, so it cannot be sorted here")
        })?;
        let base = Typed { expr: self.keep_unless_stable(pointer.expr), ty: element.pointer_to() };
        let n = self.scalar(n)?;
        let n = self.convert(n, &CType::UNSIGNED_LONG, span)?;
        let n = Typed { expr: self.keep(n.expr), ..n };
        let compare = self.scalar(compare)?;
        if !expression::is_function_pointer(&compare.ty) {
            return Err(Diagnostic::new(span, "this is not a function"));
        }
        Ok((base, n, compare))
    }

    /// A function of the library that is written for any type: its pointers have that of the arguments.
    fn library_loop(&mut self, name: &str, args: Vec<Typed>, span: Span) -> Result<Value> {
        let Some(Symbol::Function(index)) = self.library.get(name).cloned() else {
            panic!("the library has `{name}`")
        };
        self.inline_typed(index, args, span)
    }

    /// Whether a number of bytes is known to be larger than its type can say.
    pub(super) fn overflows(&self, count: &Typed, size: &Typed) -> bool {
        let bits = self.program.pointer_bits;
        let known = |value: &Typed| self.fold(&value.expr).map(|n| n as u64 as u128);
        matches!((known(count), known(size)), (Some(count), Some(size)) if (count * size) >> bits != 0)
    }

    /// A pointer to nothing.
    pub(super) fn null(&mut self, span: Span) -> Result<Value> {
        let zero = self.int_constant(0, &CType::INT, span);
        self.convert(zero, &CType::Void.pointer_to(), span).map(Value::Scalar)
    }

    fn reallocate(
        &mut self,
        pointer: &'a ast::Expr,
        bytes: &'a ast::Expr,
        count: Option<&'a ast::Expr>,
        span: Span,
    ) -> Result<Value> {
        let (old, known) = self.typed_pointer(pointer)?;
        let old = Typed { expr: self.keep(old.expr), ty: old.ty };
        let hint = self.size_hint(bytes);
        let size = self.scalar(bytes)?;
        let mut size = self.convert(size, &CType::UNSIGNED_LONG, span)?;
        if let Some(count) = count {
            let mark = self.body.out.len();
            let count = self.scalar(count)?;
            size = Typed { expr: self.settle(size.expr, mark), ..size };
            if self.overflows(&count, &size) {
                return self.null(span);
            }
            size = self.arithmetic(BinaryOp::Mul, size, count, span)?;
        }
        let ty = known.or(hint).and_then(|ty| self.types().storage(&ty));
        let byte = self.types().scalar(&CType::CHAR).expect("char is a scalar");
        let void = CType::Void.pointer_to();
        let scalar = self.types().scalar(&void).expect("pointers are scalars");
        let kind =
            ExprKind::Reallocate(ty.unwrap_or(Type::Scalar(byte)), Box::new(old.expr), Box::new(size.expr));
        Ok(Value::Scalar(Typed { expr: Expr { kind, ty: scalar, span }, ty: void }))
    }
}

/// Whether a block assigns nothing.
fn leaves_memory(block: &Block) -> bool {
    let mut leaves = true;
    block.visit(&mut |stmt| {
        leaves &= matches!(
            stmt.kind,
            StmtKind::Eval(_) | StmtKind::Halt | StmtKind::Skip | StmtKind::Return(_) | StmtKind::Exit(_)
        );
    });
    leaves
}

/// Whether two expressions without effects are the same, wherever they stand.
fn same_value(a: &Expr, b: &Expr) -> bool {
    let plain = |place: &Place| match place.base {
        Base::Variable(VarRef::Local(id)) if place.path.is_empty() => Some(id),
        _ => None,
    };
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
            (ExprKind::Read(a), ExprKind::Read(b)) => plain(a).is_some() && plain(a) == plain(b),
            (ExprKind::Convert(c, a), ExprKind::Convert(d, b)) => c == d && same_value(a, b),
            (ExprKind::Binary(o, a, b), ExprKind::Binary(p, c, d)) => {
                o == p && same_value(a, c) && same_value(b, d)
            }
            _ => false,
        }
}

/// Whether a type says nothing of what is there.
fn is_raw(ty: Option<&CType>) -> bool {
    match ty.map(CType::unqualified) {
        None | Some(CType::Void) => true,
        Some(CType::Integer(integer)) => integer.rank == crate::types::Rank::Char,
        Some(_) => false,
    }
}

/// What an array is of.
fn innermost(ty: &CType) -> CType {
    match ty.unqualified() {
        CType::Array(of, _) => innermost(of),
        other => other.clone(),
    }
}

//! Declarations: specifiers and declarators to types, and what stands at file scope.

use super::*;
use crate::ast::{BasicType, Derived, Parameters, TypeSpecifier};
use crate::types::Rank;

/// Types that only the program's own instructions know.
fn native_type(name: &str) -> Option<CType> {
    match name {
        "__fencepost_lock_t" => Some(CType::Mutex),
        "pthread_t" | "thrd_t" => Some(CType::Thread),
        _ => None,
    }
}

fn basic(ty: BasicType, model: DataModel) -> CType {
    match ty {
        BasicType::Void => CType::Void,
        BasicType::Bool => CType::Bool,
        BasicType::Char => CType::CHAR,
        BasicType::SignedChar => CType::integer(Rank::Char, true),
        BasicType::UnsignedChar => CType::integer(Rank::Char, false),
        BasicType::Short => CType::integer(Rank::Short, true),
        BasicType::UnsignedShort => CType::integer(Rank::Short, false),
        BasicType::Int => CType::INT,
        BasicType::Unsigned => CType::UNSIGNED,
        BasicType::Long => CType::LONG,
        BasicType::UnsignedLong => CType::UNSIGNED_LONG,
        BasicType::LongLong => CType::integer(Rank::LongLong, true),
        BasicType::UnsignedLongLong => CType::integer(Rank::LongLong, false),
        BasicType::Int128 | BasicType::UnsignedInt128 => panic!("`wide.rs` has these"),
        BasicType::Floating(kind) => match floating_bytes(kind, model) {
            bytes @ (4 | 8) => CType::Floating(bytes),
            bytes => CType::Unsupported("floating point", bytes),
        },
        BasicType::Complex(kind) => CType::Unsupported("a complex number", 2 * floating_bytes(kind, model)),
    }
}

/// Bytes of a floating type.
fn floating_bytes(kind: ast::FloatType, model: DataModel) -> u8 {
    use ast::FloatType::*;
    match kind {
        Float | Float32 | Float16 | Decimal32 => 4,
        Double | Float32x | Float64 | Decimal64 => 8,
        LongDouble | Float64x | Float80 if model == DataModel::Ilp32 => 12,
        LongDouble | Float64x | Float80 | Float128 | Decimal128 => 16,
    }
}

impl<'a> Lowerer<'a> {
    /// Types of thread libraries, which are ours whatever their header says they are.
    fn library_type(&self, name: &str) -> Option<CType> {
        let same = match name {
            "mtx_t" => "pthread_mutex_t",
            "cnd_t" => "pthread_cond_t",
            name => name,
        };
        match self.library.get(same) {
            Some(Symbol::Type(ty)) => Some(ty.clone()),
            _ => native_type(name),
        }
    }

    /// The base type of a declaration.
    pub(super) fn base_type(&mut self, specifiers: &'a ast::Specifiers) -> Result<CType> {
        let ty = match &specifiers.ty {
            TypeSpecifier::Basic(BasicType::Int128) => self.wide_type(true),
            TypeSpecifier::Basic(BasicType::UnsignedInt128) => self.wide_type(false),
            TypeSpecifier::Basic(ty) => basic(*ty, self.data_model),
            TypeSpecifier::Named(name) => match self.lookup(&name.text) {
                Some(Symbol::Type(ty)) => ty.clone(),
                _ => CType::Unsupported("a type that only the compiler knows", 16),
            },
            TypeSpecifier::Record(record) => self.record(record)?,
            TypeSpecifier::Enum(e) => self.enumeration(e)?,
            TypeSpecifier::Typeof(of) => self.type_or_expr(of)?,
            TypeSpecifier::Atomic(inner) => CType::Atomic(Rc::new(self.type_name(inner)?)),
            TypeSpecifier::VaList => variadic::list_type(),
            TypeSpecifier::Auto => {
                return Err(Diagnostic::new(specifiers.span, "`__auto_type` needs an initialiser"));
            }
        };
        let atomic = specifiers.qualifiers.is_atomic && !ty.is_atomic();
        let ty = if atomic { CType::Atomic(Rc::new(ty)) } else { ty };
        Ok(if specifiers.qualifiers.is_const { ty.constant() } else { ty })
    }

    /// The type that a declarator makes of its base type.
    pub(super) fn derive(&mut self, base: CType, declarator: &'a ast::Declarator) -> Result<CType> {
        self.derive_steps(base, &declarator.derived)
    }

    pub(super) fn derive_steps(&mut self, base: CType, steps: &'a [Derived]) -> Result<CType> {
        let mut ty = base;
        for step in steps.iter().rev() {
            ty = match step {
                Derived::Pointer(qualifiers) => {
                    let pointer = ty.pointer_to();
                    let pointer =
                        if qualifiers.is_atomic { CType::Atomic(Rc::new(pointer)) } else { pointer };
                    if qualifiers.is_const { pointer.constant() } else { pointer }
                }
                Derived::Array(bounds) => {
                    let n = match &bounds.size {
                        ast::ArraySize::Unspecified | ast::ArraySize::Star => None,
                        ast::ArraySize::Expr(size) => Some(self.array_length(size)?),
                    };
                    CType::Array(Rc::new(ty), n)
                }
                Derived::Function(parameters) => {
                    let (params, variadic) = self.parameter_types(parameters)?;
                    CType::Function(Rc::new(FunctionType { result: ty, params, variadic }))
                }
            };
        }
        Ok(ty)
    }

    fn array_length(&mut self, size: &'a ast::Expr) -> Result<u64> {
        let n = self.constant(size).map_err(|d| {
            if d.message.contains("constant") {
                Diagnostic::new(size.span, "arrays of variable length are not supported")
                    .help("give the array a constant length")
            } else {
                d
            }
        })?;
        match u64::try_from(n) {
            Ok(n) if n <= MAX_ELEMENTS => Ok(n),
            _ => Err(Diagnostic::new(size.span, format!("an array of {n} elements is not supported"))),
        }
    }

    fn parameter_types(&mut self, parameters: &'a Parameters) -> Result<(Option<Vec<CType>>, bool)> {
        match parameters {
            Parameters::Unspecified | Parameters::Names(_) => Ok((None, false)),
            Parameters::Prototype { parameters, variadic } => {
                let mut types = Vec::new();
                for p in parameters {
                    let base = self.base_type(&p.specifiers)?;
                    types.push(self.parameter_type(base, &p.declarator)?);
                }
                Ok((Some(types), *variadic))
            }
        }
    }

    /// The type of a parameter: an array's own length says nothing, for it is a pointer.
    fn parameter_type(&mut self, base: CType, declarator: &'a ast::Declarator) -> Result<CType> {
        if let Some(behind) = self.behind_rows(&declarator.derived) {
            return self.derive_steps(base, behind).map(CType::pointer_to);
        }
        match declarator.derived.split_first() {
            Some((Derived::Array(_), rest)) => self.derive_steps(base, rest).map(CType::pointer_to),
            _ => self.derive(base, declarator).map(adjusted),
        }
    }

    /// The type that a cast, `sizeof` or the like names.
    pub(super) fn type_name(&mut self, name: &'a ast::TypeName) -> Result<CType> {
        let base = self.base_type(&name.specifiers)?;
        self.derive(base, &name.declarator)
    }

    pub(super) fn type_or_expr(&mut self, of: &'a ast::TypeOrExpr) -> Result<CType> {
        match of {
            ast::TypeOrExpr::Type(name) => self.type_name(name),
            ast::TypeOrExpr::Expr(e) => self.type_of(e),
        }
    }

    pub(super) fn static_assert(&mut self, assertion: &'a ast::StaticAssert) -> Result<()> {
        if self.constant(&assertion.condition)? != 0 {
            return Ok(());
        }
        let text = assertion.message.as_ref().map_or(String::new(), |m| format!(": {}", m.text()));
        Err(Diagnostic::new(assertion.span, format!("this static assertion fails{text}")))
    }

    pub(super) fn define_function(&mut self, function: &'a ast::Function) -> Result<()> {
        let base = self.base_type(&function.specifiers)?;
        let CType::Function(mut ty) = self.derive(base, &function.declarator)? else {
            panic!("the parser defines only what has a parameter list as a function")
        };
        if let Parameters::Names(names) = function.parameters() {
            let types = self.old_style_types(names, &function.old_style)?;
            ty = Rc::new(FunctionType { params: Some(types), ..(*ty).clone() });
        }
        // A definition without prototype takes nothing.
        if let Parameters::Unspecified = function.parameters() {
            ty = Rc::new(FunctionType { params: Some(Vec::new()), ..(*ty).clone() });
        }
        let name = function.name();
        let linkage = linkage(&function.specifiers);
        let index = self.function_symbol(&name.text, ty.clone(), linkage, name.span);
        if let Some(first) = self.functions[index].body {
            let inline = |f: &ast::Function| f.specifiers.inline.is_some();
            if inline(first) || inline(function) {
                return Ok(());
            }
            return Err(Diagnostic::new(name.span, format!("`{}` is defined twice", name.text))
                .label(format!("first in line {}", first.name().span.line)));
        }
        let attributes = function.specifiers.attributes.iter().chain(&function.declarator.attributes);
        self.known_attributes(attributes.clone())?;
        let gnu_inline = |a: &ast::Attribute| matches!(a.kind, ast::AttributeKind::GnuInline);
        let is_extern = matches!(function.specifiers.storage, Some((ast::Storage::Extern, _)));
        self.functions[index].is_librarys = is_extern && attributes.clone().any(gnu_inline);
        self.function_attributes(index, attributes)?;
        self.functions[index].ty = ty;
        self.functions[index].body = Some(function);
        self.functions[index].unit = self.unit;
        self.functions[index].span = name.span;
        Ok(())
    }

    fn old_style_types(
        &mut self,
        names: &'a [ast::Name],
        declarations: &'a [ast::Declaration],
    ) -> Result<Vec<CType>> {
        let mut types: Vec<CType> = vec![CType::INT; names.len()];
        for declaration in declarations {
            let base = self.base_type(&declaration.specifiers)?;
            for declared in &declaration.declarators {
                let ty = self.parameter_type(base.clone(), &declared.declarator)?;
                let position = names.iter().position(|n| n.text == declared.name().text);
                let position = position.ok_or_else(|| {
                    Diagnostic::new(declared.span, format!("`{}` is no parameter", declared.name().text))
                })?;
                types[position] = ty;
            }
        }
        Ok(types)
    }

    fn function_symbol(&mut self, name: &str, ty: Rc<FunctionType>, linkage: Linkage, span: Span) -> usize {
        let external = || self.external.get(name).filter(|_| linkage == Linkage::External);
        let known = match self.scopes[0].get(name).or_else(external) {
            Some(Symbol::Function(index)) => Some(*index),
            _ => None,
        };
        let index = known.unwrap_or_else(|| {
            let (name, ty, unit) = (name.to_string(), ty.clone(), self.unit);
            self.functions.push(Function {
                name,
                ty,
                body: None,
                unit,
                is_librarys: false,
                procedure: None,
                span,
                allocates: None,
                original: None,
                allocated: None,
            });
            self.functions.len() - 1
        });
        if self.functions[index].ty.params.is_none() && self.functions[index].body.is_none() {
            self.functions[index].ty = ty;
        }
        self.scopes[0].insert(name.to_string(), Symbol::Function(index));
        if linkage == Linkage::External {
            self.external.entry(name.to_string()).or_insert(Symbol::Function(index));
        }
        index
    }

    pub(super) fn declare_global(&mut self, declaration: &'a ast::Declaration) -> Result<()> {
        let base = match declaration.specifiers.ty {
            TypeSpecifier::Auto => None,
            _ => Some(self.base_type(&declaration.specifiers)?),
        };
        for declared in &declaration.declarators {
            self.declare_outside(declaration, declared, base.clone())?;
        }
        Ok(())
    }

    /// A typedef, a function, or a variable that lives as long as the program.
    pub(super) fn declare_outside(
        &mut self,
        declaration: &'a ast::Declaration,
        declared: &'a ast::InitDeclarator,
        base: Option<CType>,
    ) -> Result<()> {
        let specifiers = &declaration.specifiers;
        let name = declared.name();
        let storage = specifiers.storage.map(|(storage, _)| storage);
        let attributes = || specifiers.attributes.iter().chain(&declared.declarator.attributes);
        let ty = self.declared_type(base, declared)?;
        let ty = self.with_mode(ty, attributes())?;
        if storage == Some(ast::Storage::Typedef) {
            let ty = self.library_type(&name.text).unwrap_or(ty);
            self.define(&name.text, Symbol::Type(ty));
            return Ok(());
        }
        if let CType::Function(ty) = ty {
            let index = self.function_symbol(&name.text, ty, linkage(specifiers), name.span);
            self.define(&name.text, Symbol::Function(index));
            return self.function_attributes(index, attributes());
        }
        self.known_attributes(attributes())?;
        let is_extern = storage == Some(ast::Storage::Extern);
        let file_scope = self.scopes.len() == 1;
        let external = linkage(specifiers) == Linkage::External && (file_scope || is_extern);
        let shared = || self.external.get(&name.text).filter(|_| external);
        let known = match self.scopes[0].get(&name.text).or_else(shared) {
            Some(Symbol::Global(index)) if file_scope || is_extern => Some(*index),
            _ => None,
        };
        if !file_scope && !is_extern {
            self.not_twice(name)?;
        }
        if let Some(known) = known {
            self.agrees(known, &ty, declared)?;
        }
        let index = known.unwrap_or_else(|| {
            self.globals.push(Global {
                name: name.text.clone(),
                ty: ty.clone(),
                initializer: None,
                unit: self.unit,
                at_file_scope: file_scope || is_extern,
                per_thread: specifiers.thread_local.is_some(),
                defined: false,
                span: name.span,
                variable: None,
            });
            self.globals.len() - 1
        });
        if let Some(initializer) = &declared.initializer {
            self.globals[index].initializer = Some(initializer);
            self.globals[index].unit = self.unit;
        }
        if let CType::Array(_, None) = self.globals[index].ty {
            self.globals[index].ty = ty;
        }
        if !is_extern || declared.initializer.is_some() {
            self.globals[index].defined = true;
        }
        if is_extern && !file_scope {
            self.scopes[0].entry(name.text.clone()).or_insert(Symbol::Global(index));
        }
        if external {
            self.external.entry(name.text.clone()).or_insert(Symbol::Global(index));
        }
        self.define(&name.text, Symbol::Global(index));
        // The initialiser of a function's own static variable means the names of the function.
        if !file_scope && !is_extern {
            self.global(index, name.span)?;
        }
        Ok(())
    }

    /// Whether a further declaration of a variable fits those before.
    fn agrees(&self, known: usize, ty: &CType, declared: &ast::InitDeclarator) -> Result<()> {
        let name = declared.name();
        let before = &self.globals[known];
        let first = format!("first in line {}", before.span.line);
        if let (Some(l), Some(r)) = (self.types().scalar(&before.ty), self.types().scalar(ty))
            && l != r
        {
            let (l, r) = (self.types().show(&before.ty), self.types().show(ty));
            let message = format!("`{}` is declared as `{l}` and as `{r}`", name.text);
            return Err(Diagnostic::new(name.span, message).label(first));
        }
        if declared.initializer.is_some() && before.initializer.is_some() {
            let message = format!("`{}` is defined twice", name.text);
            return Err(Diagnostic::new(name.span, message).label(first));
        }
        Ok(())
    }

    /// The type of a declared name; for `__auto_type` that of its initialiser.
    pub(super) fn declared_type(
        &mut self,
        base: Option<CType>,
        declared: &'a ast::InitDeclarator,
    ) -> Result<CType> {
        let ty = match (base, &declared.initializer) {
            (Some(base), _) => self.derive(base, &declared.declarator)?,
            (None, Some(ast::Initializer::Expr(e))) => {
                let ty = self.type_of(e)?;
                adjusted(ty.unqualified().clone())
            }
            (None, _) => {
                return Err(Diagnostic::new(declared.span, "`__auto_type` needs an initialiser"));
            }
        };
        match (&ty, &declared.initializer) {
            (CType::Array(of, None), Some(initializer)) => {
                let n = self.initializer_length(of, initializer)?;
                if n > MAX_ELEMENTS {
                    let message = format!("an array of {n} elements is not supported");
                    return Err(Diagnostic::new(declared.span, message));
                }
                self.of_known_size(CType::Array(of.clone(), Some(n)), declared.span)
            }
            _ => self.of_known_size(ty, declared.span),
        }
    }

    /// The type, unless an object of it is larger than pointers can tell.
    fn of_known_size(&self, ty: CType, span: Span) -> Result<CType> {
        match self.types().size(&ty) {
            Some(size) if size > MAX_BYTES => {
                Err(Diagnostic::new(span, format!("an object of {size} bytes is not supported")))
            }
            _ => Ok(ty),
        }
    }

    /// What a type that has no values, or none here, is told.
    pub(super) fn no_values(&self, ty: &CType, span: Span) -> Diagnostic {
        match ty.unqualified() {
            CType::Unsupported(what, _) => Diagnostic::new(span, format!("{what} is not supported")),
            ty => {
                let message = format!("`{}` is not a complete type here", self.types().show(ty));
                Diagnostic::new(span, message)
            }
        }
    }
}

/// Whether a name means the same in all units.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Linkage {
    External,
    Internal,
}

fn linkage(specifiers: &ast::Specifiers) -> Linkage {
    match specifiers.storage {
        Some((ast::Storage::Static, _)) => Linkage::Internal,
        _ => Linkage::External,
    }
}

/// More bytes than a pointer tells apart.
const MAX_BYTES: u64 = fencepost_ir::pointer::LARGEST;

/// More elements than any model can have.
const MAX_ELEMENTS: u64 = 1 << 24;

/// What a parameter of that type really is.
pub(super) fn adjusted(ty: CType) -> CType {
    match ty {
        CType::Array(of, _) => CType::Pointer(of),
        CType::Function(_) => ty.pointer_to(),
        CType::Atomic(inner) => adjusted((*inner).clone()),
        ty => ty,
    }
}

//! How the user wrote a program ([`Spelling`]), and first of all its types: a walk over the syntax beside lowering, which needs what
//! types mean and forgets what they are called.
//!
//! `const`, `volatile` and `_Atomic` are left out. What has no short spelling (pointers to functions and arrays,
//! `typeof`) has none here, and so has what a macro declares twice at one place.

use super::ast::*;
use super::constants::Constants;
use super::origin::Origins;
use super::preprocess::DataModel;
use fencepost_ir::tree::{Program, RecordId, Spelled, Spelling, TypeName, TypeNameId};
use fencepost_ir::{IntType, Scalar, Span};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What lowering knows of types that are defined somewhere.
#[derive(Default)]
pub(super) struct Definitions {
    /// The record that stands there; none where there are several.
    pub records: HashMap<Span, Option<RecordId>>,
    /// The constants of the enumeration that stands there.
    pub enumerations: HashMap<Span, Vec<(String, i64)>>,
}

/// Notes in a program how its types are written.
pub(super) fn spell(program: &mut Program, units: &[Unit], known: &Definitions, model: DataModel) {
    let mut out = Spelling::default();
    let mut all: HashMap<Span, Spelled> = HashMap::new();
    let text = Constants::new(program, known);
    let mut twice = HashSet::new();
    for unit in units {
        let scopes = vec![Scope::default()];
        let mut records = Vec::new();
        // Tags may be used before they are defined: first where, then what.
        for definitions in [None, Some(known)] {
            let mut walk = Walk {
                scopes: scopes.clone(),
                records: std::mem::take(&mut records),
                next: 0,
                known: definitions,
                names: out.names.clone(),
                typedefs: typedefs(&out.names),
                enumerations: HashMap::new(),
                origins: &unit.origins,
                model,
                declared: Vec::new(),
                members: BTreeMap::new(),
                text: &text,
            };
            unit.items.iter().for_each(|item| walk.item(item));
            if definitions.is_some() {
                out.names = walk.names;
                out.members.extend(walk.members);
                for (span, spelled) in walk.declared {
                    match all.get(&span) {
                        Some(other) if *other != spelled => {
                            twice.insert(span);
                        }
                        _ => {
                            all.insert(span, spelled);
                        }
                    }
                }
                break;
            }
            records = walk.records;
        }
    }
    all.retain(|span, _| !twice.contains(span));
    text.note(program, &mut out);
    drop(text);
    program.spelling = out;
    let shared = program.shared.iter_mut().chain(&mut program.thread_locals);
    shared.for_each(|v| v.spelled = all.get(&v.span).cloned());
    for procedure in &mut program.procedures {
        procedure.spelled = all.get(&procedure.span).cloned();
        procedure.locals.iter_mut().for_each(|v| v.spelled = all.get(&v.span).cloned());
    }
}

/// Where the first typedef of each name stands in a list.
fn typedefs(names: &[TypeName]) -> HashMap<String, usize> {
    let mut typedefs = HashMap::new();
    for (i, name) in names.iter().enumerate() {
        if let TypeName::Typedef { name, .. } = name {
            typedefs.entry(name.clone()).or_insert(i);
        }
    }
    typedefs
}

/// What names mean in a block.
#[derive(Clone, Default)]
struct Scope {
    types: HashMap<String, Option<Spelled>>,
    tags: HashMap<String, Tag>,
}

#[derive(Clone, Copy)]
enum Tag {
    /// The number of a record.
    Record(usize),
    Enumeration(TypeNameId),
}

struct Walk<'a> {
    scopes: Vec<Scope>,
    /// Where each record is defined, in the order in which they are met.
    records: Vec<Option<Span>>,
    next: usize,
    /// Not known in the first walk.
    known: Option<&'a Definitions>,
    names: Vec<TypeName>,
    /// Where the first typedef of each name stands in these.
    typedefs: HashMap<String, usize>,
    /// By where they stand: some are met several times.
    enumerations: HashMap<Span, TypeNameId>,
    origins: &'a Origins,
    model: DataModel,
    declared: Vec<(Span, Spelled)>,
    members: BTreeMap<(RecordId, String), Spelled>,
    text: &'a Constants<'a>,
}

impl Walk<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Function(function) => {
                let base = self.base(&function.specifiers);
                if let Some((_, rest)) = function.declarator.derived.split_first() {
                    self.declare(&function.declarator, derived(base, rest, self.text));
                }
                self.scopes.push(Scope::default());
                if let Parameters::Prototype { parameters, .. } = function.parameters() {
                    for p in parameters {
                        let base = self.base(&p.specifiers);
                        let spelled = derived(base, &p.declarator.derived, self.text).map(adjusted);
                        self.declare(&p.declarator, spelled);
                    }
                }
                function.old_style.iter().for_each(|d| self.declaration(d));
                self.block(&function.body);
                self.scopes.pop();
            }
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::StaticAssert(_) | Item::Asm(_) => {}
        }
    }

    fn block(&mut self, block: &Block) {
        self.scopes.push(Scope::default());
        for item in &block.items {
            match item {
                BlockItem::Declaration(d) => self.declaration(d),
                BlockItem::Statement(s) => self.statement(s),
                BlockItem::StaticAssert(_) => {}
            }
        }
        self.scopes.pop();
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::Labeled(_, inner)
            | StmtKind::Switch(_, inner)
            | StmtKind::While(_, inner)
            | StmtKind::DoWhile(inner, _) => self.statement(inner),
            StmtKind::If(_, then, otherwise) => {
                self.statement(then);
                otherwise.iter().for_each(|s| self.statement(s));
            }
            StmtKind::For(f) => {
                self.scopes.push(Scope::default());
                if let ForInit::Declaration(d) = &f.init {
                    self.declaration(d);
                }
                self.statement(&f.body);
                self.scopes.pop();
            }
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_) => {}
        }
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("file scope is always open")
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let base = self.base(&declaration.specifiers);
        let is_typedef = matches!(declaration.specifiers.storage, Some((Storage::Typedef, _)));
        for declared in &declaration.declarators {
            let steps = &declared.declarator.derived;
            if !is_typedef {
                // A prototype speaks of the result.
                let steps = match steps.split_first() {
                    Some((Derived::Function(_), rest)) => rest,
                    _ => steps,
                };
                self.declare(&declared.declarator, derived(base.clone(), steps, self.text));
                continue;
            }
            let name = declared.name();
            let means = derived(base.clone(), steps, self.text);
            let spelled = self.named(&name.text, name.span, means);
            self.scope().types.insert(name.text.clone(), spelled);
        }
    }

    /// A typedef's name; what it stands for where the name is not to be kept.
    fn named(&mut self, name: &str, span: Span, means: Option<Spelled>) -> Option<Spelled> {
        let means = means?;
        let header = standard_header(name, &means);
        let kept = header.is_some() || !self.origins.is_system(span) && self.scopes.len() == 1;
        // Arrays are written out: their elements may not be defined yet.
        if !kept || name.starts_with("__") || matches!(means, Spelled::Array(..)) {
            return Some(means);
        }
        match self.typedefs.get(name).copied() {
            Some(i) if matches!(&self.names[i], TypeName::Typedef { means: m, .. } if *m == means) => {
                Some(Spelled::Named(TypeNameId(i)))
            }
            // Another unit's.
            Some(_) => Some(means),
            None => {
                self.typedefs.insert(name.to_string(), self.names.len());
                self.names.push(TypeName::Typedef { name: name.to_string(), means, header });
                Some(Spelled::Named(TypeNameId(self.names.len() - 1)))
            }
        }
    }

    fn declare(&mut self, declarator: &Declarator, spelled: Option<Spelled>) {
        if let (Some(name), Some(spelled)) = (&declarator.name, spelled) {
            self.declared.push((name.span, spelled));
        }
    }

    fn base(&mut self, specifiers: &Specifiers) -> Option<Spelled> {
        match &specifiers.ty {
            TypeSpecifier::Basic(basic) => words(*basic, self.model),
            TypeSpecifier::Named(name) => {
                self.scopes.iter().rev().find_map(|s| s.types.get(&name.text)).cloned().flatten()
            }
            TypeSpecifier::Record(record) => self.record(record),
            TypeSpecifier::Enum(e) => self.enumeration(e),
            TypeSpecifier::Atomic(inner) => {
                let base = self.base(&inner.specifiers);
                derived(base, &inner.declarator.derived, self.text)
            }
            TypeSpecifier::Typeof(_) | TypeSpecifier::VaList | TypeSpecifier::Auto => None,
        }
    }

    fn record(&mut self, record: &Record) -> Option<Spelled> {
        let tag = record.tag.as_ref().map(|t| &t.text);
        let known = tag.and_then(|tag| match &record.members {
            Some(_) => self.scope().tags.get(tag).copied(),
            None => self.scopes.iter().rev().find_map(|s| s.tags.get(tag)).copied(),
        });
        let number = match known {
            Some(Tag::Record(number)) => number,
            _ => {
                self.next += 1;
                if self.records.len() < self.next {
                    self.records.push(None);
                }
                self.next - 1
            }
        };
        if let Some(tag) = tag
            && known.is_none()
        {
            self.scope().tags.insert(tag.clone(), Tag::Record(number));
        }
        if record.members.is_some() {
            self.records[number] = Some(record.span);
        }
        let definition = self.records[number];
        let id = definition.and_then(|span| *self.known?.records.get(&span)?);
        for member in record.members.iter().flatten() {
            let Member::Fields { specifiers, fields } = member else { continue };
            let base = self.base(specifiers);
            for field in fields.iter().filter(|f| f.width.is_none()) {
                let spelled = derived(base.clone(), &field.declarator.derived, self.text);
                if let (Some(id), Some(name), Some(spelled)) = (id, &field.declarator.name, spelled) {
                    self.members.insert((id, name.text.clone()), spelled);
                }
            }
        }
        id.map(Spelled::Record)
    }

    fn enumeration(&mut self, e: &Enum) -> Option<Spelled> {
        let tag = e.tag.as_ref().map(|t| &t.text);
        if e.enumerators.is_none() {
            let known = self.scopes.iter().rev().find_map(|s| s.tags.get(tag?)).copied();
            return match known {
                Some(Tag::Enumeration(id)) => Some(Spelled::Named(id)),
                Some(Tag::Record(_)) | None => None,
            };
        }
        if self.origins.is_system(e.span) {
            return None;
        }
        let constants = self.known?.enumerations.get(&e.span)?.clone();
        let id = *self.enumerations.entry(e.span).or_insert_with(|| {
            self.names.push(TypeName::Enumeration { tag: tag.cloned(), constants, span: e.span });
            TypeNameId(self.names.len() - 1)
        });
        if let Some(tag) = tag {
            self.scope().tags.insert(tag.clone(), Tag::Enumeration(id));
        }
        Some(Spelled::Named(id))
    }
}

/// What a declarator makes of a type.
fn derived(base: Option<Spelled>, steps: &[Derived], text: &Constants<'_>) -> Option<Spelled> {
    steps.iter().rev().try_fold(base?, |inner, step| match (step, &inner) {
        (Derived::Pointer(_), Spelled::Array(..)) => None,
        (Derived::Pointer(_), _) => Some(Spelled::Pointer(Box::new(inner))),
        (Derived::Array(bounds), _) => {
            let length = match &bounds.size {
                ArraySize::Expr(size) => text.word_at(size.span),
                ArraySize::Unspecified | ArraySize::Star => None,
            };
            Some(Spelled::Array(Box::new(inner), length))
        }
        (Derived::Function(_), _) => None,
    })
}

/// What a parameter of that type really is.
fn adjusted(spelled: Spelled) -> Spelled {
    match spelled {
        Spelled::Array(inner, _) => Spelled::Pointer(inner),
        spelled => spelled,
    }
}

fn words(ty: BasicType, model: DataModel) -> Option<Spelled> {
    let int = |bits, signed| Some(Scalar::Int(IntType { bits, signed }));
    let long = model.pointer_bits();
    let (text, scalar) = match ty {
        BasicType::Void => ("void", None),
        BasicType::Bool => ("_Bool", Some(Scalar::Bool)),
        BasicType::Char => ("char", int(8, true)),
        BasicType::SignedChar => ("signed char", int(8, true)),
        BasicType::UnsignedChar => ("unsigned char", int(8, false)),
        BasicType::Short => ("short", int(16, true)),
        BasicType::UnsignedShort => ("unsigned short", int(16, false)),
        BasicType::Int => ("int", int(32, true)),
        BasicType::Unsigned => ("unsigned int", int(32, false)),
        BasicType::Long => ("long", int(long, true)),
        BasicType::UnsignedLong => ("unsigned long", int(long, false)),
        BasicType::LongLong => ("long long", int(64, true)),
        BasicType::UnsignedLongLong => ("unsigned long long", int(64, false)),
        BasicType::Int128 | BasicType::UnsignedInt128 | BasicType::Floating(_) | BasicType::Complex(_) => {
            return None;
        }
    };
    Some(Spelled::Words(text, scalar))
}

/// The standard header that has a type of this name and meaning.
fn standard_header(name: &str, means: &Spelled) -> Option<&'static str> {
    let Spelled::Words(_, Some(Scalar::Int(int))) = means else { return None };
    let unsigned = name.starts_with('u') || name == "size_t";
    let width = name.trim_start_matches('u').strip_prefix("int").and_then(|rest| rest.strip_suffix("_t"));
    let header = match (name, width.map(str::parse::<u8>)) {
        ("size_t" | "ptrdiff_t", _) => "stddef.h",
        ("ssize_t", _) => "sys/types.h",
        ("intptr_t" | "uintptr_t", _) => "stdint.h",
        (_, Some(Ok(bits))) if bits == int.bits => "stdint.h",
        _ => return None,
    };
    (int.signed != unsigned).then_some(header)
}

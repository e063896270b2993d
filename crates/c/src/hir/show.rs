//! Types as C writes them, for messages and for text that is to be C again.

use super::table::Types;
use super::types::*;

impl Types {
    /// The type, with its typedef name if it has one.
    pub fn show(&self, id: TypeId) -> String {
        self.declare(id, "")
    }

    /// A declaration of a name, or of what else is where the name is, from the name outwards.
    pub fn declare(&self, id: TypeId, inner: &str) -> String {
        match self.get(id) {
            Type::Pointer(to) => self.declare_pointer(*to, &[], inner),
            Type::Qualified(qualifiers, of) => match self.get(*of) {
                Type::Pointer(to) => self.declare_pointer(*to, &qualifiers.words(), inner),
                _ => format!("{} {}", qualifiers.words().join(" "), self.declare(*of, inner)),
            },
            Type::Array(of, length) => {
                let length = match length {
                    Length::Known(n) => n.to_string(),
                    Length::Unknown => String::new(),
                    Length::Variable(local) => format!("%{}", local.index()),
                };
                self.declare(*of, &format!("{inner}[{length}]"))
            }
            Type::Function(f) => self.declare(f.result, &format!("{inner}({})", self.show_params(f))),
            base => {
                let name = self.base_name(base);
                match inner {
                    "" => name,
                    inner if inner.starts_with('[') => name + inner,
                    inner => format!("{name} {inner}"),
                }
            }
        }
    }

    fn declare_pointer(&self, to: TypeId, qualifiers: &[&str], inner: &str) -> String {
        let qualifiers = qualifiers.join(" ");
        let blank = if qualifiers.is_empty() || inner.is_empty() { "" } else { " " };
        let pointer = format!("*{qualifiers}{blank}{inner}");
        match self.get(to) {
            Type::Array(..) | Type::Function(_) => self.declare(to, &format!("({pointer})")),
            _ => self.declare(to, &pointer),
        }
    }

    /// What comes before a declarator.
    fn base_name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Integer(integer) => integer.name().into(),
            Type::Floating(floating) => floating.name().into(),
            Type::Opaque(name, ..) => (*name).into(),
            Type::Record(record) => {
                let record = &self.records[*record];
                let tag = if record.tag.is_empty() { "unnamed" } else { &record.tag };
                match record.kind {
                    RecordKind::Struct => format!("struct {tag}"),
                    RecordKind::Union => format!("union {tag}"),
                }
            }
            Type::Enum(id) => match self.enums[*id].tag.as_str() {
                "" => "enum unnamed".into(),
                tag => format!("enum {tag}"),
            },
            Type::Mutex => "pthread_mutex_t".into(),
            Type::Thread => "pthread_t".into(),
            Type::VaList => "va_list".into(),
            Type::Named(name, _) => name.clone(),
            Type::Pointer(_) | Type::Array(..) | Type::Function(_) | Type::Qualified(..) => {
                panic!("declarators are written around their base")
            }
        }
    }

    fn show_params(&self, f: &FunctionType) -> String {
        let Some(params) = &f.params else { return String::new() };
        let mut shown: Vec<String> = params.iter().map(|ty| self.show(*ty)).collect();
        if f.variadic {
            shown.push("...".into());
        }
        if shown.is_empty() { "void".into() } else { shown.join(", ") }
    }
}

impl Integer {
    pub fn name(self) -> &'static str {
        match (self.rank, self.signed) {
            (Rank::Char, true) if self.plain => "char",
            (Rank::Char, true) => "signed char",
            (Rank::Char, false) => "unsigned char",
            (Rank::Short, true) => "short",
            (Rank::Short, false) => "unsigned short",
            (Rank::Int, true) => "int",
            (Rank::Int, false) => "unsigned",
            (Rank::Long, true) => "long",
            (Rank::Long, false) => "unsigned long",
            (Rank::LongLong, true) => "long long",
            (Rank::LongLong, false) => "unsigned long long",
            (Rank::Int128, true) => "__int128",
            (Rank::Int128, false) => "unsigned __int128",
        }
    }
}

impl Floating {
    pub fn name(self) -> &'static str {
        match self {
            Floating::Half => "_Float16",
            Floating::Float => "float",
            Floating::Double => "double",
            Floating::LongDouble => "long double",
            Floating::Float128 => "_Float128",
        }
    }
}

impl Qualifiers {
    /// The qualifiers as they are written.
    pub fn words(self) -> Vec<&'static str> {
        let all = [(self.is_const, "const"), (self.is_volatile, "volatile"), (self.is_atomic, "_Atomic")];
        all.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect()
    }
}

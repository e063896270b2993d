//! Types as C writes them, for messages and for the text of a program.

use super::table::Types;
use super::types::*;

impl Types {
    /// The type, with its typedef name if it has one.
    pub fn show(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Integer(integer) => integer.name().into(),
            Type::Floating(floating) => floating.name().into(),
            Type::Opaque(name, ..) => (*name).into(),
            Type::Pointer(to) => self.show_pointer(*to),
            Type::Array(..) => self.show_array(id),
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
            Type::Function(f) => format!("{} ({})", self.show(f.result), self.show_params(f)),
            Type::Mutex => "pthread_mutex_t".into(),
            Type::Thread => "pthread_t".into(),
            Type::VaList => "va_list".into(),
            Type::Qualified(qualifiers, of) => match self.get(*of) {
                Type::Pointer(_) => format!("{}{}", self.show(*of), qualifiers.words().join(" ")),
                _ => format!("{} {}", qualifiers.words().join(" "), self.show(*of)),
            },
            Type::Named(name, _) => name.clone(),
        }
    }

    fn show_pointer(&self, to: TypeId) -> String {
        match self.get(to) {
            Type::Function(f) => format!("{} (*)({})", self.show(f.result), self.show_params(f)),
            Type::Array(..) => {
                let all = self.show(to);
                let at = all.find('[').unwrap_or(all.len());
                format!("{} (*){}", &all[..at], &all[at..])
            }
            _ => format!("{} *", self.show(to)).replace("* *", "**"),
        }
    }

    /// An array: the outermost length stands first.
    fn show_array(&self, id: TypeId) -> String {
        let mut lengths = String::new();
        let mut of = id;
        while let Type::Array(element, length) = self.get(of) {
            lengths += &match length {
                Length::Known(n) => format!("[{n}]"),
                Length::Unknown => "[]".into(),
                Length::Variable(local) => format!("[%{}]", local.index()),
            };
            of = *element;
        }
        self.show(of) + &lengths
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

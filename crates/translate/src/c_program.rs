//! A translated program as C text: declarations, what they need before them, and the functions that are used.

use crate::heap::Objects;
use crate::support::Helper;
use crate::{Dialect, Language, Translator, Unsupported, comments, lines_of};
use fencepost_ir::Scalar;
use fencepost_ir::tree::{
    Base, ExprKind, Field, ProcedureId, Program, RecordId, Records, SharedId, Spelled, StmtKind, Type,
    TypeName, TypeNameId, Variable,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

impl Translator<'_> {
    /// The whole text.
    pub fn c_text(&self) -> Result<String, Unsupported> {
        let procedures = self.procedures()?;
        let words = self.c_words(None);
        let declared = |(i, v): (usize, &Variable)| match self.heap.objects.get(&SharedId(i)) {
            Some(objects) => self.objects(v, objects),
            None => format!("static {};", words.declaration(v)),
        };
        let mut shared: Vec<_> =
            self.program.shared.iter().enumerate().map(|(i, v)| (v, declared((i, v)))).collect();
        // As the user has them; the tree has them as they are first used.
        shared.sort_by_key(|(v, _)| (v.span.file, v.span.line, v.span.column));
        let local = self.language.thread_local();
        let own: Vec<_> = self
            .program
            .thread_locals
            .iter()
            .map(|v| (v, format!("{local} {};", words.declaration(v))))
            .collect();
        // Compilers warn about what nobody uses.
        let name = |i: usize| &self.program.procedures[i].name[..];
        let initializer = |text: &'_ str| text.split_once(" = ").map(|(_, init)| init.to_string());
        let initializers: BTreeMap<&str, String> =
            shared.iter().filter_map(|(v, text)| Some((&v.name[..], initializer(text)?))).collect();
        let mut used: BTreeSet<&str> = self.program.threads.iter().map(|t| name(t.procedure.0)).collect();
        let mut left: Vec<usize> = (0..procedures.len()).collect();
        let mut spoken: BTreeSet<&str> = BTreeSet::new();
        loop {
            let function = left.iter().position(|i| used.contains(name(*i)));
            let variable = initializers.iter().find(|(v, _)| used.contains(*v) && !spoken.contains(*v));
            match (function, variable) {
                (Some(next), _) => used.extend(words_of_code(&procedures[left.remove(next)].0)),
                (None, Some((v, init))) => {
                    spoken.insert(v);
                    used.extend(words_of(init));
                }
                (None, None) => break,
            }
        }
        let mut kept: Vec<usize> = (0..procedures.len()).filter(|i| !left.contains(i)).collect();
        kept.sort_by_key(|i| {
            let span = self.program.procedures[*i].span;
            (span.file, span.line, span.column)
        });
        self.used.replace(kept.iter().copied().flat_map(|i| procedures[i].1.iter().copied()).collect());
        let support = self.support();
        used.extend(words_of(&support));
        while let Some((v, init)) =
            initializers.iter().find(|(v, _)| used.contains(*v) && !spoken.contains(*v))
        {
            spoken.insert(v);
            used.extend(words_of(init));
        }

        let mut rest = String::new();
        for i in kept.iter().copied().filter(|i| !self.is_main(ProcedureId(*i))) {
            let _ = writeln!(rest, "{};", self.head(ProcedureId(i), &self.program.procedures[i]));
        }
        rest.push('\n');
        // What an initialiser speaks of stands before it.
        let named: BTreeSet<&str> = spoken.iter().flat_map(|v| words_of(&initializers[v])).collect();
        for (_, text) in shared.iter().filter(|(v, _)| named.contains(&v.name[..])) {
            let head = text.split_once(" = ").map_or(text.trim_end_matches(';'), |(head, _)| head);
            let _ = writeln!(rest, "{head};");
        }
        for (v, text) in shared.iter().chain(&own).filter(|(v, _)| used.contains(&v.name[..])) {
            let _ = writeln!(rest, "{}{text}", lines_of(&self.comments.of_declaration(v.span)));
        }
        rest += &support;
        kept.iter().for_each(|i| rest += &procedures[*i].0);
        let records = self.records()?;
        let (headers, types) = self.types(&[&records, &rest]);

        let mut out = self.introduction();
        let assert =
            if self.language == Language::C(Dialect::Verifier) { "#include <assert.h>\n" } else { "" };
        let memory = if self.uses(Helper::Memory) { "#include <stdlib.h>\n" } else { "" };
        let _ = write!(out, "{assert}#include <pthread.h>\n{headers}{memory}\n{}", self.externs());
        out += &self.constants.definitions();
        Ok(out + &types + &records + &rest)
    }

    /// Pointers to allocated objects.
    fn objects(&self, v: &Variable, objects: &Objects) -> String {
        let comment = format!("/* What {}. */", objects.place);
        let element = self.c_words(None).type_name(&objects.element);
        let space = if element.ends_with('*') { "" } else { " " };
        let name = &v.name;
        match objects.total {
            1 => format!("{comment}\nstatic {element}{space}*{name};"),
            n => format!("{comment}\nstatic {element}{space}*{name}[{n}];\nstatic int {name}_used;"),
        }
    }

    /// The headers that the texts need, and the names of types and constants.
    fn types(&self, texts: &[&str]) -> (String, String) {
        let mut used: BTreeSet<&str> = texts.iter().flat_map(|text| words_of_code(text)).collect();
        let words = self.c_words(None);
        let names = &self.program.spelling.names;
        // A name needs those that it is made of, which stand before it.
        let mut kept = BTreeSet::new();
        for (i, name) in names.iter().enumerate().rev() {
            let needed = match name {
                TypeName::Typedef { name, .. } => used.contains(&name[..]),
                TypeName::Enumeration { tag, constants, .. } => {
                    kept.contains(&TypeNameId(i))
                        || tag
                            .iter()
                            .chain(constants.iter().map(|(name, _)| name))
                            .any(|n| used.contains(&n[..]))
                }
            };
            if !needed {
                continue;
            }
            kept.insert(TypeNameId(i));
            let TypeName::Typedef { means, .. } = name else { continue };
            let mut means = means;
            while let Spelled::Pointer(inner) = means {
                means = inner;
            }
            if let Spelled::Named(id) = means {
                kept.insert(*id);
                if let TypeName::Typedef { name, .. } = &names[id.0] {
                    used.insert(name);
                }
            }
        }
        let mut headers = BTreeSet::new();
        let mut out = String::new();
        for id in kept {
            match &names[id.0] {
                TypeName::Typedef { header: Some(header), .. } => {
                    headers.insert(format!("#include <{header}>\n"));
                }
                TypeName::Typedef { name, means, .. } => {
                    if let Some(means) = words.spelled(means) {
                        let space = if means.ends_with('*') { "" } else { " " };
                        let _ = writeln!(out, "typedef {means}{space}{name};");
                        let next = names.get(id.0 + 1);
                        if !matches!(next, Some(TypeName::Typedef { .. })) {
                            out.push('\n');
                        }
                    }
                }
                TypeName::Enumeration { tag, constants, span } if !constants.is_empty() => {
                    out += &lines_of(&self.comments.of_declaration(*span));
                    out += &enumeration(tag.as_deref(), constants);
                }
                TypeName::Enumeration { .. } => {}
            }
        }
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        (headers.into_iter().collect(), out)
    }

    /// The structs that variables and pointers need, members before what has them.
    fn records(&self) -> Result<String, Unsupported> {
        fn need(program: &Program, ty: &Type, order: &mut Vec<u32>) {
            if let Type::Record(id) = ty.innermost()
                && !order.contains(&id.0)
            {
                program.records.get(*id).fields.iter().for_each(|f| need(program, &f.ty, order));
                order.push(id.0);
            }
        }
        let program = &self.program;
        let mut order = Vec::new();
        let variables = program.shared.iter().chain(&program.thread_locals);
        let locals = program.procedures.iter().flat_map(|p| &p.locals);
        for v in variables.clone().chain(locals) {
            let odd = |ty: Scalar| matches!(ty, Scalar::Int(int) if ![8, 16, 32, 64].contains(&int.bits));
            if program.records.layout(&v.ty).iter().any(|cell| odd(cell.ty)) {
                return Err(Unsupported::new(v.span, "bit-fields that are no whole integer"));
            }
        }
        variables.for_each(|v| need(program, &v.ty, &mut order));
        for procedure in &program.procedures {
            procedure.locals.iter().for_each(|v| need(program, &v.ty, &mut order));
            procedure.body.visit(&mut |stmt| {
                for e in stmt.kind.expressions() {
                    e.visit(&mut |e| {
                        if let ExprKind::Read(p) | ExprKind::AddressOf(p) | ExprKind::Rmw(_, p, _) = &e.kind
                            && let Base::Pointed(_, ty) = &p.base
                        {
                            need(program, ty, &mut order);
                        }
                    });
                }
                if let StmtKind::Assign(p, _) | StmtKind::Lock(p) | StmtKind::Unlock(p) = &stmt.kind
                    && let Base::Pointed(_, ty) = &p.base
                {
                    need(program, ty, &mut order);
                }
            });
        }
        let words = self.c_words(None);
        let mut out = String::new();
        for id in order {
            let record = &program.records.0[id as usize];
            let keyword = words.type_name(&Type::Record(RecordId(id)));
            let _ = writeln!(out, "{keyword} {{");
            for field in &record.fields {
                let _ = writeln!(out, "    {};", words.member(RecordId(id), &field.ty, &field.name));
            }
            let packed = natural_alignment(&program.records, &Type::Record(RecordId(id))) == 1;
            let packed =
                packed && record.fields.iter().any(|f| natural_alignment(&program.records, &f.ty) > 1);
            out.push_str(if packed { "} __attribute__((packed));\n\n" } else { "};\n\n" });
        }
        Ok(out)
    }
}

/// The alignment that a type has by itself: a record with members where they would not be without being told is packed.
fn natural_alignment(records: &Records, ty: &Type) -> u64 {
    match ty.innermost() {
        Type::Record(id) => {
            let record = records.get(*id);
            let of = |f: &Field| natural_alignment(records, &f.ty);
            let largest = record.fields.iter().map(of).max().unwrap_or(1);
            let fits = record.fields.iter().all(|f| f.offset.is_multiple_of(of(f)))
                && record.size.is_multiple_of(largest);
            if fits { largest } else { 1 }
        }
        ty => records.size(ty).max(1),
    }
}

/// The names and numbers in a text, but for its comments.
fn words_of_code(text: &str) -> Vec<&str> {
    comments::code(text).into_iter().flat_map(words_of).collect()
}

/// The names and numbers in a text.
pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// An enumeration; values are written where they are not what they would be anyway.
fn enumeration(tag: Option<&str>, constants: &[(String, i64)]) -> String {
    let mut next = 0;
    let mut parts = Vec::new();
    for (name, value) in constants {
        parts.push(if *value == next { name.clone() } else { format!("{name} = {value}") });
        next = value.wrapping_add(1);
    }
    let tag = tag.map_or(String::new(), |tag| format!("{tag} "));
    let line = format!("enum {tag}{{ {} }};\n\n", parts.join(", "));
    if line.len() <= 100 {
        return line;
    }
    let parts: String = parts.iter().map(|part| format!("    {part},\n")).collect();
    format!("enum {tag}{{\n{parts}}};\n\n")
}

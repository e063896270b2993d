//! Names: a beginning for the translation's own, and names that C can have.
//!
//! The front end flattens scopes, makes temporaries with names that nobody can write, and may have several static
//! variables of one name. In C text each variable needs a name of its own that hides no other.

use fencepost_ir::tree::{Program, RecordId, Spelled, StmtKind, TypeName, TypeNameId};
use std::collections::BTreeSet;

/// A beginning that no name of the program has.
pub fn free_prefix(program: &Program) -> String {
    let mut names: Vec<&str> = Vec::new();
    names.extend(program.shared.iter().chain(&program.thread_locals).map(|v| &v.name[..]));
    names.extend(program.threads.iter().map(|t| &t.name[..]));
    names.extend(program.records.0.iter().map(|r| &r.name[..]));
    for name in &program.spelling.names {
        match name {
            TypeName::Typedef { name, .. } => names.push(name),
            TypeName::Enumeration { tag, constants, .. } => {
                names.extend(tag.iter().chain(constants.iter().map(|(name, _)| name)).map(|n| &n[..]));
            }
        }
    }
    for procedure in &program.procedures {
        names.push(&procedure.name);
        names.extend(procedure.locals.iter().map(|v| &v.name[..]));
        procedure.body.visit(&mut |stmt| {
            if let StmtKind::Label(name) = &stmt.kind {
                names.push(name);
            }
        });
    }
    let mut prefix = "tso_".to_string();
    while names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.insert(0, 'x');
    }
    prefix
}

/// Words that C text of ours uses for something else.
const TAKEN: [&str; 10] = [
    "main",
    "assert",
    "exit",
    "pthread_create",
    "pthread_join",
    "pthread_self",
    "pthread_exit",
    "abort",
    "NULL",
    "nondet_int",
];

/// Structures that `pthread.h` of systems declares.
const TAGS: [&str; 8] =
    ["timespec", "itimerspec", "timeval", "tm", "sched_param", "sigevent", "timex", "pthread_mutex"];

/// Gives out names, each once.
struct Names {
    taken: BTreeSet<String>,
    prefix: String,
}

impl Names {
    fn give(&mut self, wanted: &str) -> String {
        let plain: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        // What begins with two underscores is not the user's.
        let own =
            plain.starts_with("__") || plain.starts_with(|c: char| c.is_ascii_digit()) || plain.is_empty();
        let plain = match wanted.starts_with('%') || own {
            true => format!("{}{}", self.prefix, plain.trim_start_matches('_')),
            false => plain,
        };
        let mut name = plain.clone();
        let mut n = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{plain}_{n}");
            n += 1;
        }
        name
    }
}

/// Types and constants keep their names. All of them stand outside of functions, so of two with the same name one is
/// written out.
fn name_types(program: &mut Program, names: &mut Names, tags: &mut Names) {
    let mut lost = BTreeSet::new();
    let mut tagged = Vec::new();
    for (i, name) in program.spelling.names.iter_mut().enumerate() {
        match name {
            TypeName::Typedef { name, means, .. } => {
                if mentions(means, &lost) || !names.taken.insert(name.clone()) {
                    lost.insert(TypeNameId(i));
                } else if let Spelled::Named(_) | Spelled::Record(_) = means {
                    tagged.push((means.clone(), name.clone()));
                }
            }
            TypeName::Enumeration { tag, constants, .. } => {
                if constants.iter().any(|(name, _)| names.taken.contains(name)) {
                    lost.insert(TypeNameId(i));
                    constants.clear();
                } else {
                    names.taken.extend(constants.iter().map(|(name, _)| name.clone()));
                    *tag = tag.as_ref().map(|tag| tags.give(tag));
                }
            }
        }
    }
    // What has no tag gets the name that it has otherwise.
    for (means, name) in tagged {
        match means {
            Spelled::Named(id) => {
                if let TypeName::Enumeration { tag: tag @ None, .. } = &mut program.spelling.names[id.0] {
                    *tag = Some(tags.give(&name));
                }
            }
            Spelled::Record(RecordId(id)) => {
                let record = &mut program.records.0[id as usize];
                if record.name == "unnamed" {
                    record.name = name;
                }
            }
            Spelled::Words(..) | Spelled::Pointer(_) | Spelled::Array(..) => {}
        }
    }
    let spelling = &mut program.spelling;
    spelling.declared.retain(|_, spelled| !mentions(spelled, &lost));
    spelling.members.retain(|_, spelled| !mentions(spelled, &lost));
}

/// Whether a type is written with one of these names.
fn mentions(spelled: &Spelled, names: &BTreeSet<TypeNameId>) -> bool {
    match spelled {
        Spelled::Named(id) => names.contains(id),
        Spelled::Pointer(inner) | Spelled::Array(inner, _) => mentions(inner, names),
        Spelled::Words(..) | Spelled::Record(_) => false,
    }
}

/// Gives everything in the program a name that C can have.
pub fn for_c(program: &mut Program, prefix: &str) {
    let taken = TAKEN.iter().map(|t| t.to_string()).collect();
    let mut names = Names { taken, prefix: prefix.to_string() };
    let taken = TAGS.iter().map(|t| t.to_string()).collect();
    let mut tags = Names { taken, prefix: prefix.to_string() };
    name_types(program, &mut names, &mut tags);
    let started: Vec<usize> = program.threads.iter().map(|t| t.procedure.0).collect();
    for (i, procedure) in program.procedures.iter_mut().enumerate() {
        if procedure.name != "main" || !started.contains(&i) {
            procedure.name = names.give(&procedure.name);
        }
    }
    for v in program.shared.iter_mut().chain(&mut program.thread_locals) {
        v.name = names.give(&v.name);
    }
    for record in &mut program.records.0 {
        let wanted = if record.name == "unnamed" { format!("{prefix}unnamed") } else { record.name.clone() };
        record.name = tags.give(&wanted);
        let mut fields = Names { taken: BTreeSet::new(), prefix: prefix.to_string() };
        record.fields.iter_mut().for_each(|f| f.name = fields.give(&f.name));
    }
    for procedure in &mut program.procedures {
        let mut own = Names { taken: names.taken.clone(), prefix: prefix.to_string() };
        procedure.locals.iter_mut().for_each(|v| v.name = own.give(&v.name));
        let label = |name: &mut String| {
            if let Some(rest) = name.strip_prefix("__") {
                *name = format!("{prefix}{rest}");
            }
        };
        procedure.body.visit_mut(&mut |stmt| {
            if let StmtKind::Label(name) | StmtKind::Goto(name) = &mut stmt.kind {
                label(name);
            }
        });
    }
}

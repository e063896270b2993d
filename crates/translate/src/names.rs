//! Names: a beginning for the translation's own, and names that C can have.
//!
//! The front end flattens scopes, makes temporaries with names that nobody can write, and may have several static
//! variables of one name. In C text each variable needs a name of its own that hides no other.

use fencepost_ir::tree::{Program, StmtKind};
use std::collections::BTreeSet;

/// A beginning that no name of the program has.
pub fn free_prefix(program: &Program) -> String {
    let mut names: Vec<&str> = Vec::new();
    names.extend(program.shared.iter().chain(&program.thread_locals).map(|v| &v.name[..]));
    names.extend(program.threads.iter().map(|t| &t.name[..]));
    names.extend(program.records.0.iter().map(|r| &r.name[..]));
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

/// Gives everything in the program a name that C can have.
pub fn for_c(program: &mut Program, prefix: &str) {
    let taken = TAKEN.iter().map(|t| t.to_string()).collect();
    let mut names = Names { taken, prefix: prefix.to_string() };
    let started: Vec<usize> = program.threads.iter().map(|t| t.procedure.0).collect();
    for (i, procedure) in program.procedures.iter_mut().enumerate() {
        if procedure.name != "main" || !started.contains(&i) {
            procedure.name = names.give(&procedure.name);
        }
    }
    for v in program.shared.iter_mut().chain(&mut program.thread_locals) {
        v.name = names.give(&v.name);
    }
    let taken = TAGS.iter().map(|t| t.to_string()).collect();
    let mut tags = Names { taken, prefix: prefix.to_string() };
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

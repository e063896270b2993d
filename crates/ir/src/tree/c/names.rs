//! Names that C can have, and a beginning for names that passes add.
//!
//! Front ends make temporaries with names that cannot be written in a program, and may have several variables of one name. What is
//! outside of functions gets a name of its own. A local variable keeps its name beside another one of that name if neither is
//! used where the other one is declared.

use super::scopes;
use crate::tree::{Block, LocalId, Procedure, Program, RecordId, Spelled, StmtKind, TypeName, TypeNameId};
use std::collections::{BTreeMap, BTreeSet};

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
    /// A name as C can have it.
    fn plain(&self, wanted: &str) -> String {
        let plain: String =
            wanted.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        // What begins with two underscores is not the user's.
        let own =
            plain.starts_with("__") || plain.starts_with(|c: char| c.is_ascii_digit()) || plain.is_empty();
        match wanted.starts_with('%') || own {
            true => format!("{}{}", self.prefix, plain.trim_start_matches('_')),
            false => plain,
        }
    }

    fn give(&mut self, wanted: &str) -> String {
        let plain = self.plain(wanted);
        let mut name = plain.clone();
        let mut n = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{plain}_{n}");
            n += 1;
        }
        name
    }
}

/// Types and constants keep their names. All of them are outside of functions, so of two with the same name one is
/// written out.
fn name_types(program: &mut Program, names: &mut Names, tags: &mut Names) {
    let mut lost = BTreeSet::new();
    let mut tagged = Vec::new();
    for (i, name) in program.spelling.names.iter_mut().enumerate() {
        match name {
            TypeName::Typedef { name, means, .. } => {
                if speaks_of(means, &lost) || !names.taken.insert(name.clone()) {
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
    program.spelling.members.retain(|_, spelled| !speaks_of(spelled, &lost));
    let locals = program.procedures.iter_mut().flat_map(|p| p.locals.iter_mut().map(|v| &mut v.spelled));
    let others = program.shared.iter_mut().chain(&mut program.thread_locals).map(|v| &mut v.spelled);
    for spelled in locals.chain(others) {
        spelled.take_if(|spelled| speaks_of(spelled, &lost));
    }
    program.procedures.iter_mut().for_each(|p| {
        p.spelled.take_if(|spelled| speaks_of(spelled, &lost));
    });
}

/// Whether a type is written with one of these names.
fn speaks_of(spelled: &Spelled, names: &BTreeSet<TypeNameId>) -> bool {
    match spelled {
        Spelled::Named(id) => names.contains(id),
        Spelled::Pointer(inner) | Spelled::Array(inner, _) => speaks_of(inner, names),
        Spelled::Words(..) | Spelled::Record(_) => false,
    }
}

/// Gives everything in the program a name that C can have.
pub fn for_c(program: &mut Program, prefix: &str) {
    let names = |taken: &[&str]| Names {
        taken: taken.iter().map(|t| t.to_string()).collect(),
        prefix: prefix.to_string(),
    };
    let (mut all, mut tags) = (names(&TAKEN), names(&TAGS));
    all.taken.extend(program.spelling.macros.keys().cloned());
    name_types(program, &mut all, &mut tags);
    let started: Vec<usize> = program.threads.iter().map(|t| t.procedure.0).collect();
    for (i, procedure) in program.procedures.iter_mut().enumerate() {
        if started.contains(&i) {
            procedure.name = "main".to_string();
        } else {
            procedure.name = all.give(&procedure.name);
        }
    }
    for v in program.shared.iter_mut().chain(&mut program.thread_locals) {
        v.name = all.give(&v.name);
    }
    for record in &mut program.records.0 {
        let wanted = if record.name == "unnamed" { format!("{prefix}unnamed") } else { record.name.clone() };
        record.name = tags.give(&wanted);
        let mut fields = names(&[]);
        record.fields.iter_mut().for_each(|f| f.name = fields.give(&f.name));
    }
    for procedure in &mut program.procedures {
        name_locals(procedure, &all);
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

/// Local variables keep their names where they can.
fn name_locals(procedure: &mut Procedure, all: &Names) {
    let mut own = Names { taken: all.taken.clone(), prefix: all.prefix.clone() };
    let mut groups: BTreeMap<String, Vec<LocalId>> = BTreeMap::new();
    for (i, v) in procedure.locals.iter().enumerate() {
        groups.entry(own.plain(&v.name)).or_default().push(LocalId(i));
    }
    let early = scopes::early(procedure);
    let mut given = vec![String::new(); procedure.locals.len()];
    for (wanted, members) in &groups {
        let uses = members.iter().map(|id| (*id, used_in_scope(procedure, *id, &early, members)));
        let uses: Vec<(LocalId, BTreeSet<LocalId>)> =
            if members.len() > 1 { uses.collect() } else { Vec::new() };
        let of = |id: LocalId| uses.iter().find(|(other, _)| *other == id).map(|(_, uses)| uses);
        let apart = |one: LocalId, other: LocalId| {
            of(one).is_some_and(|uses| !uses.contains(&other))
                && of(other).is_some_and(|uses| !uses.contains(&one))
        };
        let mut kept: Vec<LocalId> = Vec::new();
        for id in members {
            given[id.0] = match kept.first() {
                Some(_) if kept.iter().all(|other| apart(*id, *other)) => given[kept[0].0].clone(),
                _ => own.give(wanted),
            };
            if given[id.0] == given[members[0].0] {
                kept.push(*id);
            }
        }
    }
    procedure.locals.iter_mut().zip(given).for_each(|(v, name)| v.name = name);
}

/// Which of some variables are used in the block that declares one of them.
fn used_in_scope(
    procedure: &Procedure,
    id: LocalId,
    early: &BTreeSet<LocalId>,
    members: &[LocalId],
) -> BTreeSet<LocalId> {
    let inner =
        if early.contains(&id) || id.0 < procedure.params { None } else { scope(&procedure.body, id) };
    let mut used = BTreeSet::new();
    inner.unwrap_or(&procedure.body).visit(&mut |stmt| {
        used.extend(members.iter().copied().filter(|other| stmt.mentions(*other)));
    });
    used
}

/// The innermost block that declares a variable.
fn scope(block: &Block, id: LocalId) -> Option<&Block> {
    block.0.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Declare(declared, _) if *declared == id => Some(block),
        StmtKind::If(_, then, otherwise) => scope(then, id).or_else(|| scope(otherwise, id)),
        StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::Atomic(_, body)
        | StmtKind::Block(_, body) => scope(body, id),
        StmtKind::Choose(blocks) => blocks.iter().find_map(|b| scope(b, id)),
        _ => None,
    })
}

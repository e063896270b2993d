//! Flags of C compilers: what each means here, and those that a `compile_commands.json` has for a file.
//!
//! What the preprocessor needs is handed on: folders, macros, files to include first, the language's version, 32 bits. What
//! only concerns code generation, warnings or linking is left.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What flags say of preprocessing.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Flags {
    /// Flags for the preprocessor, in their order.
    pub handed_on: Vec<String>,
    /// Whether `int`, `long` and pointers have 32 bits.
    pub ilp32: bool,
}

/// Flags that are followed by a folder or file, in the same word or the next.
const WITH_PATH: [&str; 5] = ["-include", "-imacros", "-isystem", "-iquote", "-idirafter"];

/// Beginnings of flags that mean nothing here.
const LEFT: [&str; 14] = [
    "-O",
    "-W",
    "-f",
    "-g",
    "-m",
    "-pedantic",
    "-ansi",
    "-pipe",
    "-pthread",
    "-static",
    "-shared",
    "-rdynamic",
    "-l",
    "-L",
];

/// What a word on a command line is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flag {
    /// Flags for the preprocessor.
    HandedOn(Vec<String>),
    /// It belongs to the next word.
    TakesPath,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// It means nothing here.
    Left,
}

impl Flag {
    /// `None` if it is not a flag of a compiler, or one that has a meaning of our own.
    pub fn of(arg: &str) -> Option<Flag> {
        if arg == "-m32" {
            return Some(Flag::Ilp32);
        }
        if WITH_PATH.contains(&arg) {
            return Some(Flag::TakesPath);
        }
        if let Some(flag) = WITH_PATH.into_iter().find(|flag| arg.starts_with(flag)) {
            return Some(Flag::HandedOn(vec![flag.to_string(), arg[flag.len()..].to_string()]));
        }
        if let Some(version) = arg.strip_prefix("-std=") {
            let is_c = !version.contains("++");
            return Some(if is_c { Flag::HandedOn(vec![arg.to_string()]) } else { Flag::Left });
        }
        if arg.starts_with("-U") && arg.len() > 2 {
            return Some(Flag::HandedOn(vec![arg.to_string()]));
        }
        LEFT.iter().any(|start| arg.starts_with(start)).then_some(Flag::Left)
    }
}

/// Why a compilation database says nothing.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// It cannot be read.
    #[error("{}: {_1}", _0.display())]
    Io(PathBuf, std::io::Error),
    /// It is not JSON.
    #[error("{}: is not JSON: {_1}", _0.display())]
    NotJson(PathBuf, serde_json::Error),
    /// It is something else.
    #[error("{}: is not a list of commands: {_1}", _0.display())]
    NotAList(PathBuf, serde_json::Error),
}

/// An entry of a compilation database.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    directory: String,
    file: String,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// The flags that a compilation database has for a file: the one in the folder given, or the one beside the file.
pub fn from_database(file: &Path, folder: Option<&Path>) -> Result<Flags, DatabaseError> {
    let beside = file.parent().unwrap_or(Path::new(""));
    let path = folder.unwrap_or(beside).join("compile_commands.json");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(_) if folder.is_none() => return Ok(Flags::default()),
        Err(error) => return Err(DatabaseError::Io(path, error)),
    };
    let entries: Vec<Entry> = match serde_json::from_str(&text) {
        Ok(entries) => entries,
        Err(error) if error.is_data() => return Err(DatabaseError::NotAList(path, error)),
        Err(error) => return Err(DatabaseError::NotJson(path, error)),
    };
    let Ok(wanted) = file.canonicalize() else { return Ok(Flags::default()) };
    for entry in entries {
        let directory = path.parent().unwrap_or(Path::new("")).join(entry.directory);
        if directory.join(entry.file).canonicalize().is_ok_and(|found| found == wanted) {
            let words = entry.arguments.unwrap_or_else(|| split(&entry.command.unwrap_or_default()));
            return Ok(flags(&words, &directory));
        }
    }
    Ok(Flags::default())
}

/// What a command that was run in a folder says of preprocessing.
fn flags(words: &[String], directory: &Path) -> Flags {
    let mut found = Flags::default();
    let inside = |path: &str| directory.join(path).display().to_string();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let joined = |flag: &str| word.strip_prefix(flag).filter(|rest| !rest.is_empty()).map(str::to_string);
        if let Some(folder) = joined("-I").or_else(|| (word == "-I").then(|| words.next().cloned())?) {
            found.handed_on.push(format!("-I{}", inside(&folder)));
        } else if let Some(define) = joined("-D").or_else(|| (word == "-D").then(|| words.next().cloned())?) {
            found.handed_on.push(format!("-D{define}"));
        } else {
            match Flag::of(word) {
                Some(Flag::Ilp32) => found.ilp32 = true,
                Some(Flag::HandedOn(flags)) => match &flags[..] {
                    [flag, path] => found.handed_on.extend([flag.clone(), inside(path)]),
                    _ => found.handed_on.extend(flags),
                },
                Some(Flag::TakesPath) => {
                    let path = words.next().map(|path| inside(path));
                    found.handed_on.extend([word.clone()].into_iter().chain(path));
                }
                Some(Flag::Left) | None => {}
            }
        }
    }
    found
}

/// The words of a command, as a shell splits them.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The databases that are looked into for files: inputs of the run, if they are there.
pub fn databases(files: &[PathBuf], commands: Option<&Path>) -> Vec<PathBuf> {
    let folder = |file: &PathBuf| commands.or(file.parent()).map(Path::to_path_buf);
    let mut all: Vec<PathBuf> =
        files.iter().filter_map(folder).map(|folder| folder.join("compile_commands.json")).collect();
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn commands_are_split_as_shells_do() {
        assert_eq!(split(r#"cc -D'A B' "-DC=\"d\"" x\ y.c"#), ["cc", "-DA B", r#"-DC="d""#, "x y.c"]);
    }

    #[test]
    fn folders_are_those_of_the_command() {
        let command = "cc -Iinc -I /usr/inc -DX -std=gnu99 -include pre.h -O2 -m32 -c x.c -o x.o";
        let found = flags(&words(command), Path::new("/src"));
        let handed_on = "-I/src/inc -I/usr/inc -DX -std=gnu99 -include /src/pre.h";
        assert_eq!(found, Flags { handed_on: words(handed_on), ilp32: true });
    }
}

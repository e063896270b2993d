//! Texts and files to programs: which front end reads them, and why it cannot.

use crate::compiler::{self, DatabaseError};
use crate::options::{COptions, Format, ReadOptions};
use fencepost_c as c;
use fencepost_ir::{Sources, tree};
use fencepost_litmus as litmus;
use fencepost_models::{fp, memorax, trencher};
use fencepost_text::{Diagnostic, bounded};
use std::path::{Path, PathBuf};

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file could not be read, or its format is unknown.
    #[error("{0}")]
    File(String),
    /// The text is wrong.
    #[error("{}", _1.iter().map(|d| place(_0, d)).collect::<Vec<_>>().join("\n"))]
    Text(Sources, Vec<Diagnostic>),
}

impl From<DatabaseError> for InputError {
    fn from(error: DatabaseError) -> InputError {
        InputError::File(error.to_string())
    }
}

/// A message with its place.
fn place(sources: &Sources, diagnostic: &Diagnostic) -> String {
    format!("{}: {}", sources.place(diagnostic.span), diagnostic.message)
}

/// Reads a program.
pub fn read(path: &Path, options: &ReadOptions) -> Result<tree::Program, InputError> {
    Ok(read_with_format(path, options)?.0)
}

/// Reads a program, and says how.
pub fn read_with_format(path: &Path, options: &ReadOptions) -> Result<(tree::Program, Format), InputError> {
    let (name, text, format) = open(path, options)?;
    Ok((parse(format, &name, &text, options)?, format))
}

/// The name and the text of a file, and how it is read.
fn open(path: &Path, options: &ReadOptions) -> Result<(String, String, Format), InputError> {
    let name = path.display().to_string();
    let text = read_text(path).map_err(|e| InputError::File(format!("{name}: {e}")))?;
    let format = format(path, options, &text)?;
    Ok((name, text, format))
}

/// Reads a C file whose places are those of its own text, even if it is preprocessed and says where it comes from.
pub fn read_unmarked(path: &Path, options: &ReadOptions) -> Result<(tree::Program, Format), InputError> {
    let (name, text, format) = open(path, options)?;
    let is_marker = |line: &str| {
        let rest =
            line.strip_prefix('#').map(|rest| rest.trim_start().trim_start_matches("line").trim_start());
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let lines = text.split_inclusive('\n');
    let text: String = lines.map(|line| if is_marker(line) { "\n" } else { line }).collect();
    Ok((parse(format, &name, &text, options)?, format))
}

/// Reads a text.
pub fn parse(
    format: Format,
    name: &str,
    text: &str,
    options: &ReadOptions,
) -> Result<tree::Program, InputError> {
    let read = match format {
        Format::Litmus => litmus::read(name, text),
        Format::Fp => fp::read(name, text),
        Format::Memorax => memorax::read(name, text).map(|tree| templates(tree, options)),
        Format::Trencher => trencher::read(name, text).map(|tree| templates(tree, options)),
        Format::C => c::read(&[(name, text)], &c_options(&[Path::new(name)], options)?),
    };
    read.map_err(|(sources, diagnostics)| InputError::Text(sources, diagnostics))
}

/// Any number of each process, if the user wants that.
fn templates(mut program: tree::Program, options: &ReadOptions) -> tree::Program {
    if options.any_threads {
        program.threads.iter_mut().for_each(|thread| thread.count = tree::Count::Any);
    }
    program
}

/// Reads C files that are one program.
pub fn read_linked(paths: &[PathBuf], options: &ReadOptions) -> Result<tree::Program, InputError> {
    let mut texts = Vec::new();
    for path in paths {
        let (name, text, format) = open(path, options)?;
        if format != Format::C {
            return Err(InputError::File(format!("{name}: only C files can be linked")));
        }
        texts.push((name, text));
    }
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    let paths: Vec<&Path> = files.iter().map(|(name, _)| Path::new(*name)).collect();
    let read = c::read(&files, &c_options(&paths, options)?);
    read.map_err(|(sources, diagnostics)| InputError::Text(sources, diagnostics))
}

/// How C files that are one program are read.
pub fn c_options(paths: &[&Path], options: &ReadOptions) -> Result<c::Options, InputError> {
    let COptions {
        include_dirs,
        defines,
        commands,
        flags,
        preprocessor,
        mut data_model,
        args,
        fence: _,
        havoc_externs,
    } = options.c.clone();
    let mut project_flags = Vec::new();
    for path in paths {
        let database = compiler::from_database(path, commands.as_deref())?;
        project_flags.extend(database.handed_on);
        if database.ilp32 {
            data_model = c::DataModel::Ilp32;
        }
    }
    Ok(c::Options {
        include_dirs,
        defines,
        flags,
        project_flags,
        command: preprocessor,
        data_model,
        args,
        overflow: options.asked.overflow,
        exit_status: options.asked.exit,
        reach: options.asked.reach.clone(),
        havoc_externs,
        deadlock: options.asked.checks.deadlock,
    })
}

/// How a file is read.
pub fn format(path: &Path, options: &ReadOptions, text: &str) -> Result<Format, InputError> {
    if let Some(format) = options.format {
        return Ok(format);
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("litmus") => Ok(Format::Litmus),
        Some("fp") => Ok(Format::Fp),
        Some("c" | "i") => Ok(Format::C),
        Some("rmm") => Ok(Format::Memorax),
        Some("txt") if is_trencher(text) => Ok(Format::Trencher),
        None if path.as_os_str() == "-" => Ok(Format::Fp),
        extension => Err(InputError::File(format!(
            "{}: {}; C (.c, .i), litmus tests (.litmus) and models (.fp, .rmm, Trencher's .txt) are read, and \
             --input-format says how to read other names",
            path.display(),
            unsupported(extension)
        ))),
    }
}

/// Why files of a type are not read.
fn unsupported(extension: Option<&str>) -> String {
    let Some(extension) = extension else { return "unsupported file: its name has no extension".to_string() };
    let why = match extension.to_ascii_lowercase().as_str() {
        "cpp" | "cc" | "cxx" | "c++" | "hpp" | "hh" | "hxx" => ": C++ is not read",
        "rs" => ": Rust is not read",
        "go" => ": Go is not read",
        "java" | "kt" => ": programs for the Java virtual machine are not read",
        "h" => ": a header is no program; give a C file that includes it",
        "o" | "a" | "so" => ": machine code is not read",
        "s" => ": assembly files are not read",
        _ => "",
    };
    format!("unsupported file type `.{extension}`{why}")
}

/// Whether the first word after comments begins a Trencher file.
pub fn is_trencher(text: &str) -> bool {
    let lines = text.lines().map(|l| l.split('#').next().unwrap_or(""));
    let first = lines.flat_map(str::split_whitespace).next();
    matches!(first, Some("thread" | "memory_size"))
}

/// The text of a file; `-` is standard input.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = match path.as_os_str() == "-" {
        true => bounded::read(std::io::stdin()),
        false => bounded::read_file(path),
    };
    let bytes = bytes.map_err(|e| e.to_string())?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|b| **b == b'\n').count() + 1;
        format!("line {line} is not text: it is not valid UTF-8")
    })
}

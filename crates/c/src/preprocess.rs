//! Runs the system's C preprocessor, with Fencepost's own headers instead of a C library's.
//!
//! The compiler's predefined macros stay, since programs ask for them; `__FENCEPOST__` is defined as
//! well. What the preprocessor complains of becomes diagnostics at the places that it names.

use super::lexer::Files;
use super::{headers, running};
use fencepost_ir::{FileId, Sources, Span};
use fencepost_text::{Diagnostic, bounded};
use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// How C files are read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Folders where headers are looked for, before Fencepost's own.
    pub include_dirs: Vec<PathBuf>,
    /// Macros: `NAME` or `NAME=value`.
    pub defines: Vec<String>,
    /// Further flags for the preprocessor.
    pub flags: Vec<String>,
    /// Flags that the project has for these files, which those above override.
    pub project_flags: Vec<String>,
    /// The C compiler to preprocess with, and its options, with blanks between them; `cc` if not given.
    pub command: Option<String>,
    /// The widths of types.
    pub data_model: DataModel,
    /// Words of the command line after the program's name.
    pub args: Vec<String>,
    /// Signed overflow is an error.
    pub overflow: bool,
    /// A status that is not 0 is an error where the program ends.
    pub exit_status: bool,
    /// Functions that must not be called. Those with a body, and labels, are for a later pass: these here have none.
    pub reach: Vec<String>,
    /// Functions without a body do nothing, and give any value.
    pub havoc_externs: bool,
    /// Threads that wait forever are looked for.
    pub deadlock: bool,
}

/// The widths of types: the letters are int, long and pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `long` and pointers are 64 bits wide.
    #[default]
    Lp64,
    /// `int`, `long` and pointers are 32 bits wide.
    Ilp32,
}

impl DataModel {
    /// Width of pointers, which is that of `long`.
    pub fn pointer_bits(self) -> u8 {
        match self {
            DataModel::Lp64 => 64,
            DataModel::Ilp32 => 32,
        }
    }
}

/// More bytes of a preprocessor's complaints are not looked at.
const MOST_COMPLAINTS: u64 = 1 << 20;

/// Preprocessed text.
pub struct Preprocessed {
    /// With line markers.
    pub text: String,
    /// What the markers call the file itself.
    pub main: String,
    /// The folder of the headers.
    pub headers: TempDir,
}

/// Where the text comes from, for the compiler.
enum Input {
    /// The file has that very text.
    File(PathBuf),
    /// The text goes to the standard input.
    Stdin,
}

/// The headers in a new folder: in memory where the system has a place for that, unless the user names another with
/// `TMPDIR`. On a disk the files, which live for a moment, take longer than all the rest of a small check.
fn written_headers() -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("fencepost-");
    let write = |folder: TempDir| headers::write(folder.path()).map(|()| folder);
    let memory = Path::new("/dev/shm");
    if std::env::var_os("TMPDIR").is_none()
        && let Ok(folder) = builder.tempdir_in(memory).and_then(write)
    {
        return Ok(folder);
    }
    builder.tempdir().and_then(write)
}

/// Preprocesses a file of a table.
pub fn preprocess(
    sources: &mut Sources,
    file: FileId,
    options: &Options,
) -> Result<Preprocessed, Vec<Diagnostic>> {
    let failed = |message: String| vec![Diagnostic::new(Span::NONE, message)];
    let headers = written_headers()
        .map_err(|e| failed(format!("the headers cannot be written to a temporary folder: {e}")))?;
    let name = sources.name(file).to_string();
    let text = sources.text(file);
    if let Some(diagnostic) = endless_include(file, &name, text, options) {
        return Err(vec![diagnostic]);
    }
    let input = match bounded::read_regular(Path::new(&name)) {
        Some(bytes) if bytes == text.as_bytes() => Input::File(file_argument(&name)),
        _ => Input::Stdin,
    };
    let (mut command, program) = command(options, headers.path());
    let main = match &input {
        Input::File(path) => {
            command.arg(path).stdin(Stdio::null());
            path.display().to_string()
        }
        Input::Stdin => {
            let folder = Path::new(&name).parent().filter(|f| !f.as_os_str().is_empty());
            if let Some(folder) = folder {
                command.arg("-iquote").arg(folder);
            }
            let file = stdin_with(text).map_err(|e| failed(format!("no temporary file: {e}")))?;
            command.arg("-").stdin(file);
            "<stdin>".to_string()
        }
    };
    let output = run(command).map_err(|e| {
        if e.kind() == ErrorKind::FileTooLarge {
            return failed(format!("what `{program}` makes of {name} is {e}"));
        }
        let message = format!("the C preprocessor `{program}` cannot be run: {e}");
        let help = "install a C compiler, name another one with --cpp, or preprocess the file to a `.i` file";
        vec![Diagnostic::new(Span::NONE, message).help(help)]
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let files = Files::new(sources, file, &main, headers.path());
        let mut diagnostics = complaints(&said, files);
        if diagnostics.is_empty() {
            let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it does not say why");
            diagnostics.push(Diagnostic::new(Span::NONE, format!("`{program}` failed: {first}")));
        }
        return Err(diagnostics);
    }
    let text = with_letters(String::from_utf8_lossy(&output.stdout).into_owned());
    Ok(Preprocessed { text, main, headers })
}

/// The text with letters where preprocessors write `\u00f6` for those that ASCII lacks in names. In strings and characters these
/// are escapes of the language, and stay.
fn with_letters(text: String) -> String {
    if !text.contains("\\u") && !text.contains("\\U") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut rest = &text[..];
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open || c == '\n' => quote = None,
            (Some(_), '\\') => length += rest[1..].chars().next().map_or(0, char::len_utf8),
            (None, '\\') => {
                if let Some((letter, digits)) = letter(&rest[1..]) {
                    out.push(letter);
                    rest = &rest[1 + digits..];
                    continue;
                }
            }
            _ => {}
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// The letter that `u00f6` or `U000000f6` at the beginning of a text stands for, and how long that is.
fn letter(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes().first()? {
        b'u' => text.get(1..5)?,
        b'U' => text.get(1..9)?,
        _ => return None,
    };
    let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    letter.is_alphanumeric().then_some((letter, 1 + digits.len()))
}

/// Runs a command for what it prints; one that prints too much is stopped.
fn run(mut command: Command) -> std::io::Result<Output> {
    let (mut child, _running) = running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let complaints = std::thread::spawn(move || {
        let (mut kept, Some(mut stderr)) = (Vec::new(), stderr) else { return Vec::new() };
        // The rest is read, too, or the command would wait for that.
        let read = stderr.by_ref().take(MOST_COMPLAINTS).read_to_end(&mut kept);
        let _ = read.and_then(|_| std::io::copy(&mut stderr, &mut std::io::sink()));
        kept
    });
    let stdout = stdout.map_or(Ok(Vec::new()), bounded::read);
    if stdout.is_err() {
        // It may have ended by itself.
        let _ = child.kill();
    }
    let status = child.wait()?;
    let stderr = complaints.join().unwrap_or_default();
    Ok(Output { status, stdout: stdout?, stderr })
}

/// A complaint about an `#include` of what is not a file and may have no end, which preprocessors try to read all of.
fn endless_include(file: FileId, name: &str, text: &str, options: &Options) -> Option<Diagnostic> {
    let folder = Path::new(name).parent().map(Path::to_path_buf);
    let folders: Vec<PathBuf> = folder.into_iter().chain(options.include_dirs.iter().cloned()).collect();
    let is_endless =
        |path: &Path| std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
    text.lines().enumerate().find_map(|(i, line)| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let path = rest.strip_prefix(['"', '<'])?.split(['"', '>']).next()?;
        folders.iter().any(|folder| is_endless(&folder.join(path))).then(|| {
            let span = Span { file, line: i as u32 + 1, column: 1, length: line.chars().count() as u32 };
            Diagnostic::new(span, format!("`{path}` is not a file"))
        })
    })
}

/// A path that is not an option.
fn file_argument(name: &str) -> PathBuf {
    if name.starts_with('-') { Path::new(".").join(name) } else { PathBuf::from(name) }
}

/// A standard input that holds a text. It is a file, so that neither side waits for the other.
fn stdin_with(text: &str) -> std::io::Result<std::fs::File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// The command without its input, and the program's name.
fn command(options: &Options, headers: &Path) -> (Command, String) {
    let mut words = options.command.as_deref().unwrap_or("cc").split_whitespace();
    let program = words.next().unwrap_or("cc").to_string();
    let mut command = Command::new(&program);
    // C23's keywords are not the ones that programs of today are written for.
    command.arg("-std=gnu11").args(words);
    command.args(["-E", "-nostdinc", "-D__FENCEPOST__=1", "-U_FORTIFY_SOURCE", "-w"]);
    if options.data_model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    let join = |flag: &str, value: &OsStr| {
        let mut argument = std::ffi::OsString::from(flag);
        argument.push(value);
        argument
    };
    // Of folders the first counts, of macros the last.
    command.args(options.include_dirs.iter().map(|folder| join("-I", folder.as_os_str())));
    command.args(&options.project_flags);
    command.args(options.defines.iter().map(|define| join("-D", define.as_ref())));
    command.args(&options.flags);
    command.arg("-isystem").arg(headers).args(["-x", "c"]);
    // Messages are parsed, and other headers are not wanted.
    command.env("LC_ALL", "C");
    for variable in ["CPATH", "C_INCLUDE_PATH", "GCC_COLORS", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    (command, program)
}

/// The errors among what the preprocessor said: `file:line:column: error: message`.
fn complaints(said: &str, mut files: Files<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for line in said.lines() {
        let Some((place, message)) =
            line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))
        else {
            continue;
        };
        let mut span = Span::NONE;
        let mut rest = place;
        let mut numbers = Vec::new();
        while let Some((before, number)) = rest.rsplit_once(':')
            && numbers.len() < 2
            && let Ok(number) = number.parse::<u32>()
        {
            numbers.insert(0, number);
            rest = before;
        }
        if let Some(line) = numbers.first() {
            let column = numbers.get(1).copied().unwrap_or(1).max(1);
            span = Span { file: files.find(rest).0, line: (*line).max(1), column, length: 1 };
        }
        diagnostics.push(match missing_header(message) {
            Some(header) => {
                let help = "name its folder with -I; of system headers there are those of C11, pthreads and much of POSIX";
                let message = format!("the header `{header}` is not found");
                Diagnostic::new(span, message).label("not found").help(help)
            }
            None => Diagnostic::new(span, message),
        });
    }
    diagnostics
}

/// The header that a preprocessor does not find, as GCC and as Clang say it.
fn missing_header(message: &str) -> Option<&str> {
    let clang = || message.strip_suffix("file not found").map(|name| name.trim().trim_matches('\''));
    message.strip_suffix(": No such file or directory").or_else(clang)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_names_and_escapes_in_strings() {
        let letters = |text: &str| with_letters(text.to_string());
        assert_eq!(letters(r"int gr\u00f6\U000000dfe;"), "int gr\u{f6}\u{df}e;");
        let strings = r#"char *s = "\u00f6\"\u00f6", c = '\'', t = L'\u00f6'; int \u00f6;"#;
        assert_eq!(letters(strings), r#"char *s = "\u00f6\"\u00f6", c = '\'', t = L'\u00f6'; int ö;"#);
        assert_eq!(letters(r"a \u00 \u2028 \"), r"a \u00 \u2028 \");
    }

    #[test]
    fn missing_headers() {
        assert_eq!(missing_header("a/b.h: No such file or directory"), Some("a/b.h"));
        assert_eq!(missing_header("'a.h' file not found"), Some("a.h"));
        assert_eq!(missing_header("unterminated #if"), None);
    }
}

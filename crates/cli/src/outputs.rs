//! The files that a run reads and those that it writes, known in one place before any work is done.
//!
//! A run that would write over one of its inputs, or two results into one file, is refused, and so is a file that cannot
//! be written: nobody waits an hour to hear of a missing folder. Files are the same if they have one device and
//! inode, whatever they are called; a file that is not there yet is known by its folder and name.
//!
//! A file is written beside its place and then moved there, so that a full disk leaves the old one as it was. What is no
//! regular file, such as `/dev/stdout` or a named pipe, is written to as it is.

use crate::output;
use fencepost_ir::{FileId, Sources};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What tells files apart.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Identity {
    /// A file that is there: device and inode.
    There(u64, u64),
    /// One that is not, or whose device and inode are not known.
    Named(PathBuf),
}

/// A file that is read, and what it is to the user.
struct Input {
    what: &'static str,
    identity: Identity,
}

/// A file that will be written, and the option that names it.
struct Output {
    option: &'static str,
    path: PathBuf,
    identity: Identity,
}

/// The files of a run.
#[derive(Default)]
pub struct Files {
    inputs: Vec<Input>,
    outputs: Vec<Output>,
}

impl Files {
    /// Declares files that are read. Those that are not there are somebody else's to complain of.
    pub fn reads<P: AsRef<Path>>(mut self, what: &'static str, paths: impl IntoIterator<Item = P>) -> Files {
        for path in paths {
            let path = path.as_ref();
            if path.as_os_str() == "-" {
                let found = standard_input().filter(Metadata::is_file).as_ref().and_then(inode);
                let identity = found.map(|(device, inode)| Identity::There(device, inode));
                self.inputs.extend(identity.map(|identity| Input { what, identity }));
            }
            // `@list` is the file of a list.
            let list = path.to_str().and_then(|name| name.strip_prefix('@')).map(Path::new);
            for path in [path].into_iter().chain(list).filter(|path| path.is_file()) {
                self.inputs.push(Input { what, identity: identity(path) });
            }
        }
        self
    }

    /// Declares files that will be written; says why that cannot be done.
    pub fn writes(mut self, outputs: &[(&'static str, Option<&Path>)]) -> Result<Files, String> {
        for &(option, path) in outputs {
            let Some(path) = path else { continue };
            let output = Output { option, path: path.to_path_buf(), identity: identity(path) };
            if let Some(input) = self.inputs.iter().find(|input| input.identity == output.identity) {
                return Err(format!("{option} would overwrite {}", input.what));
            }
            if let Some(other) = self.outputs.iter().find(|other| other.identity == output.identity)
                && !is_sink(path)
            {
                return Err(format!(
                    "{} and {option} would write to one file, {}",
                    other.option,
                    path.display()
                ));
            }
            if !is_device_name(path) && is_standard_output(path) {
                return Err(format!("{option} is {}, which standard output goes to", path.display()));
            }
            writable(path).map_err(|why| format!("{option}: {} cannot be written: {why}", path.display()))?;
            self.outputs.push(output);
        }
        Ok(self)
    }

    /// Looks at what became known when a program was read: the headers that it includes.
    pub fn check_sources(&self, sources: &Sources) -> Result<(), String> {
        // `?` is what a file is called that is not in the table.
        let names = (0..).map(|file| sources.name(FileId(file))).take_while(|name| *name != "?");
        for name in names {
            let path = Path::new(name);
            if self.outputs.is_empty() || !path.is_file() {
                continue;
            }
            let read = identity(path);
            if let Some(output) = self.outputs.iter().find(|output| output.identity == read) {
                let (option, path) = (output.option, output.path.display());
                return Err(format!("{option} would overwrite {path}, which the program includes"));
            }
        }
        Ok(())
    }
}

/// What a path leads to.
fn identity(path: &Path) -> Identity {
    let target = resolved(path);
    match std::fs::metadata(&target).ok().as_ref().and_then(inode) {
        Some((device, inode)) => Identity::There(device, inode),
        None => {
            let folder = folder(&target).canonicalize().unwrap_or_else(|_| folder(&target).to_path_buf());
            Identity::Named(target.file_name().map_or(folder.clone(), |name| folder.join(name)))
        }
    }
}

/// The file that links lead to, which need not be there.
fn resolved(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    for _ in 0..40 {
        // Links below `/dev` and `/proc` lead to open files, whose names mean nothing.
        if is_device_name(&target) {
            break;
        }
        let Ok(next) = std::fs::read_link(&target) else { break };
        target = folder(&target).join(next);
    }
    target
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> Option<(u64, u64)> {
    None
}

/// A file that takes everything and keeps nothing may be named twice.
fn is_sink(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| path == Path::new("/dev/null"))
}

/// Whether a path names an open file or a device, and not a file of the user's.
fn is_device_name(path: &Path) -> bool {
    path.starts_with("/dev") || path.starts_with("/proc")
}

/// Whether standard output goes to the regular file of this name.
fn is_standard_output(path: &Path) -> bool {
    let Ok(found) = std::fs::metadata(path) else { return false };
    let stdout = standard_output().and_then(|stdout| inode(&stdout));
    found.is_file() && stdout.is_some() && inode(&found) == stdout
}

#[cfg(unix)]
fn standard_output() -> Option<Metadata> {
    opened(&std::io::stdout())
}

#[cfg(unix)]
fn standard_input() -> Option<Metadata> {
    opened(&std::io::stdin())
}

/// What an open file is.
#[cfg(unix)]
fn opened(file: &impl std::os::fd::AsFd) -> Option<Metadata> {
    File::from(file.as_fd().try_clone_to_owned().ok()?).metadata().ok()
}

#[cfg(not(unix))]
fn standard_output() -> Option<Metadata> {
    None
}

#[cfg(not(unix))]
fn standard_input() -> Option<Metadata> {
    None
}

/// Whether a file can be written, found out without changing anything; or why not.
fn writable(path: &Path) -> Result<(), String> {
    let target = resolved(path);
    let found = std::fs::metadata(&target).ok();
    if found.as_ref().is_some_and(Metadata::is_dir) {
        return Err("it is a folder".into());
    }
    if found.as_ref().is_some_and(|found| !found.is_file()) {
        return Ok(());
    }
    let folder = folder(&target);
    match std::fs::metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(format!("there is no folder {}", folder.display()));
        }
        Err(error) => return Err(error.to_string()),
        Ok(found) if !found.is_dir() => return Err(format!("{} is no folder", folder.display())),
        Ok(_) => {}
    }
    if target.file_name().is_none() {
        return Err("it names no file".into());
    }
    match found {
        Some(_) => OpenOptions::new().append(true).open(&target).map(drop),
        None => beside(&target).map(drop),
    }
    .map_err(|error| error.to_string())
}

/// A new file in the folder of another one, which is removed unless it is moved.
fn beside(target: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fencepost-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: the user's mask takes away what is not wanted.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(target))
}

/// Whether a file is written to as it is: what is not a regular file, and one whose folder takes no other.
fn is_written_in_place(target: &Path) -> bool {
    let found = std::fs::metadata(target);
    if is_device_name(target) || found.as_ref().is_ok_and(|found| !found.is_file()) {
        return true;
    }
    let closed = |error: std::io::Error| error.kind() == ErrorKind::PermissionDenied;
    found.is_ok() && beside(target).err().is_some_and(closed)
}

/// Writes to a file as it is.
fn write_in_place(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if is_device_name(target) && is_standard_output(target) {
        // Through the same stream as everything else, or it would be written over.
        return output::bytes(bytes);
    }
    let regular = std::fs::metadata(target).is_ok_and(|found| found.is_file());
    let mut file = OpenOptions::new().write(true).truncate(regular).open(target)?;
    file.write_all(bytes).and_then(|()| file.flush())
}

/// A file on its way: it gets its name once it is complete.
pub struct Staged {
    target: PathBuf,
    file: NamedTempFile,
    in_place: bool,
}

impl Staged {
    /// Begins a file.
    pub fn new(path: &Path) -> std::io::Result<Staged> {
        let target = resolved(path);
        let in_place = is_written_in_place(&target);
        let file = if in_place { NamedTempFile::new()? } else { beside(&target)? };
        Ok(Staged { target, file, in_place })
    }

    /// Where to write until it is complete.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The name that the file gets.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the file in its place; one that nothing was written to leaves the old one there.
    pub fn finish(self) -> std::io::Result<()> {
        if std::fs::metadata(self.path())?.len() == 0 {
            return Ok(());
        }
        if self.in_place {
            return write_in_place(&self.target, &std::fs::read(self.path())?);
        }
        if let Ok(old) = std::fs::metadata(&self.target) {
            self.file.as_file().set_permissions(old.permissions())?;
        }
        self.file.persist(&self.target).map(drop).map_err(|error| error.error)
    }
}

/// Writes a file; or leaves it as it was.
pub fn save(path: &Path, text: &str) -> Result<(), String> {
    let target = resolved(path);
    let saved = if is_written_in_place(&target) {
        write_in_place(&target, text.as_bytes())
    } else {
        Staged::new(path).and_then(|mut staged| {
            staged.file.write_all(text.as_bytes())?;
            staged.file.flush()?;
            staged.finish()
        })
    };
    saved.map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file; says so where that cannot be done.
pub fn write(path: &Path, text: &str) -> Result<(), ()> {
    save(path, text).map_err(|message| output::complain(format!("error: {message}")))
}

//! Running preprocessors, so that one that is no longer wanted can be ended: macros may expand for hours, and what a
//! compiler's driver has started outlives the driver, and us.
//!
//! Each runs in a process group of its own, which is ended as a whole.

use std::io::{Error, ErrorKind};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// Who waits for what.
struct Known {
    /// The thread that waits for a preprocessor, and the number of its process group.
    running: Vec<(ThreadId, u32)>,
    /// Threads whose result is no longer wanted: they start no other.
    unwanted: Vec<ThreadId>,
}

static KNOWN: Mutex<Known> = Mutex::new(Known { running: Vec::new(), unwanted: Vec::new() });

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A preprocessor that is waited for.
pub struct Running(u32);

/// Starts a command in a process group of its own, unless its result is no longer wanted.
pub fn start(command: &mut Command) -> std::io::Result<(Child, Running)> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let thread = std::thread::current().id();
    // With the lock, so that whoever ends preprocessors knows of this one, or it of that.
    let mut known = known();
    if known.unwanted.contains(&thread) {
        return Err(Error::new(ErrorKind::Interrupted, "nobody waits for the preprocessor any more"));
    }
    let child = command.spawn()?;
    let group = child.id();
    known.running.push((thread, group));
    Ok((child, Running(group)))
}

impl Drop for Running {
    fn drop(&mut self) {
        known().running.retain(|(_, group)| *group != self.0);
    }
}

/// Ends the preprocessor that this thread waits for, if it does, and lets it start no other.
pub fn end_preprocessor(waiting: ThreadId) {
    // With the lock, so that the group is still the one that was started.
    let mut known = known();
    known.unwanted.push(waiting);
    for (_, group) in known.running.iter().filter(|(thread, _)| *thread == waiting) {
        let mut kill = Command::new("kill");
        kill.args(["-s", "KILL", "--", &format!("-{group}")]).stdout(Stdio::null()).stderr(Stdio::null());
        // It may have ended by itself.
        let _ = kill.status();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Whether it is told before the start or after it, no preprocessor is left.
    #[test]
    fn nothing_is_started_that_nobody_waits_for() {
        let thread = std::thread::spawn(|| {
            let (mut child, running) = start(Command::new("sleep").arg("60")).unwrap();
            end_preprocessor(std::thread::current().id());
            assert!(!child.wait().unwrap().success());
            drop(running);
            start(Command::new("sleep").arg("60")).map(drop).map_err(|error| error.kind())
        });
        assert_eq!(thread.join().unwrap(), Err(ErrorKind::Interrupted));
    }
}

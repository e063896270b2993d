//! Preprocessors at work, so that one that nobody waits for any more can be ended: macros may expand for hours, and what a
//! compiler's driver has started outlives the driver, and us.
//!
//! Each runs in a process group of its own, which is ended as a whole.

use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;

/// The thread that waits for a preprocessor, and the number of its process group.
static RUNNING: Mutex<Vec<(ThreadId, u32)>> = Mutex::new(Vec::new());

/// A preprocessor that is waited for.
pub struct Running(u32);

/// Starts a command in a process group of its own.
pub fn start(command: &mut Command) -> std::io::Result<(Child, Running)> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let child = command.spawn()?;
    let group = child.id();
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push((std::thread::current().id(), group));
    Ok((child, Running(group)))
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|(_, group)| *group != self.0);
    }
}

/// Ends the preprocessor that this thread waits for, if it does.
pub fn end_preprocessor(waiting: ThreadId) {
    // With the lock, so that the group is still the one that was started.
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    for (_, group) in running.iter().filter(|(thread, _)| *thread == waiting) {
        let mut kill = Command::new("kill");
        kill.args(["-s", "KILL", "--", &format!("-{group}")]).stdout(Stdio::null()).stderr(Stdio::null());
        // It may have ended by itself.
        let _ = kill.status();
    }
}

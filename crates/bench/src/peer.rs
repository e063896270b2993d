//! Other tools, run for so long and no longer.

use fencepost_report::results::PeerVerdict;
use fencepost_task::VerdictKind;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a tool that was started ends; `None` if it was stopped because its time was over.
pub fn end_of(mut child: Child, limit: Duration) -> Result<Option<ExitStatus>, String> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a tool is on the PATH.
pub fn is_installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

/// What cbmc says of a program , and after how many seconds.
pub fn cbmc(text: &str, arguments: &[&str], limit: Duration) -> Result<(PeerVerdict, f64), String> {
    let file = std::env::temp_dir().join(format!("fencepost-bench-{}.c", std::process::id()));
    std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut command = Command::new("cbmc");
    command.args(arguments).arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let ended = command.spawn().map_err(|e| format!("cbmc: {e}")).and_then(|child| end_of(child, limit));
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&file);
    let verdict = match ended?.map(|status| status.code()) {
        None => PeerVerdict::Time,
        Some(Some(0)) => PeerVerdict::Answered(VerdictKind::Safe),
        Some(Some(10)) => PeerVerdict::Answered(VerdictKind::Unsafe),
        Some(_) => PeerVerdict::Failed,
    };
    Ok((verdict, seconds))
}

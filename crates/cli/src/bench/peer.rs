//! Other tools, run for so long and no longer.

use std::process::{Child, ExitStatus};
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

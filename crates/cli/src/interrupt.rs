//! Ctrl-C: the first ends the work and keeps what is known, the second ends the process.

use crate::{Exit, output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that Ctrl-C sets. To be asked for once.
pub fn flag() -> Arc<AtomicBool> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = cancelled.clone();
    let handler = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Unknown as i32);
        }
    });
    if let Err(error) = handler {
        output::complain(format!("warning: Ctrl-C will lose what is known so far: {error}"));
    }
    cancelled
}

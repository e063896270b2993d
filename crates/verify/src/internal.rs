//! Internal errors. A panic is a bug in Fencepost; where there are many files, it is the result of the one in which it
//! happened, and the others continue.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What every message about a bug ends with.
pub const REPORT: &str = "This is a bug in Fencepost; please report it with the file.";

/// Does the work; if it panics, gives the message.
///
/// What the work has left half done is dropped by the callers: they keep results only.
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(text(&*payload)))
}

/// The words of a panic.
pub fn text(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<String>(), payload.downcast_ref::<&str>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "a panic without words",
    }
}

fn message(text: &str) -> String {
    let start = if text.starts_with("internal error") { "" } else { "internal error: " };
    let end = if text.contains(REPORT) { String::new() } else { format!(". {REPORT}") };
    format!("{start}{text}{end}")
}

/// Panics for the tests of all this: in debug builds, on a file whose name has the text of `FENCEPOST_PANIC_ON` in it.
pub fn rehearse(name: &str) {
    if cfg!(debug_assertions)
        && let Ok(part) = std::env::var("FENCEPOST_PANIC_ON")
        && name.contains(&part)
    {
        panic!("rehearsed on {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_asks_for_a_report_once() {
        assert_eq!(guard(|| 1), Ok(1));
        let failed = guard(|| -> i32 { panic!("index {}", 3) });
        assert_eq!(failed, Err(format!("internal error: index 3. {REPORT}")));
        let failed = guard(|| -> i32 { panic!("internal error: no run. {REPORT}") });
        assert_eq!(failed, Err(format!("internal error: no run. {REPORT}")));
    }
}

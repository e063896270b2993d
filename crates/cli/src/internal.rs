//! Every panic asks for a report.

use fencepost_verify::internal::{REPORT, text};
use std::panic::PanicHookInfo;

/// Sees to it that every panic asks for a report.
pub fn ask_for_reports() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
        print(info);
        if !text(info.payload()).contains(REPORT) {
            crate::output::complain(REPORT);
        }
    }));
}

//! Any text as a Memorax or Trencher file: it is read and lowered, or refused with places. Never a
//! panic.

#![no_main]

use fencepost_models::{memorax, trencher};
use fencepost_passes::pipeline;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for read in [memorax::read, trencher::read] {
        match read("fuzz", text) {
            Err((_, diagnostics)) => {
                assert!(!diagnostics.is_empty() && diagnostics.iter().all(|d| d.span.is_some()));
            }
            Ok(tree) => {
                pipeline::lower(tree);
            }
        }
    }
});

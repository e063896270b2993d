//! Any text as a program of the modelling language: it is read, printed and read again, and
//! lowered, or refused with places. Never a panic.

#![no_main]

use fencepost_models::fp;
use fencepost_passes::pipeline;

libfuzzer_sys::fuzz_target!(|text: &str| {
    match fp::read("fuzz.fp", text) {
        Err((_, diagnostics)) => assert!(!diagnostics.is_empty() && diagnostics.iter().all(|d| d.span.is_some())),
        Ok(tree) => {
            let printed = tree.to_string();
            let again = fp::read("fuzz.fp", &printed).expect("what is printed can be read");
            assert_eq!(again.to_string(), printed);
            pipeline::lower(tree);
        }
    }
});

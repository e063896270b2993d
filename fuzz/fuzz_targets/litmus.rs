//! Any text as a litmus test: it is read and lowered, or refused with places. Never a panic. What is read
//! prints its condition.

#![no_main]

use fencepost_litmus as litmus;
use fencepost_passes::pipeline;

libfuzzer_sys::fuzz_target!(|text: &str| match litmus::read_test("fuzz", text) {
    Err((_, diagnostics)) => {
        assert!(!diagnostics.is_empty() && diagnostics.iter().all(|d| d.span.is_some()));
    }
    Ok(test) => {
        assert!(!test.observation.condition().is_empty());
        let mut program = pipeline::lower(test.program.clone());
        test.observe(&mut program);
    }
});

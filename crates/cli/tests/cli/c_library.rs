//! Random calls of library functions against the system's own library: every value that they give is the same.

use crate::c::{asserting, compiled};
use crate::check;
use fencepost_samples::c_library;

#[test]
fn library_functions_do_what_the_system_s_do() {
    let seeds = std::env::var("FENCEPOST_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    for seed in 0..seeds {
        let text = c_library::program(seed);
        let name = format!("library_{seed}");
        let mut values = compiled(&name, &text);
        let options = ["--model", "sc", "-q", "--engine", "explicit"];
        let ran = check(&format!("{name}.c"), &asserting(&text, &values), &options);
        assert_eq!(ran.code, 0, "{name}:\n{text}\n{values:?}\n{}{}", ran.stdout, ran.stderr);
        if seed % 10 == 0 {
            *values.last_mut().expect("a program shows values") ^= 1;
            let ran = check(&format!("{name}_wrong.c"), &asserting(&text, &values), &options);
            assert_eq!(ran.code, 1, "{name} with a wrong value:\n{}{}", ran.stdout, ran.stderr);
        }
    }
}

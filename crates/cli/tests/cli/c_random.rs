//! Random C programs of one thread against the compiled program: every value that they show is the same.

use crate::c::{asserting, compiled};
use crate::check;
use fencepost_samples::c_program;
use fencepost_samples::effort;

#[test]
fn random_programs_do_what_the_compiled_program_does() {
    let seeds = effort::seeds(60);
    for seed in 0..seeds {
        let text = c_program::program(seed);
        let name = format!("random_{seed}");
        let mut values = compiled(&name, &text);
        let ran = check(&format!("{name}.c"), &asserting(&text, &values), &["--model", "sc", "-q"]);
        assert_eq!(ran.code, 0, "{name}:\n{text}\n{values:?}\n{}{}", ran.stdout, ran.stderr);
        if seed % 10 == 0 {
            *values.last_mut().expect("a program shows values") ^= 1;
            let ran = check(&format!("{name}_wrong.c"), &asserting(&text, &values), &["--model", "sc", "-q"]);
            assert_eq!(ran.code, 1, "{name} with a wrong value:\n{}{}", ran.stdout, ran.stderr);
        }
    }
}

//! Random C programs of one thread against the compiled program: every value that they show is the same.
//! Some compute, others access memory in several sizes.

use crate::c::{asserting, compiled};
use crate::check;
use fencepost_samples::effort::seeds;
use fencepost_samples::{c_memory, c_program};

/// Compares a program with the compiled one, and one that claims a wrong value with it.
fn compare(name: &str, text: &str, args: &[&str], claims: Claims) {
    let mut values = compiled(name, text);
    let args = [args, &["--model", "sc", "-q"]].concat();
    let ran = check(&format!("{name}.c"), &asserting(text, &values), &args);
    assert_eq!(ran.code, 0, "{name}:\n{text}\n{values:?}\n{}{}", ran.stdout, ran.stderr);
    if claims == Claims::RightAndWrong {
        *values.last_mut().expect("a program shows values") ^= 1;
        let ran = check(&format!("{name}_wrong.c"), &asserting(text, &values), &args);
        assert_eq!(ran.code, 1, "{name} with a wrong value:\n{}{}", ran.stdout, ran.stderr);
    }
}

/// What is tried of a program.
#[derive(PartialEq)]
enum Claims {
    Right,
    RightAndWrong,
}

fn claims(seed: u64) -> Claims {
    if seed.is_multiple_of(10) { Claims::RightAndWrong } else { Claims::Right }
}

#[test]
fn random_programs_do_what_the_compiled_program_does() {
    for seed in 0..seeds(60) {
        compare(&format!("random_{seed}"), &c_program::program(seed), &[], claims(seed));
    }
}

#[test]
fn programs_of_several_sizes_do_what_the_compiled_program_does() {
    for seed in 0..seeds(60) {
        let engine = if seed % 6 == 0 { "bmc" } else { "explicit" };
        compare(&format!("sizes_{seed}"), &c_memory::program(seed), &["--engine", engine], claims(seed));
    }
}

//! Flags of C compilers, on the command line and from a compilation database; files that are not read.

use crate::{fencepost_args, scratch};

const PROGRAM: &str =
    "#include <assert.h>\n#include <config.h>\nint main(void) { assert(WANTED == 3 && VERSION); }\n";

/// Runs `check` on a file with more arguments; its exit code and what it says.
fn check(path: &std::path::Path, args: &[&str]) -> (i32, String) {
    let ran = fencepost_args(&[&["check", "-q", "--model", "sc"], args, &[path.to_str().unwrap()]].concat());
    (ran.code, format!("{}{}", ran.stdout, ran.stderr))
}

#[test]
fn the_usual_flags_are_taken_or_left() {
    let config = scratch("inc/config.h", "#define VERSION 1\n");
    let first = scratch("first.h", "#ifndef OFF\n#define WANTED 3\n#endif\n");
    let path = scratch("flags.c", PROGRAM);
    let (folder, first) = (config.parent().unwrap().to_str().unwrap(), first.to_str().unwrap());
    let usual =
        ["-O2", "-Wall", "-Wextra", "-g", "-pthread", "-fno-strict-aliasing", "-march=native", "-std=gnu99"];
    let with = |more: &[&str]| check(&path, &[&usual, more].concat());
    let (code, said) = with(&["-include", first, "-isystem", folder]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = with(&["-include", first, "-isystem", folder, "-DOFF"]);
    assert!(code == 2 && said.contains("WANTED"), "{said}");
    let (code, said) = with(&["-include", first, "-DOFF", "-UOFF", &format!("-I{folder}")]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_compilation_database_has_the_flags_of_a_file() {
    scratch("inc/config.h", "#define VERSION 1\n");
    let path = scratch("src/listed.c", PROGRAM);
    let other = scratch("src/other.c", PROGRAM);
    let root = path.parent().unwrap().parent().unwrap();
    let entry = serde_json::json!([{
        "directory": root.to_str().unwrap(), "file": "src/listed.c",
        "command": "cc -Iinc -DWANTED=3 -O2 -c src/listed.c -o listed.o"
    }]);
    scratch("compile_commands.json", &entry.to_string());
    let folder = root.to_str().unwrap();
    let (code, said) = check(&path, &["-p", folder]);
    assert_eq!(code, 0, "{said}");
    // Files that are not in it are read as they are.
    assert_eq!(check(&other, &["-p", folder]).0, 2);
    // It counts where it is beside the file, too.
    assert_eq!(check(&path, &[]).0, 2);
    scratch("src/compile_commands.json", &entry.to_string());
    let (code, said) = check(&path, &[]);
    assert_eq!(code, 0, "{said}");
    // What is typed counts more.
    assert_eq!(check(&path, &["-DWANTED=4"]).0, 1);
    let (code, said) = check(&path, &["-p", "nowhere"]);
    assert!(code == 2 && said.contains("nowhere/compile_commands.json"), "{said}");
    // It is an input, and no file to write to.
    let written = root.join("src/compile_commands.json");
    let (code, said) = check(&path, &["--trace", written.to_str().unwrap()]);
    assert!(code == 2 && said.contains("the compile commands"), "{said}");
    scratch("src/compile_commands.json", "[{]");
    let (code, said) = check(&path, &[]);
    assert!(code == 2 && said.contains("is not JSON"), "{said}");
}

#[test]
fn other_languages_are_said_not_to_be_read() {
    for (name, words) in [
        ("a.cpp", "unsupported file type `.cpp`: C++ is not read"),
        ("a.cc", "C++ is not read"),
        ("a.rs", "Rust is not read"),
        ("a.h", "a header is no program"),
        ("a.xyz", "unsupported file type `.xyz`"),
        ("noname", "has no extension"),
    ] {
        let (code, said) = check(&scratch(name, "int main() { }"), &[]);
        assert!(code == 2 && said.contains(words) && said.contains(".litmus"), "{name}: {said}");
    }
}

//! `--generate` and `--generate-all`: tests from cycles of relations, printed or written to a folder.

use crate::options::{LitmusOptions, TestArch};
use crate::{Exit, output, outputs};
use fencepost_litmus::Arch;
use fencepost_litmus::generate::{Generated, all_cycles};
use fencepost_verify::litmus::{cycles, named};
use std::path::Path;

pub fn run(options: &LitmusOptions) -> Exit {
    match make(options) {
        Ok(()) => Exit::Good,
        Err(message) => {
            output::complain(format!("error: {message}"));
            Exit::Wrong
        }
    }
}

fn make(options: &LitmusOptions) -> Result<(), String> {
    let cycles = match options.generate_all {
        Some(size) => all_cycles(size as usize),
        None => cycles(&options.generate)?,
    };
    let arch = match options.arch {
        TestArch::X86 => Arch::X86,
        TestArch::X86_64 => Arch::X86_64,
    };
    let tests = named(&cycles, arch)?;
    if let Some(folder) = &options.output {
        write(folder, &tests)?;
        if !options.quiet {
            output::complain(format!("{} tests in {}", tests.len(), folder.display()));
        }
        return Ok(());
    }
    let texts: Vec<&str> = tests.iter().map(|t| t.text.as_str()).collect();
    output::text(texts.join("\n"));
    Ok(())
}

fn write(folder: &Path, tests: &[Generated]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut list = String::new();
    for test in tests {
        let file = format!("{}.litmus", test.name);
        let path = folder.join(&file);
        outputs::save(&path, &test.text)?;
        list += &format!("{file}\n");
    }
    let path = folder.join("@all");
    outputs::save(&path, &list)
}

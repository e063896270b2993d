//! Completions and manual pages, made of the options themselves.

use crate::options::{Cli, CompletionsOptions, ManOptions};
use crate::{Exit, output};
use clap::CommandFactory;
use clap_mangen::Man;
use std::path::Path;

pub fn completions(options: &CompletionsOptions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "fencepost", &mut script);
    output::text(String::from_utf8_lossy(&script));
    Exit::Good
}

pub fn man(options: &ManOptions) -> Exit {
    let Some(folder) = &options.output else {
        let mut page = Vec::new();
        return match Man::new(Cli::command()).render(&mut page) {
            Ok(()) => {
                output::text(String::from_utf8_lossy(&page));
                Exit::Good
            }
            Err(error) => failed("the manual page", &error),
        };
    };
    match write(folder) {
        Ok(()) => Exit::Good,
        Err(error) => failed(&folder.display().to_string(), &error),
    }
}

/// Writes the pages of all commands.
fn write(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), folder)
}

fn failed(what: &str, error: &std::io::Error) -> Exit {
    output::complain(format!("error: {what}: {error}"));
    Exit::Wrong
}

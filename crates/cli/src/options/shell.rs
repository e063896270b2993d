//! `completions` and `man`.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

pub const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  fencepost completions bash > ~/.local/share/bash-completion/completions/fencepost
  fencepost completions zsh > ~/.zfunc/_fencepost
  fencepost completions fish > ~/.config/fish/completions/fencepost.fish";

pub const MAN_EXAMPLES: &str = "\
Examples:
  fencepost man | man -l -
  fencepost man --output ~/.local/share/man/man1            then: man fencepost-check";

#[derive(Args)]
pub struct CompletionsOptions {
    /// Which shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Args)]
pub struct ManOptions {
    /// Write a page for each command into this folder
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

//! Placeholder.
use crate::Exit;
use crate::options::LitmusOptions;
pub fn run(_: &LitmusOptions) -> Exit {
    Exit::Wrong
}

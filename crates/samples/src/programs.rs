//! Other programs that tests run: the one place that looks for them.
//!
//! Where one is missing, what needs it is skipped, with a line that says so. A full run fails instead, unless
//! `FENCEPOST_MISSING` declares the program missing: names with commas between them, as in `FENCEPOST_MISSING=cbmc,esbmc`.

use crate::effort::{Effort, effort};
use std::path::Path;

/// Whether a program is on the PATH. Where it is not, the caller skips what needs it.
pub fn has(name: &str) -> bool {
    any_of(name, &[name]).is_some()
}

/// The first of the names under which a program is on the PATH. It is declared missing under its first argument.
pub fn any_of<'n>(program: &str, names: &[&'n str]) -> Option<&'n str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        names.iter().find(|name| std::env::split_paths(&path).any(|folder| is_program(&folder.join(name))));
    if found.is_none() {
        let declared = std::env::var("FENCEPOST_MISSING").unwrap_or_default();
        assert!(
            may_be_missing(program, effort(), &declared),
            "`{program}` is not on the PATH, and in full runs everything is tried: install it, or set \
             FENCEPOST_MISSING={program} (several names with commas between them)"
        );
        println!("skipped: `{program}` is not on the PATH");
    }
    found.copied()
}

/// Whether a missing program is no failure.
fn may_be_missing(program: &str, effort: Effort, declared: &str) -> bool {
    effort == Effort::Quick || declared.split(',').any(|name| name.trim() == program)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}

#[cfg(test)]
mod tests {
    use super::{has, may_be_missing};
    use crate::effort::Effort;

    #[test]
    fn programs_are_found_or_declared() {
        assert!(has("sh"));
        for (effort, declared, may) in [
            (Effort::Quick, "", true),
            (Effort::Full, "", false),
            (Effort::Full, "esbmc, cbmc", true),
            (Effort::All, "cbmc", true),
            (Effort::All, "cbmc-viewer", false),
        ] {
            assert_eq!(may_be_missing("cbmc", effort, declared), may, "{effort:?} {declared}");
        }
    }
}

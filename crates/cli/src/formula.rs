//! Files that a solver writes, `--dimacs` and `--proof`: beside their places until they are complete, so that the old ones
//! stay until then.

use crate::outputs::Staged;
use fencepost_report::Shown;
use fencepost_task::Reason;
use fencepost_verify::CheckOptions;
use std::path::PathBuf;

/// The files of a check.
pub struct Formula(Vec<Staged>);

impl Formula {
    /// Lets a check write beside the places of its files.
    pub fn new(options: &mut CheckOptions) -> Result<Formula, String> {
        let files = [staged(&mut options.dimacs)?, staged(&mut options.proof)?];
        Ok(Formula(files.into_iter().flatten().collect()))
    }

    /// Puts what was written in its place; or says why that cannot be done.
    pub fn finish(self, verdict: &Shown) -> Result<(), String> {
        self.0.into_iter().try_for_each(|file| finish(file, verdict))
    }
}

fn staged(file: &mut Option<PathBuf>) -> Result<Option<Staged>, String> {
    let Some(path) = file else { return Ok(None) };
    let staged = Staged::new(path).map_err(|error| format!("{}: {error}", path.display()))?;
    *path = staged.path().to_path_buf();
    Ok(Some(staged))
}

fn finish(staged: Staged, verdict: &Shown) -> Result<(), String> {
    let (path, target) = (staged.path().display().to_string(), staged.target().display().to_string());
    if let Shown::Unknown { reason: Reason::NotApplicable(message), .. } = verdict
        && message.contains(&path)
    {
        return Err(message.replace(&path, &target));
    }
    staged.finish().map_err(|error| format!("{target}: {error}"))
}

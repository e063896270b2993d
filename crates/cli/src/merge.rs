//! `fencepost merge`: results that were found in parts, as one summary.

use crate::options::{MergeOptions, PlainFormat};
use crate::{Exit, output, outputs};
use fencepost_report::ResultKind;
use fencepost_report::page;
use fencepost_report::results::{self, AnyResult, NotAResult};
use fencepost_report::summary::Summary;
use fencepost_task::VerdictKind;
use fencepost_verify::read::read_text;
use std::path::Path;

pub fn run(options: &MergeOptions) -> Exit {
    let files = outputs::Files::default().reads("the results", &options.files);
    if let Err(message) = files.writes(&[("--report", options.report.as_deref())]) {
        return output::refuse(message);
    }
    let mut summary = Summary::default();
    for path in &options.files {
        if let Err(message) = add(path, &mut summary) {
            return output::refuse(message);
        }
    }
    if summary.is_empty() {
        output::complain("error: there are no results");
        return Exit::Wrong;
    }
    if let Some(path) = &options.report
        && outputs::write(path, &page::summary(&summary)).is_err()
    {
        return Exit::Wrong;
    }
    match options.format {
        PlainFormat::Text => output::text(summary.text()),
        PlainFormat::Json => output::line(results::line(&summary.result())),
    }
    let verdicts = summary.entries().map(|entry| match entry.observation {
        // A litmus test that was run is not a failure.
        Some(_) => Exit::Good,
        None => exit_of(entry.verdict),
    });
    let exit = verdicts.fold(Exit::Good, Exit::and);
    let exit = if summary.contradictions().is_empty() { exit } else { exit.and(Exit::Bad) };
    let exit = if summary.missing().is_empty() { exit } else { exit.and(Exit::Unknown) };
    if exit == Exit::Unknown && options.allow_unknown { Exit::Good } else { exit }
}

/// Adds the lines of a file. A torn last line is what a run that was ended leaves.
fn add(path: &Path, summary: &mut Summary) -> Result<(), String> {
    let text = read_text(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = || format!("{}:{}", path.display(), number + 1);
        match AnyResult::read(line) {
            Ok(result) => summary.add(&result),
            Err(NotAResult::Other(error))
                if !error.is_data() && text.len() > whole && number + 1 == text.lines().count() =>
            {
                output::complain(format!("{}: the last line is torn; it is not counted", at()));
            }
            Err(error) => return Err(format!("{}: {error}", at())),
        }
    }
    Ok(())
}

/// What the process would have ended with, had it found this result itself.
pub fn exit_of(result: ResultKind) -> Exit {
    match result {
        ResultKind::Checked(VerdictKind::Safe) | ResultKind::Robust => Exit::Good,
        ResultKind::Checked(VerdictKind::Unsafe) | ResultKind::NotRobust | ResultKind::Race => Exit::Bad,
        ResultKind::Checked(VerdictKind::Unknown) => Exit::Unknown,
        ResultKind::Error => Exit::Wrong,
    }
}

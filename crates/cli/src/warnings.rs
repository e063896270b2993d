//! Warnings, on standard error.

use crate::options::CheckOptions;
use crate::{Exit, output};
use fencepost_ir::Remark;
use fencepost_report::text;
use fencepost_verify::{Program, warnings};

/// Finds and prints the warnings about a program; with `--strict` they make the command line wrong.
pub fn warn(options: &CheckOptions, program: &Program) -> (Vec<Remark>, Exit) {
    let found = warnings(program, &options.input.meant().asked);
    for warning in &found {
        output::complain(format!("warning: {}", text::warning(&program.graph.sources, warning)));
    }
    let exit = if options.strict && !found.is_empty() { Exit::Wrong } else { Exit::Good };
    (found, exit)
}

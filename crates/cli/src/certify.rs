//! `fencepost certify`: a saved proof, checked again.

use crate::options::CertifyOptions;
use crate::{Exit, input, output};
use fencepost_certify::{Part, check_certificate};
use fencepost_passes::pipeline;
use fencepost_report::results::read_certificate;
use fencepost_task::{AnyModel, Bounds, Model, Scope};
use fencepost_verify::read;

pub fn run(options: &CertifyOptions) -> Exit {
    let tree = match read::read(&options.file, &options.input.meant()) {
        Ok(tree) => tree,
        Err(error) => {
            input::complain(&error);
            return Exit::Wrong;
        }
    };
    let program = pipeline::run(tree, pipeline::Options { threads: options.input.threads }, |_, _| {});
    let (file, proof) = (options.file.display(), options.certificate.display());
    let read = |text: String| read_certificate(&text).map_err(|error| format!("not a certificate: {error}"));
    let saved = match read::read_text(&options.certificate).and_then(read) {
        Ok(saved) => saved,
        Err(message) => {
            output::complain(format!("error: {proof}: {message}"));
            return Exit::Wrong;
        }
    };
    let rejected = |reason: String| {
        output::line(format!("rejected: {proof} is no proof for {file}: {reason}"));
        Exit::Bad
    };
    if saved.model != AnyModel::Machine(Model::Tso) {
        let model = saved.model.name().to_uppercase();
        return rejected(format!("it speaks of {model}, and certificates prove something about TSO only"));
    }
    match check_certificate(&program, &saved.certificate) {
        Err(unproven) if unproven.part == Part::Unfinished => {
            output::line(format!("unknown: {proof} may be a proof for {file}: {unproven}"));
            Exit::Unknown
        }
        Err(unproven) => rejected(unproven.to_string()),
        Ok(()) => {
            let any = if program.is_parameterized() { " for any number of threads" } else { "" };
            let basis = saved.certificate.basis.len();
            let invariant = match saved.certificate.invariant.len() {
                0 => String::new(),
                size => format!(", invariant of {size}"),
            };
            let scope = Scope::from(Bounds { threads: options.input.threads, ..Bounds::default() });
            output::line(format!(
                "proof holds: {file} is safe under TSO{any}, {scope} (basis of {basis}{invariant})"
            ));
            Exit::Good
        }
    }
}

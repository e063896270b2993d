//! Why there is no program, for people.

use crate::output;
use fencepost_report::diagnostics::{self, Colour};
use fencepost_verify::read::InputError;
use std::io::IsTerminal;

/// Prints why there is no program, on standard error.
pub fn complain(error: &InputError) {
    output::complain(message(error));
}

/// Why there is no program, in words.
pub fn message(error: &InputError) -> String {
    message_in(error, colour())
}

/// The same without colours.
pub fn plain_message(error: &InputError) -> String {
    message_in(error, Colour::Off)
}

fn message_in(error: &InputError, colour: Colour) -> String {
    match error {
        InputError::File(message) => format!("error: {message}"),
        InputError::Text(sources, diagnostics) => {
            let rendered = |d| format!("{}\n", diagnostics::render(sources, d, colour));
            diagnostics.iter().map(rendered).collect::<Vec<_>>().join("\n")
        }
    }
}

fn colour() -> Colour {
    let wanted = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    if wanted { Colour::On } else { Colour::Off }
}

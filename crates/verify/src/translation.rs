//! A translated program as text.

use fencepost_ir::tree::c::{self, Dialect, Style};
use fencepost_ir::{Span, tree};
use fencepost_translate::{Translated, Unsupported};

/// A translated program as C.
pub fn c_text(translated: &Translated, dialect: Dialect) -> Result<String, Unsupported> {
    let style = Style { dialect, prefix: translated.prefix.clone() };
    let text = c::print(&translated.spelled_out(), &style);
    text.map_err(|c::Unprintable { span, what }| Unsupported { span, what: what.to_string(), help: None })
}

/// A translated program in the modelling language, which knows neither pointers nor records.
pub fn model_text(program: &tree::Program) -> Result<String, Unsupported> {
    let refuse = |span: Span, what: &str| Err(Unsupported { span, what: what.to_string(), help: None });
    if let Some(v) = program.shared.iter().find(|v| v.ty.leaf().is_none()) {
        return refuse(v.span, "a record in shared memory");
    }
    if program.pointer_bits > 0 {
        return refuse(program.procedures.first().map_or(Span::NONE, |p| p.span), "a program with pointers");
    }
    Ok(tree::with_comments(program))
}

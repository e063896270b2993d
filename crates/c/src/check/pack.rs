//! `#pragma pack`: what members may be aligned to at most, from a line on.

use super::{Checker, Result};
use crate::ast::Pragma;
use fencepost_ir::{FileId, Span};
use fencepost_text::Diagnostic;
use std::collections::HashMap;

/// For each file the lines that change it, and what holds after them, in the order of the lines.
#[derive(Default)]
pub struct Packs {
    files: HashMap<FileId, Vec<(Span, Pack)>>,
}

#[derive(Clone, Copy)]
enum Pack {
    Most(u64),
    NotSupported,
}

impl Packs {
    /// Takes note of a unit's pragmas.
    pub fn add(&mut self, pragmas: &[Pragma]) {
        let mut kept: HashMap<FileId, Vec<u64>> = HashMap::new();
        for pragma in pragmas {
            let pack = pragma.text.trim().strip_prefix("pack").map(str::trim);
            let Some(text) = pack.and_then(|p| p.strip_prefix('(')?.strip_suffix(')')) else { continue };
            let lines = self.files.entry(pragma.span.file).or_default();
            // A header that another unit has brought in before.
            if lines.last().is_some_and(|(span, _)| span.line >= pragma.span.line) {
                continue;
            }
            let before = match lines.last() {
                Some((_, Pack::Most(most))) => *most,
                _ => u64::MAX,
            };
            let kept = kept.entry(pragma.span.file).or_default();
            let after = changed(text, before, kept).map_or(Pack::NotSupported, Pack::Most);
            lines.push((pragma.span, after));
        }
    }
}

/// What holds after a pragma with these arguments; `None` if it is not understood.
fn changed(text: &str, before: u64, kept: &mut Vec<u64>) -> Option<u64> {
    let mut most = before;
    for argument in text.split(',').map(str::trim) {
        match argument {
            "" if !text.trim().is_empty() => return None,
            "" => most = u64::MAX,
            "push" => kept.push(most),
            "pop" => most = kept.pop().unwrap_or(u64::MAX),
            number => match number.parse().ok()? {
                0 => most = u64::MAX,
                n @ (1 | 2 | 4 | 8 | 16) => most = n,
                _ => return None,
            },
        }
    }
    Some(most)
}

impl Checker<'_> {
    /// What members of a record that is defined at a place may be aligned to at most.
    pub fn most_alignment(&mut self, place: Span) -> Result<u64> {
        let Some(lines) = self.packs.files.get(&place.file) else { return Ok(u64::MAX) };
        let before = lines.partition_point(|(span, _)| span.line < place.line);
        match before.checked_sub(1).map(|last| lines[last]) {
            None => Ok(u64::MAX),
            Some((_, Pack::Most(most))) => Ok(most),
            Some((span, Pack::NotSupported)) => {
                Err(self.report(Diagnostic::new(span, "this `#pragma pack` is not supported")))
            }
        }
    }
}

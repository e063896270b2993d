//! Sites in a Trencher text: at the beginning and at the end of every transition.

use fencepost_ir::tree::FenceKind;
use fencepost_text::fences::{FenceSyntax, Lines, Shape, Site, in_order};

/// Fences in Trencher's format.
pub struct Fences;

impl FenceSyntax for Fences {
    fn sites(&self, _name: &str, text: &str) -> Vec<Site> {
        in_order(ends_of_transitions(text))
    }

    fn fence(&self, _kind: FenceKind) -> &'static str {
        "mfence"
    }

    fn kinds(&self) -> &'static [FenceKind] {
        &[FenceKind::Full]
    }
}

fn ends_of_transitions(text: &str) -> Vec<Site> {
    let lines = Lines::new(text);
    let mut sites = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or("");
        let mut words = code.split_whitespace();
        if words.next() == Some("transition") {
            let state = |word: &str| Site {
                // Words are slices of the line.
                at: start + (word.as_ptr() as usize - line.as_ptr() as usize),
                shape: Shape::Transition {
                    state: word.to_string(),
                    line: lines.next_line(start),
                    from: false,
                },
            };
            let (from, to) = (words.next(), words.next());
            if let Some(word) = from {
                let mut site = state(word);
                if let Shape::Transition { from, .. } = &mut site.shape {
                    *from = true;
                }
                sites.push(site);
            }
            sites.extend(to.map(state));
        }
        start += line.len();
    }
    sites
}

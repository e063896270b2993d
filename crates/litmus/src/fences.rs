//! Sites in a litmus test for x86: after every row, in every column. Tests in C have none.

use fencepost_ir::tree::FenceKind;
use fencepost_text::fences::{FenceSyntax, Lines, Shape, Site, in_order};

/// Fences in litmus tests for x86.
pub struct Fences;

impl FenceSyntax for Fences {
    fn sites(&self, _name: &str, text: &str) -> Vec<Site> {
        in_order(rows(text))
    }

    fn fence(&self, kind: FenceKind) -> &'static str {
        match kind {
            FenceKind::Full => "MFENCE",
            FenceKind::StoreStore => "SFENCE",
        }
    }
}

/// The code is the rows between the row of thread names and the condition.
fn rows(text: &str) -> Vec<Site> {
    let lines = Lines::new(text);
    let mut sites = Vec::new();
    let mut columns = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let cells = line.trim_end().strip_suffix(';').map(|l| l.split('|').collect::<Vec<_>>());
        match (columns, cells) {
            (None, Some(cells)) => {
                let names = cells.iter().enumerate().all(|(i, c)| c.trim() == format!("P{i}"));
                columns = (names && !line.contains('{')).then_some(cells.len());
            }
            (Some(n), Some(cells)) if cells.len() == n => {
                let at = lines.next_line(start);
                sites.extend((0..n).map(|column| Site { at, shape: Shape::Row { column, columns: n } }));
            }
            (Some(_), _) if !line.trim().is_empty() => break,
            _ => {}
        }
        start += line.len();
    }
    sites
}

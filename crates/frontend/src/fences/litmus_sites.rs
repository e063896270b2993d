//! Sites in a litmus test for x86: behind every row, in every column. Tests in C have none.

use super::{Lines, Shape, Site};

/// The sites: the code is the rows between the row of thread names and the condition.
pub(super) fn sites(text: &str) -> Vec<Site> {
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

//! Places as the protocol counts them: lines from 0, which `\n`, `\r\n` and `\r` end, and columns in UTF-16 code units.
//! Ours are byte offsets, and spans of characters in lines that `\n` ends.

use fencepost_ir::Span;
use fencepost_text::fences::Lines;
use lsp_types::{Position, Range};

/// A text with the offsets at which its lines begin.
pub(crate) struct Positions<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(text: &'a str) -> Positions<'a> {
        let bytes = text.as_bytes();
        let ends = |(i, b): (usize, &u8)| {
            let ends = *b == b'\n' || (*b == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
            ends.then_some(i + 1)
        };
        let starts = std::iter::once(0).chain(bytes.iter().enumerate().filter_map(ends)).collect();
        Positions { text, starts }
    }

    /// The offset of a position. Columns beyond the end of a line mean its end, and lines beyond the end of the text
    /// mean the end of the text.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let content = self.text[start..end].trim_end_matches(['\r', '\n']);
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= position.character as usize {
                return start + at;
            }
            units += c.len_utf16();
        }
        start + content.len()
    }

    /// The position of an offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column: usize = self.text[self.starts[line]..offset].chars().map(char::len_utf16).sum();
        Position::new(line as u32, column as u32)
    }

    /// From one offset to another.
    pub(crate) fn range(&self, from: usize, to: usize) -> Range {
        Range::new(self.position(from), self.position(to))
    }

    /// A span of the text; the whole line where it has no length.
    pub(crate) fn span(&self, span: Span) -> Range {
        let lines = Lines::new(self.text);
        let start = lines.start(span);
        let rest = &self.text[start..];
        let line_end = start + rest.find(['\r', '\n']).unwrap_or(rest.len());
        match span.length {
            0 => self.range(start, line_end),
            _ => self.range(start, lines.end(span).clamp(start, line_end.max(start))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Positions;
    use lsp_types::Position;

    #[test]
    fn columns_are_of_utf16() {
        let text = "a\r\nä𝕏b\rc\n";
        let positions = Positions::new(text);
        // After the letter of two units.
        let b = text.find('b').unwrap();
        assert_eq!(positions.position(b), Position::new(1, 3));
        assert_eq!(positions.offset(Position::new(1, 3)), b);
        assert_eq!(positions.position(text.find('c').unwrap()), Position::new(2, 0));
        assert_eq!(positions.position(text.len()), Position::new(3, 0));
        // Beyond the end.
        assert_eq!(positions.offset(Position::new(0, 9)), 1);
        assert_eq!(positions.offset(Position::new(9, 0)), text.len());
        for (offset, _) in text.char_indices().filter(|(_, c)| *c != '\n') {
            assert_eq!(positions.offset(positions.position(offset)), offset);
        }
    }
}

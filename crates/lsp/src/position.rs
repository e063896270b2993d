//! Places as the protocol counts them: lines from 0, which `\n`, `\r\n` and `\r` end, and columns in UTF-16 code units.
//! Ours are byte offsets, and spans of characters in lines that `\n` ends.

use fencepost_ir::Span;
use fencepost_text::fences::Lines;
use serde_json::{Value, json};

/// A text with the offsets at which its lines begin.
pub struct Positions<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Positions<'a> {
    pub fn new(text: &'a str) -> Positions<'a> {
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
    pub fn offset(&self, position: &Value) -> Option<usize> {
        let line = usize::try_from(position["line"].as_u64()?).ok()?;
        let column = position["character"].as_u64()?;
        let Some(&start) = self.starts.get(line) else { return Some(self.text.len()) };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let content = self.text[start..end].trim_end_matches(['\r', '\n']);
        let mut units = 0;
        for (at, c) in content.char_indices() {
            if units >= column {
                return Some(start + at);
            }
            units += c.len_utf16() as u64;
        }
        Some(start + content.len())
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Value {
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column: usize = self.text[self.starts[line]..offset].chars().map(char::len_utf16).sum();
        json!({"line": line, "character": column})
    }

    /// From one offset to another.
    pub fn range(&self, from: usize, to: usize) -> Value {
        json!({"start": self.position(from), "end": self.position(to)})
    }

    /// A span of the text; the whole line where it has no length.
    pub fn span(&self, span: Span) -> Value {
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
    use serde_json::json;

    #[test]
    fn columns_are_of_utf16() {
        let text = "a\r\nä𝕏b\rc\n";
        let positions = Positions::new(text);
        let at = |line: u32, character: u32| json!({"line": line, "character": character});
        // Behind the letter of two units.
        let b = text.find('b').unwrap();
        assert_eq!(positions.position(b), at(1, 3));
        assert_eq!(positions.offset(&at(1, 3)), Some(b));
        assert_eq!(positions.position(text.find('c').unwrap()), at(2, 0));
        assert_eq!(positions.position(text.len()), at(3, 0));
        // Beyond the end.
        assert_eq!(positions.offset(&at(0, 9)), Some(1));
        assert_eq!(positions.offset(&at(9, 0)), Some(text.len()));
        assert_eq!(positions.offset(&json!({"line": -1, "character": 0})), None);
        for (offset, _) in text.char_indices().filter(|(_, c)| *c != '\n') {
            assert_eq!(positions.offset(&positions.position(offset)), Some(offset));
        }
    }
}

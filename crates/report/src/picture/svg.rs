//! SVG as text: elements, attributes, and nothing of the user's unescaped.

use std::fmt::Write;

/// Text that may be in XML or HTML, in content and in quoted attributes. Characters that XML has no place
/// for become the replacement character.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// At most so many characters; what is cut off is an ellipsis.
pub fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_string(),
    }
}

/// Elements, one after the other.
#[derive(Default)]
pub struct Canvas {
    out: String,
}

impl Canvas {
    /// What was drawn.
    pub fn finish(self) -> String {
        self.out
    }

    /// Opens a group with attributes that are written already.
    pub fn open(&mut self, attributes: &str) {
        let _ = write!(self.out, "<g {attributes}>");
    }

    /// Closes a group.
    pub fn close(&mut self) {
        self.out += "</g>\n";
    }

    /// What a pointer that rests here is told.
    pub fn title(&mut self, text: &str) {
        let _ = write!(self.out, "<title>{}</title>", escape(text));
    }

    /// A line.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = write!(
            self.out,
            r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
        );
    }

    /// A rectangle with round corners.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), radius: f64) {
        let _ = write!(
            self.out,
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="{radius}"/>"#
        );
    }

    /// Text that starts at a point, or ends or is centred there, as the class says.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let _ = write!(self.out, r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#, escape(text));
    }

    /// Text that is read from the bottom up.
    pub fn upward(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let _ = write!(
            self.out,
            r#"<text class="{class}" transform="translate({x:.1} {y:.1}) rotate(-90)">{}</text>"#,
            escape(text)
        );
    }

    /// A path.
    pub fn path(&mut self, class: &str, d: &str) {
        let _ = write!(self.out, r#"<path class="{class}" d="{d}"/>"#);
    }

    /// The head of an arrow whose tip is at a point.
    pub fn head(&mut self, class: &str, (x, y): (f64, f64), toward: Toward) {
        let side = match toward {
            Toward::Left => 7.0,
            Toward::Right => -7.0,
        };
        let d = format!("M{x:.1} {y:.1}l{side:.1} -4.5v9z");
        self.path(class, &d);
    }

    /// A small cross.
    pub fn cross(&mut self, class: &str, (x, y): (f64, f64)) {
        let d = format!("M{:.1} {:.1}l9 9m0 -9l-9 9", x - 4.5, y - 4.5);
        self.path(class, &d);
    }
}

/// Where an arrow points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Toward {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

#[cfg(test)]
mod tests {
    use super::{cut, escape};

    #[test]
    fn nothing_gets_through() {
        assert_eq!(escape("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
        assert_eq!(escape("a\u{0}b\u{1b}"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}

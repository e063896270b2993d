//! Text for terminals: colours, and lines that fit.

use anstyle::{AnsiColor, Style};
use std::borrow::Cow;
use std::fmt::Write;

/// Whether colours are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paint {
    /// None.
    #[default]
    Plain,
    /// As ANSI terminals know them.
    Ansi,
}

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// That of the terminal.
    None,
    /// For what is wrong.
    Red,
    /// For what is right.
    Green,
    /// For what is not known.
    Yellow,
}

impl Paint {
    fn styled(self, style: Style, text: &str) -> String {
        match self {
            Paint::Ansi if !text.is_empty() => format!("{style}{text}{style:#}"),
            Paint::Ansi | Paint::Plain => text.to_string(),
        }
    }

    /// Text in a colour.
    pub fn colour(self, colour: Colour, text: &str) -> String {
        self.styled(colour.style(), text)
    }

    /// Bold text in a colour.
    pub fn bold(self, colour: Colour, text: &str) -> String {
        self.styled(colour.style().bold(), text)
    }

    /// Text that steps back.
    pub fn dim(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }
}

impl Colour {
    fn style(self) -> Style {
        let colour = match self {
            Colour::None => None,
            Colour::Red => Some(AnsiColor::Red),
            Colour::Green => Some(AnsiColor::Green),
            Colour::Yellow => Some(AnsiColor::Yellow),
        };
        Style::new().fg_color(colour.map(Into::into))
    }
}

/// Which control sequences stay in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colours {
    /// None.
    None,
    /// Those that [`Paint`] and diagnostics make.
    Ours,
}

/// Text that does nothing to a terminal: control characters are shown by their pictures, as diagnostics show them, and
/// characters that turn the direction of text by `\u{fffd}`. Ends of lines and tabs stay.
pub fn masked(text: &str, colours: Colours) -> Cow<'_, str> {
    let is_plain = |c: char| picture(c).is_none();
    if text.chars().all(is_plain) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match colours {
            Colours::Ours => colour_code(rest),
            Colours::None => 0,
        };
        if length > 0 || rest.starts_with("\r\n") {
            let length = length.max(1);
            out += &rest[..length];
            rest = &rest[length..];
            continue;
        }
        out.push(picture(c).unwrap_or(c));
        rest = &rest[c.len_utf8()..];
    }
    out.into()
}

/// What stands for a character that must not be printed.
fn picture(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' => Some('\u{fffd}'),
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some('\u{fffd}'),
        _ => None,
    }
}

/// The length of the colour that a text begins with, or 0.
fn colour_code(text: &str) -> usize {
    let Some(code) = text.strip_prefix("\u{1b}[") else { return 0 };
    let numbers = code.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(code.len());
    // None of these hides anything: they are bold, dim, underlined, or a colour that is not black.
    let is_ours = |number: &str| match number.parse::<u32>() {
        Ok(number) => matches!(number, 0..=2 | 4 | 31..=36 | 91..=97),
        Err(_) => false,
    };
    let ends = code[numbers..].starts_with('m');
    if ends && code[..numbers].split(';').all(is_ours) { 2 + numbers + 1 } else { 0 }
}

/// Narrower than this is as this.
const NARROWEST: usize = 30;

/// Text in lines of at most `width` characters, the first indented by `first`, the others by `rest`. Runs of
/// spaces within a line stay; words that are too long stick out.
pub fn wrap(text: &str, width: usize, first: usize, rest: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out = String::new();
    let mut line = " ".repeat(first);
    let mut has_word = false;
    for word in text.split(' ') {
        let length = line.chars().count();
        if has_word && !word.is_empty() && length + 1 + word.chars().count() > width {
            let _ = writeln!(out, "{}", line.trim_end());
            line = format!("{}{word}", " ".repeat(rest));
            continue;
        }
        if has_word {
            line.push(' ');
        }
        line += word;
        has_word = true;
    }
    let _ = writeln!(out, "{}", line.trim_end());
    out
}

#[cfg(test)]
mod tests {
    use super::{Colour, Colours, Paint, masked, wrap};

    #[test]
    fn lines_fit() {
        let text = "one two three four five six seven eight nine ten eleven twelve";
        let wrapped = wrap(text, 32, 2, 4);
        assert!(wrapped.lines().all(|l| l.chars().count() <= 32), "{wrapped}");
        assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>().join(" "), text);
        assert!(wrapped.starts_with("  one") && wrapped.lines().nth(1).unwrap().starts_with("    "));
        assert_eq!(wrap("a  b", 80, 0, 0), "a  b\n");
    }

    #[test]
    fn control_characters_are_masked() {
        let text = "a\tb\r\n\u{1b}[31mred\u{1b}]0;title\u{7}\r\u{9b}\u{202e}\u{7f}";
        let none = "a\tb\r\n\u{241b}[31mred\u{241b}]0;title\u{2407}\u{240d}\u{fffd}\u{fffd}\u{2421}";
        assert_eq!(masked(text, Colours::None), none);
        assert_eq!(masked(text, Colours::Ours), none.replacen('\u{241b}', "\u{1b}", 1));
        assert_eq!(masked("\u{1b}[8mhidden", Colours::Ours), "\u{241b}[8mhidden");
        assert_eq!(masked("plain ä", Colours::None), "plain ä");
    }

    #[test]
    fn plain_is_plain() {
        assert_eq!(Paint::Plain.bold(Colour::Red, "x"), "x");
        assert_eq!(Paint::Ansi.colour(Colour::None, "x"), "x");
        assert_eq!(Paint::Ansi.colour(Colour::Red, "x"), "\x1b[31mx\x1b[0m");
    }
}

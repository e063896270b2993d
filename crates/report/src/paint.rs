//! Text for terminals: colours, and lines that fit.

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
    fn code(self, code: &str, text: &str) -> String {
        match self {
            Paint::Ansi if !code.is_empty() && !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            Paint::Ansi | Paint::Plain => text.to_string(),
        }
    }

    /// Text in a colour.
    pub fn colour(self, colour: Colour, text: &str) -> String {
        let code = match colour {
            Colour::None => "",
            Colour::Red => "31",
            Colour::Green => "32",
            Colour::Yellow => "33",
        };
        self.code(code, text)
    }

    /// Bold text in a colour.
    pub fn bold(self, colour: Colour, text: &str) -> String {
        let code = match colour {
            Colour::None => "1",
            Colour::Red => "1;31",
            Colour::Green => "1;32",
            Colour::Yellow => "1;33",
        };
        self.code(code, text)
    }

    /// Text that steps back.
    pub fn dim(self, text: &str) -> String {
        self.code("2", text)
    }
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
    use super::{Colour, Paint, wrap};

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
    fn plain_is_plain() {
        assert_eq!(Paint::Plain.bold(Colour::Red, "x"), "x");
        assert_eq!(Paint::Ansi.colour(Colour::None, "x"), "x");
        assert_eq!(Paint::Ansi.colour(Colour::Red, "x"), "\x1b[31mx\x1b[0m");
    }
}

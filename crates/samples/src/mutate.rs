//! Broken texts: a valid one with characters, words or lines dropped, doubled, swapped or
//! replaced.

use crate::Rng;

const FRAGMENTS: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "..",
    "any",
    "0",
    "99999999999999999999",
    "-1",
    "/*",
    "*/",
    "//",
    "=",
    "if",
    "while",
    "atomic",
    "\u{e9}",
    "\0",
    "spawn",
    "1..0",
];

/// A mutated text.
pub fn mutate(text: &str, rng: &mut Rng) -> String {
    let mut text = text.to_string();
    for _ in 0..1 + rng.below(3) {
        text = mutate_once(&text, rng);
    }
    text
}

fn mutate_once(text: &str, rng: &mut Rng) -> String {
    let chars: Vec<char> = text.chars().collect();
    let lines: Vec<&str> = text.lines().collect();
    if chars.is_empty() || lines.is_empty() {
        return FRAGMENTS[rng.below(FRAGMENTS.len())].to_string();
    }
    let at = rng.below(chars.len());
    let join = |lines: Vec<&str>| lines.join("\n");
    let splice = |from: usize, to: usize, middle: &str| {
        let (head, tail): (String, String) = (chars[..from].iter().collect(), chars[to..].iter().collect());
        format!("{head}{middle}{tail}")
    };
    match rng.below(7) {
        0 => splice(at, at + 1, ""),
        1 => splice(at, at, rng.pick(&FRAGMENTS)),
        2 => splice(at, at + 1, rng.pick(&FRAGMENTS)),
        3 => splice(at, chars.len(), ""),
        4 => {
            let mut lines = lines;
            lines.remove(rng.below(lines.len()));
            join(lines)
        }
        5 => {
            let mut lines = lines;
            let line = lines[rng.below(lines.len())];
            lines.insert(rng.below(lines.len()), line);
            join(lines)
        }
        _ => {
            let mut lines = lines;
            let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
            lines.swap(a, b);
            join(lines)
        }
    }
}

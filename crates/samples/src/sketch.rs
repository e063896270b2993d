//! Programs as nested pieces of text, which can be shrunk by leaving pieces out.

use std::fmt;

/// A line, or lines around others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// One line.
    Line(String),
    /// A block: its head, its parts, each a list of pieces, what is between them, its end.
    Block {
        /// First line.
        head: String,
        /// Contents.
        parts: Vec<Vec<Piece>>,
        /// The line between two parts.
        between: String,
        /// Last line.
        end: String,
    },
}

impl Piece {
    /// A line.
    pub fn line(text: impl Into<String>) -> Piece {
        Piece::Line(text.into())
    }

    /// A block with one part that ends in `}`.
    pub fn block(head: impl Into<String>, part: Vec<Piece>) -> Piece {
        Piece::Block { head: head.into(), parts: vec![part], between: String::new(), end: "}".into() }
    }
}

/// A program text in pieces.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sketch(pub Vec<Piece>);

impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn print(f: &mut fmt::Formatter<'_>, pieces: &[Piece], indent: usize) -> fmt::Result {
            for piece in pieces {
                match piece {
                    Piece::Line(text) => writeln!(f, "{:indent$}{text}", "")?,
                    Piece::Block { head, parts, between, end } => {
                        for (i, part) in parts.iter().enumerate() {
                            writeln!(f, "{:indent$}{}", "", if i == 0 { head } else { between })?;
                            print(f, part, indent + 4)?;
                        }
                        writeln!(f, "{:indent$}{end}", "")?;
                    }
                }
            }
            Ok(())
        }
        print(f, &self.0, 0)
    }
}

/// The smallest program that shrinking finds for which `fails` still holds. `fails` is false for
/// a text that does not parse.
pub fn shrink(mut sketch: Sketch, mut fails: impl FnMut(&str) -> bool) -> Sketch {
    loop {
        let smaller = candidates(&sketch.0).into_iter().map(Sketch).find(|s| fails(&s.to_string()));
        match smaller {
            Some(smaller) => sketch = smaller,
            None => return sketch,
        }
    }
}

/// All lists with one piece left out, a block replaced by a part of it, or a piece shrunk inside.
fn candidates(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut all = Vec::new();
    let with = |i: usize, replacement: Vec<Piece>| [&pieces[..i], &replacement, &pieces[i + 1..]].concat();
    for (i, piece) in pieces.iter().enumerate() {
        all.push(with(i, Vec::new()));
        let Piece::Block { head, parts, between, end } = piece else { continue };
        for (p, part) in parts.iter().enumerate() {
            all.push(with(i, part.clone()));
            for inner in candidates(part) {
                let mut parts = parts.clone();
                parts[p] = inner;
                let block =
                    Piece::Block { head: head.clone(), parts, between: between.clone(), end: end.clone() };
                all.push(with(i, vec![block]));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinks_to_what_matters() {
        let sketch = Sketch(vec![
            Piece::line("a"),
            Piece::block(
                "if {",
                vec![Piece::line("b"), Piece::line("bad"), Piece::block("while {", vec![Piece::line("c")])],
            ),
            Piece::line("d"),
        ]);
        assert_eq!(shrink(sketch, |text| text.contains("bad")).to_string(), "bad\n");
    }
}

//! Relations between two events, in diy's notation, and cycles of them.
//!
//! `Rfe` goes from a write to a read of it in another thread, `Fre` from a read to a write after the one
//! that it read, `Coe` (also `Wse`) from a write to a later one of the same location; with `i` for `e`,
//! within one thread. `PodWR` goes from a write to a later read of another location in the same thread,
//! `PosWR` to the same location; `MFencedWR` and `MFencesWR` have an `mfence` in between, and so for
//! `SFence` and `LFence`.

use std::fmt;

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Dir {
    /// It writes.
    W,
    /// It reads.
    R,
}

/// Whether a relation stays in its thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Reach {
    /// It stays.
    Internal,
    /// It leads to another thread.
    External,
}

/// Whether a relation stays at its location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Where {
    /// It stays.
    Same,
    /// It leads to another location.
    Different,
}

/// What is between two instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// `mfence`
    MFence,
    /// `sfence`
    SFence,
    /// `lfence`
    LFence,
}

/// How values flow between two events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Flow {
    /// Reads from.
    Rf,
    /// From a read to a later write.
    Fr,
    /// Coherence.
    Co,
}

/// A relation between two events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Edge {
    /// Communication.
    Com(Flow, Reach),
    /// Program order.
    Po(Between, Where, Dir, Dir),
}

impl Edge {
    /// What the relation starts at.
    pub fn from(self) -> Dir {
        match self {
            Edge::Com(Flow::Rf | Flow::Co, _) => Dir::W,
            Edge::Com(Flow::Fr, _) => Dir::R,
            Edge::Po(_, _, from, _) => from,
        }
    }

    /// What it leads to.
    pub fn to(self) -> Dir {
        match self {
            Edge::Com(Flow::Rf, _) => Dir::R,
            Edge::Com(Flow::Fr | Flow::Co, _) => Dir::W,
            Edge::Po(_, _, _, to) => to,
        }
    }

    /// Whether it leads to another thread.
    pub fn is_external(self) -> bool {
        matches!(self, Edge::Com(_, Reach::External))
    }

    /// Whether it leads to another location.
    pub fn changes_location(self) -> bool {
        matches!(self, Edge::Po(_, Where::Different, _, _))
    }

    /// Its name within a test's name.
    pub fn short_name(self) -> String {
        match self {
            Edge::Com(flow, reach) => {
                let flow = match flow {
                    Flow::Rf => "rf",
                    Flow::Fr => "fr",
                    Flow::Co => "co",
                };
                format!("{flow}{}", if reach == Reach::External { "e" } else { "i" })
            }
            Edge::Po(between, place, _, _) => {
                let between = match between {
                    Between::Nothing => "po",
                    Between::MFence => "mfence",
                    Between::SFence => "sfence",
                    Between::LFence => "lfence",
                };
                format!("{between}{}", if place == Where::Same { "s" } else { "" })
            }
        }
    }

    /// The relation of a name.
    pub fn parse(text: &str) -> Option<Edge> {
        let com = |flow, reach| Some(Edge::Com(flow, reach));
        match text {
            "Rfe" => return com(Flow::Rf, Reach::External),
            "Rfi" => return com(Flow::Rf, Reach::Internal),
            "Fre" => return com(Flow::Fr, Reach::External),
            "Fri" => return com(Flow::Fr, Reach::Internal),
            "Coe" | "Wse" => return com(Flow::Co, Reach::External),
            "Coi" | "Wsi" => return com(Flow::Co, Reach::Internal),
            _ => {}
        }
        let kinds = [
            ("MFence", Between::MFence),
            ("SFence", Between::SFence),
            ("LFence", Between::LFence),
            ("Po", Between::Nothing),
        ];
        let (between, rest) = kinds.iter().find_map(|(name, b)| Some((*b, text.strip_prefix(name)?)))?;
        let mut letters = rest.chars();
        let place = match letters.next()? {
            'd' => Where::Different,
            's' => Where::Same,
            _ => return None,
        };
        let mut dir = || match letters.next()? {
            'W' => Some(Dir::W),
            'R' => Some(Dir::R),
            _ => None,
        };
        let (from, to) = (dir()?, dir()?);
        letters.next().is_none().then_some(Edge::Po(between, place, from, to))
    }
}

impl fmt::Display for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Dir::W { "W" } else { "R" })
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edge::Com(flow, reach) => {
                let flow = match flow {
                    Flow::Rf => "Rf",
                    Flow::Fr => "Fr",
                    Flow::Co => "Co",
                };
                write!(f, "{flow}{}", if *reach == Reach::External { "e" } else { "i" })
            }
            Edge::Po(between, place, from, to) => {
                let between = match between {
                    Between::Nothing => "Po",
                    Between::MFence => "MFence",
                    Between::SFence => "SFence",
                    Between::LFence => "LFence",
                };
                write!(f, "{between}{}{from}{to}", if *place == Where::Same { "s" } else { "d" })
            }
        }
    }
}

/// A cycle of relations that some test stands for: its last relation leads to another thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Cycle(Vec<Edge>);

impl Cycle {
    /// Checks that the relations are a cycle, and turns it so that it ends with another thread.
    pub fn new(mut edges: Vec<Edge>) -> Result<Cycle, String> {
        for (i, edge) in edges.iter().enumerate() {
            let next = edges[(i + 1) % edges.len()];
            if edge.to() != next.from() {
                return Err(format!(
                    "{edge} leads to a {}, and {next} starts at a {}",
                    event(edge.to()),
                    event(next.from())
                ));
            }
        }
        if edges.iter().filter(|e| e.is_external()).count() < 2 {
            return Err("a cycle leads from thread to thread at least twice, by Rfe, Fre or Coe".to_string());
        }
        if edges.iter().filter(|e| e.changes_location()).count() == 1 {
            return Err(
                "a single relation between different locations cannot come back to the first".to_string()
            );
        }
        while edges.last().is_some_and(|e| !e.is_external()) {
            edges.rotate_left(1);
        }
        Ok(Cycle(edges))
    }

    /// Reads a cycle: relations between blanks.
    pub fn parse(text: &str) -> Result<Cycle, String> {
        let known = "known are Rfe, Rfi, Fre, Fri, Coe (Wse), Coi (Wsi), and Pod, Pos, MFenced, MFences, SFenced, \
                     SFences, LFenced, LFences with WW, WR, RW or RR behind";
        let edge = |word: &str| Edge::parse(word).ok_or_else(|| format!("`{word}` is no relation; {known}"));
        let edges = text.split_whitespace().map(edge).collect::<Result<Vec<_>, _>>()?;
        Cycle::new(edges)
    }

    /// The relations.
    pub fn edges(&self) -> &[Edge] {
        &self.0
    }

    /// The same cycle, started at each of its threads.
    pub fn rotations(&self) -> Vec<Cycle> {
        let mut rotations = Vec::new();
        for i in 0..self.0.len() {
            let mut edges = self.0.clone();
            edges.rotate_left(i);
            if edges[edges.len() - 1].is_external() {
                rotations.push(Cycle(edges));
            }
        }
        rotations
    }

    /// The relations of each thread: those within it, and the one that leads on.
    pub fn threads(&self) -> Vec<(&[Edge], Edge)> {
        let pieces = self.0.split_inclusive(|e| e.is_external());
        pieces.map(|p| (&p[..p.len() - 1], p[p.len() - 1])).collect()
    }
}

fn event(dir: Dir) -> &'static str {
    match dir {
        Dir::W => "write",
        Dir::R => "read",
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges: Vec<String> = self.0.iter().map(Edge::to_string).collect();
        f.write_str(&edges.join(" "))
    }
}

//! Relations on the events of a graph, as rows of bits, with the operations that axioms are written in.
//!
//! Compositions and closures take the cube of the number of events, so they count what they do.

use fencepost_task::{Pace, Stop};

/// Words of rows, or pairs, whose change is a unit of work.
const WORDS_A_UNIT: u64 = 1024;

/// Counts words.
struct Counter<'p> {
    pace: &'p mut Pace,
    words: u64,
}

impl<'p> Counter<'p> {
    fn new(pace: &'p mut Pace) -> Counter<'p> {
        // What is smaller than a unit is one, too.
        Counter { pace, words: WORDS_A_UNIT }
    }

    fn count(&mut self, words: usize) -> Result<(), Stop> {
        self.words += words as u64;
        match self.words / WORDS_A_UNIT {
            0 => Ok(()),
            units => {
                self.words %= WORDS_A_UNIT;
                self.pace.work(units, || 0)
            }
        }
    }
}

/// A relation on the numbers below some size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    size: usize,
    /// Words of a row.
    words: usize,
    rows: Vec<u64>,
}

impl Matrix {
    /// The empty relation.
    pub fn new(size: usize) -> Matrix {
        let words = size.div_ceil(64);
        Matrix { size, words, rows: vec![0; size * words] }
    }

    /// The bytes of a relation.
    pub fn bytes(size: usize) -> u64 {
        size as u64 * size.div_ceil(64) as u64 * size_of::<u64>() as u64
    }

    /// The pairs for which `holds`.
    pub fn of(size: usize, pace: &mut Pace, holds: impl Fn(usize, usize) -> bool) -> Result<Matrix, Stop> {
        let mut matrix = Matrix::new(size);
        let mut counter = Counter::new(pace);
        for from in 0..size {
            counter.count(size)?;
            for to in (0..size).filter(|to| holds(from, *to)) {
                matrix.add(from, to);
            }
        }
        Ok(matrix)
    }

    /// Everything that satisfies the condition, with itself.
    pub fn identity(size: usize, holds: impl Fn(usize) -> bool) -> Matrix {
        let mut matrix = Matrix::new(size);
        (0..size).filter(|i| holds(*i)).for_each(|i| matrix.add(i, i));
        matrix
    }

    /// Adds a pair.
    pub fn add(&mut self, from: usize, to: usize) {
        self.rows[from * self.words + to / 64] |= 1 << (to % 64);
    }

    /// Whether a pair is in it.
    pub fn has(&self, from: usize, to: usize) -> bool {
        self.rows[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    /// `self ∪ other`
    pub fn or(mut self, other: &Matrix) -> Matrix {
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a |= b);
        self
    }

    /// `self ∩ other`
    pub fn and(mut self, other: &Matrix) -> Matrix {
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a &= b);
        self
    }

    /// `self \ other`
    pub fn without(mut self, other: &Matrix) -> Matrix {
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a &= !b);
        self
    }

    /// `self ; other`
    pub fn then(&self, other: &Matrix, pace: &mut Pace) -> Result<Matrix, Stop> {
        let mut composed = Matrix::new(self.size);
        let mut counter = Counter::new(pace);
        for from in 0..self.size {
            counter.count(self.size)?;
            for via in (0..self.size).filter(|via| self.has(from, *via)) {
                counter.count(self.words)?;
                composed.take_row(from, other, via);
            }
        }
        Ok(composed)
    }

    /// `self?`
    pub fn maybe(self) -> Matrix {
        let identity = Matrix::identity(self.size, |_| true);
        self.or(&identity)
    }

    /// `self+`
    pub fn closure(mut self, pace: &mut Pace) -> Result<Matrix, Stop> {
        let mut counter = Counter::new(pace);
        for via in 0..self.size {
            counter.count(self.size)?;
            let row = self.row(via).to_vec();
            for from in 0..self.size {
                if self.has(from, via) {
                    counter.count(self.words)?;
                    let start = from * self.words;
                    self.rows[start..start + self.words].iter_mut().zip(&row).for_each(|(a, b)| *a |= b);
                }
            }
        }
        Ok(self)
    }

    /// Whether nothing is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        !(0..self.size).any(|i| self.has(i, i))
    }

    /// Whether it has no cycle.
    pub fn is_acyclic(&self, pace: &mut Pace) -> Result<bool, Stop> {
        Ok(self.clone().closure(pace)?.is_irreflexive())
    }

    /// Whether it has no pair.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|word| *word == 0)
    }

    fn row(&self, from: usize) -> &[u64] {
        &self.rows[from * self.words..(from + 1) * self.words]
    }

    fn take_row(&mut self, to: usize, other: &Matrix, from: usize) {
        let start = to * self.words;
        let row = &mut self.rows[start..start + self.words];
        row.iter_mut().zip(other.row(from)).for_each(|(a, b)| *a |= b);
    }
}

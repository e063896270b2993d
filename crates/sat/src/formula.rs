//! Clauses as data, and their DIMACS form.

use std::io::{self, Write};

/// A conjunction of clauses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Formula {
    /// Literals of all clauses, each ended by 0.
    literals: Vec<i32>,
    clauses: u64,
    variables: i32,
}

impl Formula {
    /// Adds a clause.
    pub fn add(&mut self, clause: &[i32]) {
        self.literals.extend_from_slice(clause);
        self.literals.push(0);
        self.clauses += 1;
        self.variables = clause.iter().map(|l| l.abs()).fold(self.variables, i32::max);
    }

    /// Number of clauses.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// The largest variable.
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// Calls `see` on each clause.
    pub fn each(&self, mut see: impl FnMut(&[i32])) {
        self.literals.split(|l| *l == 0).take(self.clauses as usize).for_each(&mut see);
    }

    /// Writes the formula as DIMACS, the comment first.
    pub fn write(&self, comment: &str, out: &mut impl Write) -> io::Result<()> {
        for line in comment.lines() {
            writeln!(out, "c {line}")?;
        }
        writeln!(out, "p cnf {} {}", self.variables, self.clauses)?;
        let mut text = String::new();
        for clause in self.literals.split(|l| *l == 0).take(self.clauses as usize) {
            text.clear();
            clause.iter().for_each(|l| text.push_str(&format!("{l} ")));
            writeln!(out, "{text}0")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimacs_counts_what_it_lists() {
        let mut formula = Formula::default();
        formula.add(&[1, -3]);
        formula.add(&[]);
        formula.add(&[2]);
        let mut text = Vec::new();
        formula.write("two\nlines", &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "c two\nc lines\np cnf 3 3\n1 -3 0\n0\n2 0\n");
        let mut seen = Vec::new();
        formula.each(|c| seen.push(c.len()));
        assert_eq!(seen, [2, 0, 1]);
    }
}

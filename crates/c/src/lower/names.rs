//! Names of variables that no other has.

use super::Variable;
use std::collections::{HashMap, HashSet};

/// The names in a table of variables, which only grows.
#[derive(Default)]
pub(super) struct Taken {
    names: HashSet<String>,
    /// How much of the table is known.
    seen: usize,
    /// The last number that was given to each name.
    copies: HashMap<String, u32>,
}

impl Taken {
    /// The name, or its first copy that is not in the table.
    pub(super) fn free(&mut self, table: &[Variable], name: &str) -> String {
        self.names.extend(table[self.seen..].iter().map(|v| v.name.clone()));
        self.seen = table.len();
        if !self.names.contains(name) {
            return name.to_string();
        }
        let copy = self.copies.entry(name.to_string()).or_insert(1);
        loop {
            *copy += 1;
            let candidate = format!("{name}.{copy}");
            if !self.names.contains(&candidate) {
                return candidate;
            }
        }
    }
}

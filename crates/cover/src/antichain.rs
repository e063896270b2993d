//! The minimal configurations found so far: no two of them comparable.
//!
//! A configuration can only be below one that has all its control states. So configurations are found
//! by their control states: those below a new one have a part of its states, those above it have one
//! of its states and more.

use crate::configuration::Configuration;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// A configuration that was generated, by its number.
pub type Id = u32;

/// So many parts of the control states are looked up in any case.
const MANY_PARTS: usize = 1 << 10;

/// A process's group and control state.
type Control = (u16, u32);

/// The antichain.
#[derive(Default)]
pub struct Antichain {
    /// Every configuration that was ever kept.
    all: Vec<Configuration>,
    /// Whether it is kept still.
    alive: Vec<bool>,
    /// By control states, sorted.
    by_states: FxHashMap<Vec<Control>, Vec<Id>>,
    /// By one control state.
    by_state: FxHashMap<Control, Vec<Id>>,
    living: usize,
    /// Configurations and sets of control states that were looked at.
    looked_at: Cell<u64>,
}

fn controls(configuration: &Configuration) -> Vec<Control> {
    configuration.processes.iter().map(|p| (p.group, p.state)).collect()
}

impl Antichain {
    /// A configuration.
    pub fn get(&self, id: Id) -> &Configuration {
        &self.all[id as usize]
    }

    /// Whether it is kept still.
    pub fn is_alive(&self, id: Id) -> bool {
        self.alive[id as usize]
    }

    /// Those that are kept.
    pub fn living(&self) -> impl Iterator<Item = &Configuration> {
        self.all.iter().zip(&self.alive).filter(|(_, alive)| **alive).map(|(c, _)| c)
    }

    /// How much work it was so far: configurations and sets of control states that were looked at.
    pub fn work(&self) -> u64 {
        self.looked_at.get()
    }

    fn count(&self, more: usize) {
        self.looked_at.set(self.looked_at.get() + more as u64);
    }

    /// Whether a kept configuration is below this one.
    pub fn covers(&self, configuration: &Configuration) -> bool {
        let states = controls(configuration);
        // With many threads there are fewer configurations than parts of their states.
        if states.len() >= usize::BITS as usize || 1 << states.len() > self.all.len().max(MANY_PARTS) {
            self.count(self.all.len());
            return self.living().any(|kept| kept.is_below(configuration));
        }
        let mut part = Vec::with_capacity(states.len());
        self.covers_part(configuration, &states, &mut part)
    }

    /// Looks up every part of the control states, equal ones once.
    fn covers_part(&self, configuration: &Configuration, rest: &[Control], part: &mut Vec<Control>) -> bool {
        let Some((first, others)) = rest.split_first() else {
            self.count(1);
            let Some(ids) = self.by_states.get(part) else { return false };
            self.count(ids.len());
            return ids
                .iter()
                .any(|id| self.alive[*id as usize] && self.all[*id as usize].is_below(configuration));
        };
        part.push(*first);
        if self.covers_part(configuration, others, part) {
            return true;
        }
        part.pop();
        // Leaving out one of several equal states leaves out all that follow it.
        let different = others.iter().position(|c| c != first).unwrap_or(others.len());
        self.covers_part(configuration, &others[different..], part)
    }

    /// Keeps a configuration that none is below, and drops those above it.
    pub fn insert(&mut self, configuration: Configuration) -> Id {
        let states = controls(&configuration);
        // The state with the fewest configurations has to be in all that are above.
        let empty = Vec::new();
        let lists = states.iter().map(|c| self.by_state.get(c).unwrap_or(&empty));
        let candidates = lists.min_by_key(|list| list.len()).unwrap_or(&empty);
        self.count(candidates.len());
        let above: Vec<Id> = candidates
            .iter()
            .copied()
            .filter(|id| self.alive[*id as usize] && configuration.is_below(&self.all[*id as usize]))
            .collect();
        for id in above {
            self.alive[id as usize] = false;
            self.living -= 1;
        }
        let id = self.all.len() as Id;
        let mut distinct = states.clone();
        distinct.dedup();
        for control in distinct {
            self.by_state.entry(control).or_default().push(id);
        }
        self.by_states.entry(states).or_default().push(id);
        self.all.push(configuration);
        self.alive.push(true);
        self.living += 1;
        debug_assert!(self.living > 200 || self.check_invariant(), "two kept configurations are comparable");
        id
    }

    /// Whether no two kept configurations are comparable.
    fn check_invariant(&self) -> bool {
        let living: Vec<_> = self.living().collect();
        living
            .iter()
            .enumerate()
            .all(|(i, a)| living.iter().enumerate().all(|(j, b)| i == j || !a.is_below(b)))
    }
}

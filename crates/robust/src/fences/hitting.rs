//! Minimum-cost hitting sets, exactly: which cheapest set of elements meets every clause.
//!
//! Branch and bound. The clause with the fewest elements left is met by each of its elements in turn; an
//! element that was tried is excluded from what follows, so no set is seen twice. What clauses without a
//! common element cost at least, added up, bounds the rest. With prices above zero every cheapest set is
//! found on some branch: the first of its elements in each clause is never excluded on the way.

use fencepost_task::Stop;
use std::collections::BTreeSet;

/// Clauses over priced elements.
#[derive(Clone, Debug, Default)]
pub struct HittingSets {
    prices: Vec<u32>,
    clauses: BTreeSet<Vec<usize>>,
}

/// Asked now and then whether the search may continue.
pub type Look<'a> = &'a mut dyn FnMut() -> Result<(), Stop>;

impl HittingSets {
    /// Elements with their prices, all above zero; no clauses yet.
    pub fn new(prices: Vec<u32>) -> HittingSets {
        assert!(prices.iter().all(|p| *p > 0), "what costs nothing would be chosen without need");
        HittingSets { prices, clauses: BTreeSet::new() }
    }

    /// Adds a clause: one of these elements must be chosen. False if it was there.
    pub fn add(&mut self, mut clause: Vec<usize>) -> bool {
        clause.sort_unstable();
        clause.dedup();
        self.clauses.insert(clause)
    }

    /// How many clauses there are.
    pub fn clauses(&self) -> usize {
        self.clauses.len()
    }

    /// The clauses.
    pub fn all_clauses(&self) -> impl Iterator<Item = &Vec<usize>> {
        self.clauses.iter()
    }

    /// What a set costs.
    pub fn cost(&self, set: &[usize]) -> u64 {
        set.iter().map(|&e| u64::from(self.prices[e])).sum()
    }

    /// A cheapest set; `None` if a clause is empty.
    pub fn minimum(&self, look: Look<'_>) -> Result<Option<Vec<usize>>, Stop> {
        let mut best = Best { cost: u64::MAX, sets: Vec::new(), keep: 1, more: false };
        self.search(&mut best, look)?;
        Ok(best.sets.pop())
    }

    /// All cheapest sets, but no more than `limit` of them, and whether there are more.
    pub fn all_minimum(&self, limit: usize, look: Look<'_>) -> Result<(Vec<Vec<usize>>, bool), Stop> {
        let mut best = Best { cost: u64::MAX, sets: Vec::new(), keep: 1, more: false };
        self.search(&mut best, look)?;
        let mut best = Best { cost: best.cost, sets: Vec::new(), keep: limit, more: false };
        self.search(&mut best, look)?;
        best.sets.sort();
        Ok((best.sets, best.more))
    }

    fn search(&self, best: &mut Best, look: Look<'_>) -> Result<(), Stop> {
        let mut clauses: Vec<&[usize]> = self.clauses.iter().map(Vec::as_slice).collect();
        clauses.sort_by_key(|c| c.len());
        let mut node = Node {
            prices: &self.prices,
            excluded: vec![false; self.prices.len()],
            chosen: Vec::new(),
            cost: 0,
            steps: 0,
        };
        node.branch(&clauses, best, look)
    }
}

/// The cheapest sets so far.
struct Best {
    cost: u64,
    sets: Vec<Vec<usize>>,
    /// With 1, equally expensive sets are not looked for.
    keep: usize,
    more: bool,
}

impl Best {
    fn is_worth(&self, cost: u64) -> bool {
        if self.keep == 1 && !self.sets.is_empty() { cost < self.cost } else { cost <= self.cost }
    }

    fn offer(&mut self, cost: u64, set: &[usize]) {
        if cost < self.cost || self.keep == 1 {
            self.sets.clear();
            self.cost = cost;
        }
        if self.sets.len() == self.keep {
            self.more = true;
            return;
        }
        let mut set = set.to_vec();
        set.sort_unstable();
        self.sets.push(set);
    }
}

struct Node<'a> {
    prices: &'a [u32],
    excluded: Vec<bool>,
    chosen: Vec<usize>,
    cost: u64,
    steps: u64,
}

impl Node<'_> {
    fn branch(&mut self, clauses: &[&[usize]], best: &mut Best, look: Look<'_>) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps.is_multiple_of(256) {
            look()?;
        }
        let open: Vec<&[usize]> =
            clauses.iter().filter(|c| !c.iter().any(|e| self.chosen.contains(e))).copied().collect();
        let Some(bound) = self.bound(&open) else { return Ok(()) };
        if !best.is_worth(self.cost + bound) || best.more {
            return Ok(());
        }
        let left = |c: &&&[usize]| c.iter().filter(|&&e| !self.excluded[e]).count();
        let Some(&clause) = open.iter().min_by_key(left) else {
            best.offer(self.cost, &self.chosen);
            return Ok(());
        };
        let elements: Vec<usize> = clause.iter().copied().filter(|&e| !self.excluded[e]).collect();
        for &element in &elements {
            self.chosen.push(element);
            self.cost += u64::from(self.prices[element]);
            let result = self.branch(&open, best, look);
            self.cost -= u64::from(self.prices[element]);
            self.chosen.pop();
            result?;
            self.excluded[element] = true;
        }
        elements.iter().for_each(|&e| self.excluded[e] = false);
        Ok(())
    }

    /// What the open clauses cost at least; `None` if one of them cannot be met any more.
    fn bound(&self, open: &[&[usize]]) -> Option<u64> {
        let mut taken = vec![false; self.prices.len()];
        let mut sum = 0;
        for clause in open {
            let left = || clause.iter().filter(|&&e| !self.excluded[e]);
            let cheapest = left().map(|&e| u64::from(self.prices[e])).min()?;
            if left().all(|&e| !taken[e]) {
                sum += cheapest;
                left().for_each(|&e| taken[e] = true);
            }
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_samples::Rng;

    /// All cheapest sets by trying all subsets.
    fn brute_force(prices: &[u32], clauses: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let subsets = (0u32..1 << prices.len())
            .map(|bits| (0..prices.len()).filter(|i| bits >> i & 1 == 1).collect::<Vec<usize>>());
        let hitting: Vec<_> =
            subsets.filter(|s| clauses.iter().all(|c| c.iter().any(|e| s.contains(e)))).collect();
        let cost = |s: &Vec<usize>| s.iter().map(|&e| prices[e]).sum::<u32>();
        let least = hitting.iter().map(cost).min();
        let mut all: Vec<_> = hitting.into_iter().filter(|s| Some(cost(s)) == least).collect();
        all.sort();
        all
    }

    #[test]
    fn agrees_with_all_subsets() {
        let mut rng = Rng::new(1);
        for round in 0..3000 {
            let elements = 1 + rng.below(9);
            let prices: Vec<u32> = (0..elements).map(|_| 1 + rng.below(4) as u32).collect();
            let mut sets = HittingSets::new(prices.clone());
            let mut clauses = Vec::new();
            for _ in 0..rng.below(9) {
                let clause: Vec<usize> = (0..elements).filter(|_| rng.one_in(3)).collect();
                if !clause.is_empty() || rng.one_in(4) {
                    clauses.push(clause.clone());
                    sets.add(clause);
                }
            }
            let expected = brute_force(&prices, &clauses);
            let (all, more) = sets.all_minimum(10_000, &mut || Ok(())).unwrap();
            assert_eq!((all, more), (expected.clone(), false), "round {round}: {prices:?} {clauses:?}");
            let one = sets.minimum(&mut || Ok(())).unwrap();
            assert_eq!(one.is_some(), !expected.is_empty());
            assert!(one.is_none_or(|one| expected.contains(&one)));
        }
    }

    #[test]
    fn a_limit_is_said() {
        let mut sets = HittingSets::new(vec![1; 4]);
        sets.add(vec![0, 1, 2, 3]);
        let (all, more) = sets.all_minimum(3, &mut || Ok(())).unwrap();
        assert_eq!((all.len(), more), (3, true));
        let (all, more) = sets.all_minimum(4, &mut || Ok(())).unwrap();
        assert_eq!((all.len(), more), (4, false));
    }

    #[test]
    fn stops_when_told() {
        let mut sets = HittingSets::new(vec![1; 60]);
        for i in 0..30 {
            for j in 0..30 {
                sets.add(vec![i, 30 + j]);
            }
        }
        let mut asked = 0;
        let _ = sets.minimum(&mut || {
            asked += 1;
            Err(Stop::Timeout)
        });
        assert!(asked <= 1);
    }
}

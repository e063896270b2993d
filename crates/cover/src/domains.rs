//! The values that each variable can hold.

use crate::automaton::{Value, Var};
use crate::local::Infinite;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::Program;

/// More values of one variable than this are taken for infinitely many.
pub(crate) const MAX_VALUES: usize = 4096;

/// More values of one variable than this are not a few.
const FEW_VALUES: usize = 64;

/// Which values variables are taken to hold. The least sets that are closed under what threads do, each by itself, may be
/// infinite where those of the program are not: a counter of the threads in a critical section. So the sets may be
/// cut: to store any other value is then one more thing that must not be reached, and if it is not, the
/// sets were large enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Closed sets, if they are small.
    Few,
    /// What is found when each thread has been explored so many times.
    Rounds(u32),
    /// Closed sets.
    All,
}

impl Values {
    /// What is tried, in this order: closed sets first, since nothing else must be proved of them.
    pub(crate) const TRIED: [Values; 6] = [
        Values::Few,
        Values::Rounds(1),
        Values::Rounds(3),
        Values::Rounds(8),
        Values::Rounds(24),
        Values::All,
    ];

    /// The most that a variable may have.
    pub(crate) fn most(self) -> usize {
        if self == Values::Few { FEW_VALUES } else { MAX_VALUES }
    }
}

/// The values of each variable, in the order in which they were found; the first are initial.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Domains {
    /// For each cell.
    pub values: Vec<Vec<i64>>,
    /// How many of them are initial.
    pub initial: Vec<usize>,
    /// Whether no more are added.
    pub(crate) closed: bool,
    /// A variable that has more values than any may have.
    pub(crate) overfull: Option<Var>,
}

impl Domains {
    /// The initial values.
    pub fn new(program: &Program) -> Result<Domains, Infinite> {
        let cells: usize = program.objects.iter().map(|o| o.init.len()).sum();
        if cells > usize::from(Var::MAX) {
            return Err("there are too many variables".to_string());
        }
        let types = program.cell_types();
        let mut domains = Domains::default();
        let mut cell = 0;
        for object in &program.objects {
            if object.ty.is_unbounded() {
                return Err(format!("`{}` is an array without end", object.name));
            }
            if program.records.has_union(&object.ty) {
                return Err(format!("`{}` has a union, or is accessed in several sizes", object.name));
            }
            for choices in object.init.iter() {
                let values = match types[cell] {
                    Scalar::Mutex => vec![0, 1],
                    _ if choices.count() > MAX_VALUES as u128 => {
                        return Err(format!("`{}` can start with too many values", object.name));
                    }
                    _ => choices.values().collect(),
                };
                domains.initial.push(if types[cell] == Scalar::Mutex { 1 } else { values.len() });
                domains.values.push(values);
                cell += 1;
            }
        }
        Ok(domains)
    }

    /// The number of a value, if it is known.
    pub fn number(&self, var: Var, value: i64) -> Option<Value> {
        self.values[var as usize].iter().position(|v| *v == value).map(|i| i as Value)
    }

    /// The number of a value, which is added if it is not known and the sets are not closed.
    pub(crate) fn add(&mut self, var: Var, value: i64) -> Option<Value> {
        self.number(var, value).or_else(|| {
            let values = &mut self.values[var as usize];
            (!self.closed).then(|| {
                values.push(value);
                if values.len() > MAX_VALUES {
                    self.overfull = Some(var);
                }
                values.len() as Value - 1
            })
        })
    }
}

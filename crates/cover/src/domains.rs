//! The values that each variable can hold.

use crate::automaton::{Value, Var};
use crate::local::Infinite;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::Program;

/// More values of one variable than this are taken for infinitely many.
pub(crate) const MAX_VALUES: usize = 4096;

/// The values of each variable, in the order in which they were found; the first are initial.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Domains {
    /// For each cell.
    pub values: Vec<Vec<i64>>,
    /// How many of them are initial.
    pub initial: Vec<usize>,
}

impl Domains {
    /// The initial values.
    pub fn new(program: &Program) -> Result<Domains, Infinite> {
        let types = program.cell_types();
        let mut domains = Domains::default();
        let mut cell = 0;
        for object in &program.objects {
            if object.ty.is_unbounded() {
                return Err(format!("`{}` is an array without end", object.name));
            }
            if program.records.has_union(&object.ty) {
                return Err(format!("`{}` has a union", object.name));
            }
            for choices in &object.init {
                let values = match types[cell] {
                    Scalar::Mutex => vec![0],
                    _ if choices.count() > MAX_VALUES as u128 => {
                        return Err(format!("`{}` can start with too many values", object.name));
                    }
                    _ => choices.values().collect(),
                };
                domains.initial.push(values.len());
                domains.values.push(values);
                cell += 1;
            }
        }
        if domains.values.len() > usize::from(Var::MAX) {
            return Err("there are too many variables".to_string());
        }
        Ok(domains)
    }

    /// The number of a value, if it is known.
    pub fn number(&self, var: Var, value: i64) -> Option<Value> {
        self.values[var as usize].iter().position(|v| *v == value).map(|i| i as Value)
    }

    /// The number of a value, which is added if it is not known.
    pub(crate) fn add(&mut self, var: Var, value: i64) -> Value {
        self.number(var, value).unwrap_or_else(|| {
            self.values[var as usize].push(value);
            self.values[var as usize].len() as Value - 1
        })
    }
}

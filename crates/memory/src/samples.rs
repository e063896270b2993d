//! Which values are tried where a choice has too many to try them all. They can show an error; that there
//! are more is a limit, which the step without a value stands for.

use crate::machine::Machine;
use crate::model::Memory;
use crate::state::State;
use fencepost_ir::Scalar;
use fencepost_ir::cfg::{Address, Choices, Expr, Instr, ObjectId, Program, Storage};
use fencepost_ir::eval::eval;
use fencepost_task::{Action, Step};

/// So many are tried.
const MAX_SAMPLES: usize = 24;

impl Machine<'_> {
    /// Values of a choice among too many: the ends, and the program's constants that belong to it.
    pub(crate) fn samples<'c>(&'c self, choices: &'c Choices) -> impl Iterator<Item = i64> + 'c {
        self.constants.iter().copied().filter(|v| choices.contains(*v))
    }

    /// Whether the step can be taken in the state. Of a choice among too many values
    /// [`Machine::steps`] lists a few, but each of them can be taken.
    pub fn allows(&self, memory: &impl Memory, state: &State, step: Step) -> bool {
        let mut listed = Vec::new();
        self.steps(memory, state, &mut listed);
        if listed.contains(&step) {
            return true;
        }
        let Action::Edge(id, Some(value)) = step.action else { return false };
        // The step without a value stands for the values that are not listed.
        if !listed.contains(&Step { action: Action::Edge(id, None), ..step }) {
            return false;
        }
        let index = step.thread as usize;
        match &self.edge(&state.threads[index], id).instr {
            Instr::Havoc(_, choices) => choices.contains(value),
            Instr::Load(_, address) => {
                self.unwritten(state, index, address).is_some_and(|choices| choices.contains(value))
            }
            // Addresses that no thread knows are not listed, because their reuse does not matter.
            Instr::Allocate { ty, bytes, storage: Storage::Heap, .. } => {
                let bytes = eval(bytes, &state.threads[index]);
                let object = u32::try_from(value).map(ObjectId);
                bytes.is_ok_and(|bytes| object.is_ok_and(|object| self.fits(state, object, *ty, bytes)))
            }
            _ => false,
        }
    }

    /// What a load may see in memory that was never written.
    pub(crate) fn unwritten(&self, state: &State, index: usize, address: &Address) -> Option<Choices> {
        let Address::Pointed { ty: Scalar::Int(int), .. } = address else { return None };
        let place = self.resolve(state, index, address).ok()?;
        if self.is_known(state, index, place) {
            return None;
        }
        let (lo, hi) = match int.bits {
            64 => (i64::MIN, i64::MAX),
            _ => (int.limits().0 as i64, int.limits().1 as i64),
        };
        Some(Choices(vec![(lo, hi)]))
    }
}

/// Values that programs often treat apart: small ones, the ends of types, and those that comparisons
/// name. Sorted, and no more than a search can stand.
pub(crate) fn constants(program: &Program) -> Vec<i64> {
    let mut values: Vec<i64> = vec![0, 1, -1, i32::MAX.into(), i32::MIN.into(), i64::MAX, i64::MIN];
    for edge in program.procedures.iter().flat_map(|p| p.edges()) {
        edge.instr.expressions(&mut |e| {
            e.visit(&mut |e| {
                if let Expr::Binary(_, _, l, r) = e {
                    for side in [l, r] {
                        if let Expr::Const(v) = **side
                            && values.len() < MAX_SAMPLES
                        {
                            values.extend([v, v.wrapping_add(1), v.wrapping_sub(1)]);
                        }
                    }
                }
            });
        });
    }
    values.truncate(MAX_SAMPLES);
    values.sort_unstable();
    values.dedup();
    values
}

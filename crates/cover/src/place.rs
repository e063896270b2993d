//! Where a thread is when it is looked at alone.

use crate::automaton::{Value, Var};
use fencepost_ir::Fault;
use fencepost_ir::cfg::{Dest, EdgeId, NodeId, ProcId, Reg};
use fencepost_ir::eval::{Registers, element, eval};
use fencepost_task::Error;
use fencepost_task::certificate::{CertifiedFrame, CertifiedLife, CertifiedPlace};

/// A procedure that has been entered and not left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub(crate) procedure: ProcId,
    pub(crate) node: NodeId,
    pub(crate) base: u32,
    pub(crate) call: Option<EdgeId>,
}

/// What an open atomic section has read and written.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Section {
    pub(crate) depth: u32,
    pub(crate) guard: Vec<(Var, Value)>,
    pub(crate) update: Vec<(Var, Value)>,
}

/// How far a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Life {
    Running,
    Ended,
    Failed(Error),
    /// It stores a value that is not in the variable's set.
    Escaped,
}

/// Where a thread is: frames, registers, mutexes it holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub(crate) frames: Vec<Frame>,
    pub(crate) registers: Vec<i64>,
    pub(crate) held: Vec<Var>,
    pub(crate) section: Option<Section>,
    pub(crate) life: Life,
}

impl Place {
    pub(crate) fn top(&self) -> &Frame {
        self.frames.last().expect("a thread keeps its outermost frame")
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let section = self.section.as_ref().map_or(0, |s| s.guard.len() + s.update.len());
        let parts = size_of_val(&self.frames[..]) + size_of_val(&self.registers[..]);
        (size_of::<Place>() + parts + section * size_of::<(Var, Value)>()) as u64
    }

    pub(crate) fn slot(&self, reg: Reg) -> usize {
        match reg {
            Reg::Local(slot) => (self.top().base + slot) as usize,
            Reg::Thread(slot) => slot as usize,
        }
    }

    /// As plain data.
    pub fn certified(&self) -> CertifiedPlace {
        let frame = |f: &Frame| CertifiedFrame {
            procedure: f.procedure.0,
            node: f.node.0,
            call: f.call.map(|e| e.0),
        };
        CertifiedPlace {
            frames: self.frames.iter().map(frame).collect(),
            registers: self.registers.clone(),
            held: self.held.iter().map(|x| (*x).into()).collect(),
            life: match self.life {
                Life::Running => CertifiedLife::Running,
                Life::Ended => CertifiedLife::Ended,
                Life::Failed(_) | Life::Escaped => CertifiedLife::Failed,
            },
        }
    }

    /// What the thread has failed with.
    pub fn failure(&self) -> Option<Error> {
        match self.life {
            Life::Failed(failure) => Some(failure),
            Life::Running | Life::Ended | Life::Escaped => None,
        }
    }
}

impl Registers for Place {
    fn get(&self, reg: Reg) -> i64 {
        self.registers[self.slot(reg)]
    }
}

/// Sets a variable's value in a sorted list.
pub(crate) fn put(list: &mut Vec<(Var, Value)>, var: Var, value: Value) {
    match list.binary_search_by_key(&var, |(x, _)| *x) {
        Ok(i) => list[i].1 = value,
        Err(i) => list.insert(i, (var, value)),
    }
}

/// The place after a register got a value.
pub(crate) fn set(place: &Place, dest: &Dest, value: i64) -> Result<Place, Fault> {
    let reg = match dest {
        Dest::Reg(reg) => *reg,
        Dest::At { base, len, index } => element(*base, *len, eval(index, place)?)?,
    };
    let mut next = place.clone();
    let slot = next.slot(reg);
    next.registers[slot] = value;
    Ok(next)
}

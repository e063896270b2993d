//! What the next instruction of a thread is to the model of C11.

use crate::axiom::c11::fence_order;
use crate::{Machine, State};
use fencepost_ir::cfg::{Address, Edge, FenceKind, Instr, Loc, ObjectId, RmwOp, Storage};
use fencepost_ir::eval::eval;
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{Access, Order, Scalar};
use fencepost_task::Reason;

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Nothing that others see, or it fails.
    Local,
    /// A load.
    Read(Loc, Option<Order>),
    /// A store.
    Write(Loc, Option<Order>),
    /// A read-modify-write that always writes.
    Update(Loc, Order),
    /// A compare-exchange.
    Compare {
        /// The cell.
        loc: Loc,
        /// What it has to hold; none if it cannot hold that.
        expected: Option<i64>,
        /// The order if it writes.
        success: Order,
        /// The order if it does not.
        failure: Order,
    },
    /// A thread fence.
    Fence(Order),
    /// Starts a thread.
    Spawn,
    /// Waits for a thread.
    Join(usize),
    /// Takes a mutex.
    Lock(Loc),
    /// Gives it back.
    Unlock(Loc),
    /// Makes an object.
    Allocate,
    /// The object is gone.
    Free(ObjectId),
}

impl Act {
    /// The cell of an access.
    pub fn loc(self) -> Option<Loc> {
        match self {
            Act::Read(loc, _) | Act::Write(loc, _) | Act::Update(loc, _) | Act::Compare { loc, .. } => {
                Some(loc)
            }
            Act::Local
            | Act::Fence(_)
            | Act::Spawn
            | Act::Join(_)
            | Act::Lock(_)
            | Act::Unlock(_)
            | Act::Allocate
            | Act::Free(_) => None,
        }
    }
}

fn refusal(machine: &Machine<'_>, edge: &Edge, what: &str) -> Reason {
    let place = machine.program.sources.place(edge.span);
    Reason::NotApplicable(format!("the search of C11 does not take {what}, as at {place}"))
}

/// What an instruction of a thread would do.
pub fn act(machine: &Machine<'_>, state: &State, thread: usize, edge: &Edge) -> Result<Act, Reason> {
    let refuse = |what: &str| refusal(machine, edge, what);
    if edge.access == Access::Instruction {
        return Err(refuse("assembly, which C11 gives no meaning"));
    }
    let registers = &state.threads[thread];
    let cell = |address: &Address| match machine.resolve(state, thread, address) {
        Err(_) => Ok(None),
        Ok(place) if place.cells > 1 => Err(refuse("accesses of several sizes")),
        Ok(place) if is_element(state, place.loc) => Err(refuse("arrays without bounds")),
        Ok(place) => Ok(Some(place.loc)),
    };
    let order = edge.access.order();
    Ok(match &edge.instr {
        Instr::Load(_, address) => cell(address)?.map_or(Act::Local, |loc| Act::Read(loc, order)),
        Instr::Store(address, _) => cell(address)?.map_or(Act::Local, |loc| Act::Write(loc, order)),
        Instr::Rmw(_, address, RmwOp::CompareExchange { expected, .. }) => {
            match (cell(address)?, eval(expected, registers)) {
                (Some(loc), Ok(expected)) => Act::Compare {
                    loc,
                    expected: in_cell(machine, state, address, loc, expected),
                    success: edge.access.of_update(),
                    failure: edge.access.of_failure(),
                },
                (None, _) | (_, Err(_)) => Act::Local,
            }
        }
        Instr::Rmw(_, address, _) => {
            cell(address)?.map_or(Act::Local, |loc| Act::Update(loc, edge.access.of_update()))
        }
        Instr::Fence(FenceKind::Full) => Act::Fence(fence_order(edge.access)),
        Instr::Fence(FenceKind::StoreStore) => return Err(refuse("store-store fences, which C11 has not")),
        Instr::Lock(address) => cell(address)?.map_or(Act::Local, Act::Lock),
        Instr::Unlock(address) => cell(address)?.map_or(Act::Local, Act::Unlock),
        Instr::Spawn(..) => Act::Spawn,
        Instr::Join(_, handle) => match eval(handle, registers).ok().and_then(|h| usize::try_from(h).ok()) {
            Some(child) if child < state.threads.len() => Act::Join(child),
            Some(_) | None => Act::Local,
        },
        Instr::Allocate { .. } => Act::Allocate,
        Instr::Free(pointer, Storage::Heap | Storage::Stack) => {
            match eval(pointer, registers).map(pointer::target) {
                Ok(Target::Object(number, _)) => Act::Free(ObjectId(number)),
                Ok(Target::Null | Target::Procedure(_)) | Err(_) => Act::Local,
            }
        }
        Instr::Reallocate { .. } => return Err(refuse("`realloc`")),
        Instr::AtomicBegin(_) | Instr::AtomicEnd(_) => return Err(refuse("atomic sections")),
        Instr::Nop
        | Instr::Choose
        | Instr::Assign(..)
        | Instr::Assume(_)
        | Instr::Assert(..)
        | Instr::Havoc(..)
        | Instr::Own(_)
        | Instr::Call(..)
        | Instr::Return(_)
        | Instr::Exit(_)
        | Instr::Halt => Act::Local,
    })
}

/// Whether a cell belongs to an array without bounds.
fn is_element(state: &State, loc: Loc) -> bool {
    loc.as_element().is_some_and(|(object, _)| state.heap_object(object).is_none())
}

/// What a cell holds when an access of the address reads that value.
fn in_cell(machine: &Machine<'_>, state: &State, address: &Address, loc: Loc, value: i64) -> Option<i64> {
    let Address::Pointed { ty, .. } = address else { return Some(value) };
    let cell: Option<Scalar> = match loc.as_element() {
        Some((object, number)) => {
            state.heap_object(object).map(|object| machine.heap_cell_type(object, number as usize))
        }
        None => machine.program.cell_type(loc),
    };
    ty.same_bits(value, cell?)
}

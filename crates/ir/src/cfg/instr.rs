//! What an edge of a control-flow graph does.

use super::{Expr, HeapTypeId, ObjectId, ProcId, Program, Reg};
use crate::checks::Claim;
use crate::scalar::Scalar;
use crate::wanted;

/// Where an instruction puts its result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dest {
    /// A register.
    Reg(Reg),
    /// An element of a register array, `len` slots from `base` on.
    At {
        /// First slot.
        base: Reg,
        /// Number of slots.
        len: u32,
        /// Which of them; out of bounds is an error of the program.
        index: Expr,
    },
}

/// A memory cell computed at run time.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Address {
    /// A cell of an object that the program names.
    Cell {
        /// The object.
        object: ObjectId,
        /// Its cell; out of bounds is an error of the program.
        index: Expr,
    },
    /// Where a pointer points.
    Pointed {
        /// The word, see [`crate::pointer`]; pointing to no such scalar is an error of the program.
        pointer: Expr,
        /// Type of the scalar there.
        ty: Scalar,
    },
}

impl Address {
    /// The expression that it is computed from.
    pub fn expr(&self) -> &Expr {
        match self {
            Address::Cell { index, .. } => index,
            Address::Pointed { pointer, .. } => pointer,
        }
    }

    /// [`Address::expr`], to be changed.
    pub fn expr_mut(&mut self) -> &mut Expr {
        match self {
            Address::Cell { index, .. } => index,
            Address::Pointed { pointer, .. } => pointer,
        }
    }
}

/// What an atomic read-modify-write does with the old value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    /// Writes the operand.
    Exchange(Expr),
    /// Adds the operand.
    Add(Expr),
    /// Subtracts the operand.
    Sub(Expr),
    /// Bitwise and.
    And(Expr),
    /// Bitwise or.
    Or(Expr),
    /// Bitwise exclusive or.
    Xor(Expr),
    /// Writes `new` if the cell holds `expected`.
    CompareExchange {
        /// What the cell is compared with.
        expected: Expr,
        /// What is written if equal.
        new: Expr,
    },
}

/// Kinds of fences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FenceKind {
    /// Waits until the own buffer is empty.
    Full,
    /// Stores after it reach memory after the stores before it.
    StoreStore,
}

/// Whether an instruction waits until the own buffer is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Drain {
    /// It waits.
    Yes,
    /// It does not.
    No,
}

/// A set of values to choose from, as ranges with both ends included, sorted and disjoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Choices(pub Vec<(i64, i64)>);

impl Choices {
    /// Just one value.
    pub fn one(value: i64) -> Choices {
        Choices(vec![(value, value)])
    }

    /// Just this value, for each of so many cells. There may be millions, so that may be stopped.
    pub fn for_each(value: i64, cells: usize) -> Vec<Choices> {
        let one = |_| {
            wanted::point();
            Choices::one(value)
        };
        (0..cells).map(one).collect()
    }

    /// Sorts and merges ranges.
    pub fn from_ranges(mut ranges: Vec<(i64, i64)>) -> Choices {
        ranges.retain(|(lo, hi)| lo <= hi);
        ranges.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (lo, hi) in ranges {
            match merged.last_mut() {
                Some(last) if i128::from(lo) <= i128::from(last.1) + 1 => last.1 = last.1.max(hi),
                _ => merged.push((lo, hi)),
            }
        }
        Choices(merged)
    }

    /// How many values there are.
    pub fn count(&self) -> u128 {
        self.0.iter().map(|&(lo, hi)| (i128::from(hi) - i128::from(lo) + 1) as u128).sum()
    }

    /// The only value, if there is just one.
    pub fn single(&self) -> Option<i64> {
        match self.0[..] {
            [(lo, hi)] if lo == hi => Some(lo),
            _ => None,
        }
    }

    /// Whether the value is one of them.
    pub fn contains(&self, value: i64) -> bool {
        self.0.iter().any(|&(lo, hi)| lo <= value && value <= hi)
    }

    /// The value with this number, counted from 0, ascending.
    pub fn nth(&self, mut number: u128) -> Option<i64> {
        for &(lo, hi) in &self.0 {
            let here = (i128::from(hi) - i128::from(lo) + 1) as u128;
            if number < here {
                return Some((i128::from(lo) + number as i128) as i64);
            }
            number -= here;
        }
        None
    }

    /// All values, ascending. There may be 2^64 of them, so whoever collects them looks at
    /// [`Choices::count`] first.
    pub fn values(&self) -> impl Iterator<Item = i64> + '_ {
        self.0.iter().flat_map(|&(lo, hi)| lo..=hi)
    }
}

/// What new memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// Anything.
    Undefined,
}

/// How long an allocated object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Storage {
    /// Until it is freed.
    Heap,
    /// Until its procedure returns: a local variable whose address is taken.
    Stack,
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Instr {
    /// Nothing.
    Nop,
    /// Takes one of several alternatives: nothing but the choice.
    Choose,
    /// `dest = value`.
    Assign(Dest, Expr),
    /// `dest = memory`.
    Load(Dest, Address),
    /// `memory = value`.
    Store(Address, Expr),
    /// Atomic read-modify-write; the old value goes to the destination.
    Rmw(Option<Dest>, Address, RmwOp),
    /// A fence.
    Fence(FenceKind),
    /// Passes only if the condition is nonzero.
    Assume(Expr),
    /// Fails if the condition is zero, as what is claimed.
    Assert(Expr, Claim),
    /// `dest` becomes any of the values.
    Havoc(Dest, Choices),
    /// Waits for the mutex and takes it.
    Lock(Address),
    /// Gives the mutex back; it must be held.
    Unlock(Address),
    /// Starts a thread; its handle goes to the destination.
    Spawn(Option<Dest>, ProcId, Vec<Expr>, Drain),
    /// The thread's own handle goes to the destination.
    Own(Dest),
    /// Waits for the end of the thread; its result goes to the destination.
    Join(Option<Dest>, Expr),
    /// Calls a procedure; its result goes to the destination.
    Call(Option<Dest>, ProcId, Vec<Expr>),
    /// Returns from the procedure; from the outermost one, ends the thread.
    Return(Option<Expr>),
    /// From here to the matching end, no other thread steps.
    AtomicBegin(Drain),
    /// Ends the section.
    AtomicEnd(Drain),
    /// A new object; a pointer to it goes to the destination.
    Allocate {
        /// Where the pointer goes.
        dest: Dest,
        /// What the object consists of.
        ty: HeapTypeId,
        /// How large it is; as many of `ty` as fit.
        bytes: Expr,
        /// What it holds.
        fill: Fill,
        /// How long it lives.
        storage: Storage,
    },
    /// A new object with what the one held that the pointer points to, which is gone.
    Reallocate {
        /// Where the pointer goes.
        dest: Dest,
        /// What the object consists of where the pointer is null.
        ty: HeapTypeId,
        /// The object that is gone.
        pointer: Expr,
        /// How large the new one is.
        bytes: Expr,
    },
    /// The object that the pointer points to is gone; the null pointer is ignored.
    Free(Expr, Storage),
    /// Ends the thread, whatever procedure it is in.
    Exit(Option<Expr>),
    /// Ends the program: all threads are ended.
    Halt,
}

impl RmwOp {
    /// The operands, in order of evaluation.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            RmwOp::Exchange(v)
            | RmwOp::Add(v)
            | RmwOp::Sub(v)
            | RmwOp::And(v)
            | RmwOp::Or(v)
            | RmwOp::Xor(v) => (v, None),
            RmwOp::CompareExchange { expected, new } => (expected, Some(new)),
        };
        std::iter::once(first).chain(second)
    }
}

impl Instr {
    /// The memory cell it touches, if it touches one.
    pub fn address(&self) -> Option<&Address> {
        match self {
            Instr::Load(_, a)
            | Instr::Store(a, _)
            | Instr::Rmw(_, a, _)
            | Instr::Lock(a)
            | Instr::Unlock(a) => Some(a),
            _ => None,
        }
    }

    /// Where its result goes.
    pub fn dest(&self) -> Option<&Dest> {
        match self {
            Instr::Assign(d, _) | Instr::Load(d, _) | Instr::Havoc(d, _) | Instr::Own(d) => Some(d),
            Instr::Allocate { dest, .. } | Instr::Reallocate { dest, .. } => Some(dest),
            Instr::Rmw(d, ..) | Instr::Spawn(d, ..) | Instr::Call(d, ..) | Instr::Join(d, _) => d.as_ref(),
            _ => None,
        }
    }

    /// Calls `visit` on each expression in it, those in addresses and destinations included.
    pub fn expressions<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        if let Some(Dest::At { index, .. }) = self.dest() {
            visit(index);
        }
        if let Some(address) = self.address() {
            visit(address.expr());
        }
        match self {
            Instr::Assign(_, e)
            | Instr::Store(_, e)
            | Instr::Assume(e)
            | Instr::Assert(e, _)
            | Instr::Join(_, e)
            | Instr::Allocate { bytes: e, .. }
            | Instr::Free(e, _)
            | Instr::Exit(Some(e))
            | Instr::Return(Some(e)) => visit(e),
            Instr::Reallocate { pointer, bytes, .. } => {
                visit(pointer);
                visit(bytes);
            }
            Instr::Rmw(_, _, op) => op.operands().for_each(visit),
            Instr::Spawn(_, _, args, _) | Instr::Call(_, _, args) => args.iter().for_each(visit),
            Instr::Nop
            | Instr::Choose
            | Instr::Load(..)
            | Instr::Fence(_)
            | Instr::Havoc(..)
            | Instr::Own(_)
            | Instr::Lock(_)
            | Instr::Unlock(_)
            | Instr::Return(None)
            | Instr::Exit(None)
            | Instr::Halt
            | Instr::AtomicBegin(_)
            | Instr::AtomicEnd(_) => {}
        }
    }

    /// Whether executing it can be an error of the program.
    pub fn can_fail(&self, program: &Program) -> bool {
        let mut found = match self {
            Instr::Assert(..)
            | Instr::Unlock(_)
            | Instr::Join(..)
            | Instr::AtomicEnd(_)
            | Instr::Reallocate { .. }
            | Instr::Free(_, Storage::Heap) => true,
            Instr::Rmw(_, _, RmwOp::Exchange(_) | RmwOp::CompareExchange { .. }) => false,
            Instr::Rmw(_, Address::Cell { object, .. }, _) => {
                !matches!(program.object(*object).ty.leaf(), Some(Scalar::Int(_)) | None)
            }
            _ => false,
        };
        found |= match self.address() {
            Some(Address::Cell { object, index }) => {
                let len = i64::from(program.cells(*object));
                let inside =
                    matches!(index, Expr::Const(i) if (0..len).contains(i)) || index.stays_below(len);
                !inside && !program.object(*object).ty.is_unbounded()
            }
            Some(Address::Pointed { .. }) => true,
            None => false,
        };
        self.expressions(&mut |e| found |= e.can_fail());
        found
    }
}

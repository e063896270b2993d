//! Proofs that can be checked again: what the dual engine found, as plain data.
//!
//! A certificate speaks of finite automata, one for each group of interchangeable threads, and of a
//! set of configurations over them, its basis. It proves that a program is safe under TSO if
//!
//! - the automata can do whatever the threads can, as the relation between places and states shows;
//! - every configuration that violates a property is above an element of the basis;
//! - whatever leads above an element is above one, except that what threads do by themselves (nop, fence,
//!   read, delete) may be left out: it is undone for one thread, then one step on memory, and the result is
//!   above an element;
//! - no initial configuration is above one, nor leads above one by what threads do by themselves.
//!
//! Of all this, what its invariant excludes may be left out: a set of configurations that contains the initial
//! ones and whatever a step leads to from one of its own.
//!
//! The order of configurations and the steps of the dual semantics are those of Abdulla et al., CONCUR
//! 2016, with memory cells and own messages that may be left open.

/// A value of a variable, by its number in the variable's list; `None` leaves it open.
pub type Open = Option<u32>;

/// A memory cell that has a number, and the values it can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CertifiedVariable {
    /// All values that it can ever hold; to store another counts as a failure. Mutexes hold 0 and 1.
    pub values: Vec<i64>,
    /// How many of them, from the first on, it can hold at the beginning.
    pub initial: u32,
}

/// What a transition does, by the numbers of cells and values.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum CertifiedOp {
    /// Nothing.
    Nop,
    /// The cell must hold the value.
    Read(u32, u32),
    /// The cell gets the value.
    Write(u32, u32),
    /// The buffer must be empty.
    Fence,
    /// With an empty buffer, at once: cells of the first list hold its values, those of the second
    /// get theirs.
    Atomic(Vec<(u32, u32)>, Vec<(u32, u32)>),
}

/// How far a thread is at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum CertifiedLife {
    /// It continues.
    Running,
    /// It has ended.
    Ended,
    /// An instruction has failed.
    Failed,
}

/// A procedure that has been entered and not left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct CertifiedFrame {
    /// The procedure's number.
    pub procedure: u32,
    /// Where control is; in a caller, after the call.
    pub node: u32,
    /// The caller's edge.
    pub call: Option<u32>,
}

/// Where a thread is, outside atomic sections: registers that are dead hold their initial values.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct CertifiedPlace {
    /// Outermost first.
    pub frames: Vec<CertifiedFrame>,
    /// The thread's own registers, then those of each frame.
    pub registers: Vec<i64>,
    /// The mutexes it holds, by their cells.
    pub held: Vec<u32>,
    /// How far it is.
    pub life: CertifiedLife,
}

/// Threads that nothing tells apart, and the automaton that stands for each of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CertifiedGroup {
    /// The starts that they come from.
    pub starts: Vec<u32>,
    /// How many there are; `None` for any number.
    pub count: Option<u32>,
    /// Number of states; 0 is the initial one.
    pub states: u32,
    /// Transitions: from, what, to.
    pub transitions: Vec<(u32, CertifiedOp, u32)>,
    /// Pairs of a place and a state that can do what the thread can do there. A silent step may be
    /// answered by staying in the state, if it leads to no place that a property speaks of.
    pub relation: Vec<(CertifiedPlace, u32)>,
}

/// A message in a load buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct CertifiedMessage {
    /// Its cell.
    pub variable: u32,
    /// Its value; only own messages may leave it open.
    pub value: Open,
    /// Whether the thread wrote it itself.
    pub own: bool,
}

/// A thread of a configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct CertifiedProcess {
    /// Its group.
    pub group: u32,
    /// Its state.
    pub state: u32,
    /// Its load buffer, newest message first.
    pub buffer: Vec<CertifiedMessage>,
}

/// A configuration: it stands for all that are above it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct CertifiedConfiguration {
    /// The threads it constrains.
    pub processes: Vec<CertifiedProcess>,
    /// For each cell its value, or open.
    pub memory: Vec<Open>,
}

/// Configurations with these control states and this memory, in which threads can read no more of what
/// they have been sent, and of what they wrote themselves, than this.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct CertifiedReachable {
    /// The state of each thread, group by group, ascending within a group.
    pub states: Vec<u32>,
    /// The memory.
    pub memory: Vec<u32>,
    /// For each thread and each cell the values that it may read: that of its newest own message, those of
    /// messages that came after it, and memory's. Threads of a group in the same state may read the
    /// same.
    pub readable: Vec<Vec<Vec<u32>>>,
}

/// A proof that a program is safe under TSO.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Threads that stand for those that the program starts, if it starts any.
    pub slots: u32,
    /// The cells of the program, in the order of their numbers.
    pub variables: Vec<CertifiedVariable>,
    /// The threads.
    pub groups: Vec<CertifiedGroup>,
    /// The configurations from which a violation may be reached.
    pub basis: Vec<CertifiedConfiguration>,
    /// What contains all that can be reached; empty if the basis needs no such thing.
    pub invariant: Vec<CertifiedReachable>,
}

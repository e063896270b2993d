//! The extended program: what a thread does while a store waits in its buffer, under SC.
//!
//! For the stores that the oracle named, and with them for all that follow until the buffer is empty again, the
//! buffer is kept in registers of the thread: for each store where it goes and its value (seed: Bouajjani et al., FASE
//! 2015, section 3), by object and cell ([`mod@super::cells`]), or by address where pointers are followed
//! ([`mod@super::words`]). The procedure gets a second copy of the nodes that control can get to from such
//! a store without waiting for the buffer. In the copy a store enters the registers, a load looks into them
//! before memory, and the oldest store can reach memory wherever the thread is about to do something that others
//! can see or may have to wait; when none is left, control is back in the original.
//!
//! This is the extension by all sequences of instructions from these stores on at once, with at most as many
//! stores as there are places. As in the variant of Theorem 3 the store itself is replaced: whoever does not
//! delay it waits for the buffer after it, and so does whoever brings a store from the registers to memory. So
//! what the extension can do the oracle does not find again. A store that finds no place cuts the run off, which
//! is said (a choice among too many values stands for it).
//!
//! Deviation from the print: sequences are not taken one by one, so that branches and loops between a store and a
//! load need one extension and not one for each way through.

use super::cells::Cells;
use super::inline::{Changed, Meaning, also_at};
use super::words::{self, Words};
use fencepost_ir::cfg::{
    Address, Arith, BinaryOp, Choices, Dest, Edge, EdgeId, Expr, FenceKind, Instr, NodeId, ObjectId, ProcId,
    Procedure, ProcedureParts, Program, Property, Reg, Register, Storage,
};
use fencepost_ir::{Access, IntType, Scalar, Span};
use fencepost_memory::{Memory, Tso};
use std::collections::{BTreeMap, BTreeSet};

/// The program with room for `places` stores in the buffers of the threads that run these stores; or why not.
pub fn extend(base: &Changed, stores: &BTreeSet<(ProcId, EdgeId)>, places: u32) -> Result<Changed, String> {
    let mut extended = base.clone();
    let procedures: BTreeSet<ProcId> = stores.iter().map(|s| s.0).collect();
    for id in procedures {
        let mine = stores.iter().filter(|s| s.0 == id).map(|s| s.1).collect();
        Extension::new(base, id, mine, places)?.build(&mut extended);
    }
    debug_assert_eq!(base.program.notices_reuse(), extended.program.notices_reuse());
    Ok(extended)
}

/// Numbers and cells in the registers.
pub const WORD: IntType = IntType { bits: 64, signed: true };

/// Where the stores that wait are kept: the oldest first, without gaps; what is after them is 0.
pub trait Waiting {
    /// The registers, but for the number of stores.
    fn registers(&self) -> Vec<Register>;

    /// Puts a store after the others; the first of these may fail as the store does.
    fn put(&self, address: &Address, value: &Expr) -> Vec<Instr>;

    /// What a load does; `None` if it sees no store that waits.
    fn load(&self, dest: &Dest, address: &Address) -> Option<Loading>;

    /// How the oldest store reaches memory, and when so; `None` if it does not.
    fn oldest(&self) -> Vec<(Expr, Option<Instr>)>;

    /// The first registers of the rows that hold the stores.
    fn rows(&self) -> Vec<u32>;

    /// Forgets the stores to a local variable.
    fn forget(&self, variable: &Expr) -> Vec<Instr>;
}

/// What a load does.
pub struct Loading {
    /// First.
    pub before: Vec<Instr>,
    /// Then the one of these whose condition holds.
    pub ways: Vec<Way>,
}

/// One way for a load.
pub struct Way {
    /// When it is gone.
    pub condition: Expr,
    /// What is done; `None` where the run is cut off.
    pub steps: Option<Vec<(Instr, Works)>>,
}

/// What a step of a load means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Works {
    /// The load.
    Itself,
    /// Nothing.
    Silently,
}

struct Extension<'a> {
    base: &'a Changed,
    id: ProcId,
    procedure: &'a Procedure,
    stores: BTreeSet<EdgeId>,
    places: u32,
    /// The copy of each node that has one.
    copies: BTreeMap<NodeId, NodeId>,
    /// The register that says how many stores wait, and those that hold them.
    count: u32,
    waiting: Box<dyn Waiting + 'a>,
    nodes: u32,
    edges: Vec<(Edge, Meaning)>,
}

/// `a == b`
pub fn eq(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Eq, Arith::Exact, Box::new(a), Box::new(b))
}

/// `a && b`
pub fn and(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(a), Box::new(b))
}

/// `a || b`
pub fn or(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Or, Arith::Exact, Box::new(a), Box::new(b))
}

/// A register of the procedure.
pub fn local(slot: u32) -> Expr {
    Expr::Reg(Reg::Local(slot))
}

/// What a thread does while stores wait.
struct Reached<'a> {
    /// The nodes that control gets to, in the order in which it does.
    nodes: Vec<NodeId>,
    /// The stores and loads on the way, those that are delayed first.
    accesses: Vec<&'a Edge>,
}

impl<'a> Reached<'a> {
    fn new(
        program: &Program,
        procedure: &'a Procedure,
        stores: &BTreeSet<EdgeId>,
    ) -> Result<Reached<'a>, String> {
        let first: Vec<&Edge> = stores.iter().map(|store| procedure.edge(*store)).collect();
        let mut work: Vec<NodeId> = first.iter().map(|edge| edge.to).collect();
        let mut reached = Reached { nodes: Vec::new(), accesses: first };
        let mut seen = BTreeSet::new();
        while let Some(node) = work.pop() {
            if !seen.insert(node) {
                continue;
            }
            reached.nodes.push(node);
            for (_, edge) in procedure.out(node) {
                if Tso.drains(&edge.instr, true) {
                    continue;
                }
                match &edge.instr {
                    Instr::Store(..) | Instr::Load(..) => reached.accesses.push(edge),
                    Instr::AtomicBegin(_) | Instr::AtomicEnd(_) => {
                        let place = program.sources.place(edge.span);
                        return Err(format!(
                            "the atomic section at {place} does not wait for the buffer, which is not for the lazy engine"
                        ));
                    }
                    _ => {}
                }
                work.push(edge.to);
            }
        }
        Ok(reached)
    }

    /// The objects that are stored to, if all accesses can be told apart by object and cell.
    fn cells(&self, program: &Program) -> Option<Vec<ObjectId>> {
        let mut objects = Vec::new();
        for edge in &self.accesses {
            match &edge.instr {
                Instr::Store(Address::Cell { object, .. }, _) if words::is_plain(program, *object) => {
                    if !objects.contains(object) {
                        objects.push(*object);
                    }
                }
                Instr::Load(_, Address::Cell { .. }) => {}
                _ => return None,
            }
        }
        Some(objects)
    }

    /// The types that are stored; or why the stores cannot be kept.
    fn types(&self, program: &Program) -> Result<Vec<Scalar>, String> {
        let mut types = Vec::new();
        for edge in &self.accesses {
            let is_store = matches!(edge.instr, Instr::Store(..));
            let address = edge.instr.address().expect("a store or a load");
            let refuse = |why: &str| {
                let place = program.sources.place(edge.span);
                let what = if is_store { "store" } else { "load" };
                format!("a delayed {what} {why} at {place} is not for the lazy engine")
            };
            if program.notices_reuse() {
                return Err(refuse("through a pointer, where freed addresses are used again,"));
            }
            let ty = words::accessed(program, address).map_err(refuse)?;
            if is_store && ty == Scalar::Thread {
                return Err(refuse("of a thread handle"));
            }
            if is_store && !types.contains(&ty) {
                types.push(ty);
            }
        }
        Ok(types)
    }
}

impl<'a> Extension<'a> {
    fn new(
        base: &'a Changed,
        id: ProcId,
        stores: BTreeSet<EdgeId>,
        places: u32,
    ) -> Result<Extension<'a>, String> {
        let program = &base.program;
        let procedure = program.procedure(id);
        let count = procedure.registers.len() as u32;
        let reached = Reached::new(program, procedure, &stores)?;
        let waiting: Box<dyn Waiting> = match reached.cells(program) {
            Some(objects) => Box::new(Cells::new(places, count, objects)),
            None => Box::new(Words::new(program, places, count, reached.types(program)?)),
        };
        let (copies, nodes, edges) = (BTreeMap::new(), procedure.nodes, Vec::new());
        let mut extension =
            Extension { base, id, procedure, stores, places, copies, count, waiting, nodes, edges };
        for node in reached.nodes {
            let copy = extension.fresh();
            extension.copies.insert(node, copy);
        }
        Ok(extension)
    }

    fn fresh(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    fn edge(&mut self, from: NodeId, to: NodeId, instr: Instr, span: Span, meaning: Meaning) {
        self.edges.push((Edge { from, to, instr, span, access: Access::Plain }, meaning));
    }

    /// A way through fresh nodes.
    fn chain(&mut self, from: NodeId, to: NodeId, span: Span, steps: Vec<(Instr, Meaning)>) {
        let mut at = from;
        let last = steps.len() - 1;
        for (i, (instr, meaning)) in steps.into_iter().enumerate() {
            let next = if i == last { to } else { self.fresh() };
            self.edge(at, next, instr, span, meaning);
            at = next;
        }
    }

    fn build(mut self, extended: &mut Changed) {
        let meanings = &self.base.meanings[self.id.index()];
        for (number, edge) in self.procedure.edges().iter().enumerate() {
            let meaning = meanings[number];
            if !self.stores.contains(&EdgeId(number as u32)) {
                self.edges.push((edge.clone(), meaning));
                continue;
            }
            let fence = (Instr::Fence(FenceKind::Full), Meaning::Silent);
            self.chain(edge.from, edge.to, edge.span, vec![(edge.instr.clone(), meaning), fence]);
            self.push(edge.from, self.copies[&edge.to], edge, meaning);
        }
        let copies: Vec<(NodeId, NodeId)> = self.copies.iter().map(|(n, c)| (*n, *c)).collect();
        for (node, copy) in copies {
            for (id, edge) in self.procedure.out(node) {
                if !Tso.drains(&edge.instr, true) {
                    self.copy_edge(copy, edge, meanings[id.index()]);
                }
            }
            if !self.is_passed_unseen(node) {
                self.flush(node, copy);
            }
        }
        self.finish(extended);
    }

    /// Whether stores need not reach memory while the thread is at a node: it continues to where they can.
    fn is_passed_unseen(&self, node: NodeId) -> bool {
        let mut at = node;
        // Who goes round is at no such node: others may wait for its stores while it does.
        for _ in 0..self.procedure.nodes {
            let mut out = self.procedure.out(at);
            let (Some((_, edge)), None) = (out.next(), out.next()) else { return at != node };
            if !runs_unseen(&edge.instr) || self.procedure.labels.iter().any(|(_, n)| *n == at) {
                return at != node;
            }
            at = edge.to;
        }
        false
    }

    fn finish(self, extended: &mut Changed) {
        let Extension { id, procedure, waiting, copies, nodes, edges, .. } = self;
        let mut parts = procedure.clone().into_parts();
        parts.registers.push(Register { name: "%waiting".into(), ty: Scalar::Int(WORD), init: 0 });
        parts.registers.extend(waiting.registers());
        let labels = parts.labels.clone();
        for (label, node) in &labels {
            if let Some(copy) = copies.get(node) {
                let name = format!("{label}@delayed");
                parts.labels.push((name.clone(), *copy));
                also_at(&mut extended.program, (id, label), (id, &name));
            }
        }
        extended.replace(id, ProcedureParts { nodes, ..parts }, edges);
    }

    /// One more or fewer waits.
    fn counted(&self, op: BinaryOp) -> Instr {
        let one = Box::new(Expr::Const(1));
        let number = Expr::Binary(op, Arith::Wrap(WORD), Box::new(local(self.count)), one);
        Instr::Assign(Dest::Reg(Reg::Local(self.count)), number)
    }

    /// A store enters the registers, if there is a place.
    fn push(&mut self, from: NodeId, to: NodeId, edge: &Edge, meaning: Meaning) {
        let Instr::Store(address, value) = &edge.instr else { panic!("only stores are delayed") };
        let meaning = match meaning {
            Meaning::Step(id) => Meaning::Push(id),
            other => panic!("a store of the program means itself, not {other:?}"),
        };
        let full = eq(local(self.count), Expr::Const(self.places.into()));
        let mut steps = vec![(Instr::Assume(full.clone().negated()), Meaning::Silent)];
        let meanings = std::iter::once(meaning).chain(std::iter::repeat(Meaning::Silent));
        steps.extend(self.waiting.put(address, value).into_iter().zip(meanings));
        steps.push((self.counted(BinaryOp::Add), Meaning::Silent));
        self.chain(from, to, edge.span, steps);
        self.cut(from, full, edge.span);
    }

    /// Runs that get to a node are cut off under a condition, which is said.
    fn cut(&mut self, from: NodeId, condition: Expr, span: Span) {
        let (no_way, cut) = (self.fresh(), self.fresh());
        self.edge(from, no_way, Instr::Assume(condition), span, Meaning::Silent);
        let count = Dest::Reg(Reg::Local(self.count));
        let too_many = Instr::Havoc(count, Choices::from_ranges(vec![(i64::MIN, i64::MAX)]));
        self.edge(no_way, cut, too_many, span, Meaning::Silent);
        self.edge(cut, cut, Instr::Assume(Expr::Const(0)), span, Meaning::Silent);
    }

    fn copy_edge(&mut self, copy: NodeId, edge: &Edge, meaning: Meaning) {
        let to = self.copies[&edge.to];
        match &edge.instr {
            Instr::Store(..) => self.push(copy, to, edge, meaning),
            Instr::Load(dest, address) => match self.waiting.load(dest, address) {
                Some(loading) => self.load(copy, to, edge.span, loading, meaning),
                None => self.edge(copy, to, edge.instr.clone(), edge.span, meaning),
            },
            Instr::Free(variable, Storage::Stack) => {
                let forgets = self.waiting.forget(variable).into_iter().map(|i| (i, Meaning::Silent));
                let steps = std::iter::once((edge.instr.clone(), meaning)).chain(forgets).collect();
                self.chain(copy, to, edge.span, steps);
            }
            _ => self.edge(copy, to, edge.instr.clone(), edge.span, meaning),
        }
    }

    fn load(&mut self, copy: NodeId, to: NodeId, span: Span, loading: Loading, meaning: Meaning) {
        let Loading { before, ways } = loading;
        let mut from = copy;
        for instr in before {
            let next = self.fresh();
            self.edge(from, next, instr, span, Meaning::Silent);
            from = next;
        }
        for Way { condition, steps } in ways {
            let Some(steps) = steps else {
                self.cut(from, condition, span);
                continue;
            };
            let means = |(instr, works)| match works {
                Works::Itself => (instr, meaning),
                Works::Silently => (instr, Meaning::Silent),
            };
            let first = (Instr::Assume(condition), Meaning::Silent);
            let steps = std::iter::once(first).chain(steps.into_iter().map(means)).collect();
            self.chain(from, to, span, steps);
        }
    }

    /// The oldest store reaches memory; with none left control is back in the original.
    fn flush(&mut self, node: NodeId, copy: NodeId) {
        let span = Span::NONE;
        let silent = Meaning::Silent;
        let done = self.fresh();
        let written = self.fresh();
        for (condition, store) in self.waiting.oldest() {
            let mut steps = vec![(Instr::Assume(condition), silent)];
            if let Some(store) = store {
                steps.extend([(store, Meaning::Flush), (Instr::Fence(FenceKind::Full), silent)]);
            }
            self.chain(copy, written, span, steps);
        }
        let mut shift = Vec::new();
        for base in self.waiting.rows() {
            for place in 0..self.places {
                let next = if place + 1 < self.places { local(base + place + 1) } else { Expr::Const(0) };
                shift.push((Instr::Assign(Dest::Reg(Reg::Local(base + place)), next), silent));
            }
        }
        shift.push((self.counted(BinaryOp::Sub), silent));
        self.chain(written, done, span, shift);
        let none = eq(local(self.count), Expr::Const(0));
        self.edge(done, copy, Instr::Assume(none.clone().negated()), span, silent);
        self.edge(done, node, Instr::Assume(none), span, silent);
    }
}

/// Whether it makes no difference if the buffer is flushed before or after the instruction, which never waits.
fn runs_unseen(instr: &Instr) -> bool {
    matches!(instr, Instr::Nop | Instr::Assign(..) | Instr::Store(..) | Instr::Own(_) | Instr::Havoc(..))
}

/// Why "robust and SC-safe" does not mean safe for this program.
pub fn properties_do_not_fit(program: &Program) -> Option<String> {
    let halts = program.procedures.iter().any(|p| p.edges().iter().any(|e| e.instr == Instr::Halt));
    for property in &program.properties {
        match property {
            Property::Final { .. } if halts => {
                return Some(
                    "stores can be lost where the program ends, and a final condition looks".to_string(),
                );
            }
            Property::Final { .. } => {}
            Property::Forbid { together, .. } if together.len() < 2 => {}
            Property::Forbid { together, span } => {
                for r in together.iter().flatten() {
                    let node = program.procedure(r.procedure).label(&r.label);
                    if node.is_some_and(|n| in_section(program, r.procedure, n)) {
                        return Some(format!(
                            "the forbidden combination at {} looks into an atomic section",
                            program.sources.place(*span)
                        ));
                    }
                }
            }
        }
    }
    None
}

/// Whether control can be at the node while a section is open.
fn in_section(program: &Program, procedure: ProcId, node: NodeId) -> bool {
    let mut found = false;
    for (i, p) in program.procedures.iter().enumerate() {
        for edge in p.edges().iter().filter(|e| matches!(e.instr, Instr::AtomicBegin(_))) {
            found |= (ProcId(i as u32), edge.to) == (procedure, node);
            crate::candidates::walk(program, (ProcId(i as u32), edge.to), |at, instr| {
                if matches!(instr, Instr::AtomicEnd(_)) {
                    return false;
                }
                let to = program.procedure(at.procedure).edge(at.edge).to;
                found |= (at.procedure, to) == (procedure, node);
                if let Instr::Call(_, callee, _) = instr {
                    found |= (*callee, program.procedure(*callee).entry()) == (procedure, node);
                }
                true
            });
        }
    }
    found
}

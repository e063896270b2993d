//! The extended program: what a thread does while a store waits in its buffer, under SC.
//!
//! For the stores that the oracle named, and with them for all that follow until the buffer is empty again, the
//! buffer is kept in registers of the thread: for each store its object, its cell and its value (seed: Bouajjani
//! et al., FASE 2015, section 3). The procedure gets a second copy of the nodes that control can get to from such
//! a store without waiting for the buffer. In the copy a store enters the registers, a load looks into them
//! before memory, and the oldest store can reach memory wherever the thread is about to do something that others
//! can see or may have to wait; when none is left, control is back in the original.
//!
//! This is the extension by all sequences of instructions from these stores on at once, with at most as many
//! stores as there are places. As in the variant of Theorem 3 the store itself is replaced: whoever does not
//! delay it waits for the buffer behind it, and so does whoever brings a store from the registers to memory. So
//! what the extension can do the oracle does not find again. A store that finds no place cuts the run off, which
//! is said (a choice among too many values stands for it).
//!
//! Deviation from the print: sequences are not taken one by one, so that branches and loops between a store and a
//! load need one extension and not one for each way through.

use super::inline::{Changed, Meaning, also_at};
use fencepost_ir::cfg::{
    Address, Arith, BinaryOp, Choices, Dest, Edge, EdgeId, Expr, FenceKind, Instr, NodeId, ObjectId, ProcId,
    Procedure, ProcedureParts, Program, Property, Reg, Register,
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
    Ok(extended)
}

const WORD: IntType = IntType { bits: 64, signed: true };

struct Extension<'a> {
    base: &'a Changed,
    id: ProcId,
    procedure: &'a Procedure,
    stores: BTreeSet<EdgeId>,
    places: u32,
    /// The copy of each node that has one.
    copies: BTreeMap<NodeId, NodeId>,
    /// Objects that are stored to in the copy, by their numbers in the registers.
    objects: Vec<ObjectId>,
    /// First registers: how many stores wait, their objects, cells and values.
    count: u32,
    object: u32,
    cell: u32,
    value: u32,
    nodes: u32,
    edges: Vec<(Edge, Meaning)>,
}

fn eq(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Eq, Arith::Exact, Box::new(a), Box::new(b))
}

fn and(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::And, Arith::Exact, Box::new(a), Box::new(b))
}

fn local(slot: u32) -> Expr {
    Expr::Reg(Reg::Local(slot))
}

impl<'a> Extension<'a> {
    fn new(
        base: &'a Changed,
        id: ProcId,
        stores: BTreeSet<EdgeId>,
        places: u32,
    ) -> Result<Extension<'a>, String> {
        let procedure = base.program.procedure(id);
        let count = procedure.registers.len() as u32;
        let mut extension = Extension {
            base,
            id,
            procedure,
            stores,
            places,
            copies: BTreeMap::new(),
            objects: Vec::new(),
            count,
            object: count + 1,
            cell: count + 1 + places,
            value: count + 1 + 2 * places,
            nodes: procedure.nodes,
            edges: Vec::new(),
        };
        let mut work = Vec::new();
        for store in extension.stores.clone() {
            let edge = procedure.edge(store);
            extension.stored(edge)?;
            work.push(edge.to);
        }
        while let Some(node) = work.pop() {
            if extension.copies.contains_key(&node) {
                continue;
            }
            let copy = extension.fresh();
            extension.copies.insert(node, copy);
            for (_, edge) in procedure.out(node) {
                if Tso.drains(&edge.instr, true) {
                    continue;
                }
                match &edge.instr {
                    Instr::Store(..) => extension.stored(edge)?,
                    Instr::Load(_, Address::Pointed { .. }) => {
                        return Err(pointers(&base.program, edge.span));
                    }
                    Instr::AtomicBegin(_) | Instr::AtomicEnd(_) => {
                        let place = base.program.sources.place(edge.span);
                        return Err(format!(
                            "the atomic section at {place} does not wait for the buffer, which is not for the lazy engine"
                        ));
                    }
                    _ => {}
                }
                work.push(edge.to);
            }
        }
        Ok(extension)
    }

    fn fresh(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes - 1)
    }

    /// Notes the object that is stored to.
    fn stored(&mut self, edge: &Edge) -> Result<(), String> {
        let Instr::Store(address, _) = &edge.instr else { panic!("the oracle delays stores") };
        match address {
            Address::Cell { object, .. } => {
                let holds_handle = self.base.program.object(*object).ty.leaf() == Some(Scalar::Thread);
                let holds_pointer = !matches!(self.base.program.object(*object).ty.leaf(), Some(ty) if !matches!(ty, Scalar::Pointer { .. }));
                if holds_handle || holds_pointer {
                    return Err(pointers(&self.base.program, edge.span));
                }
                if !self.objects.contains(object) {
                    self.objects.push(*object);
                }
                Ok(())
            }
            Address::Pointed { .. } => Err(pointers(&self.base.program, edge.span)),
        }
    }

    fn number(&self, object: ObjectId) -> Option<i64> {
        self.objects.iter().position(|o| *o == object).map(|n| n as i64)
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
            let out: Vec<(EdgeId, &Edge)> = self.procedure.out(node).collect();
            let alone = matches!(out[..], [(_, e)] if runs_unseen(&e.instr));
            for (id, edge) in out {
                if !Tso.drains(&edge.instr, true) {
                    self.copy_edge(copy, edge, meanings[id.index()]);
                }
            }
            let is_watched = self.procedure.labels.iter().any(|(_, n)| *n == node);
            if !alone || is_watched {
                self.flush(node, copy);
            }
        }
        self.finish(extended);
    }

    fn finish(self, extended: &mut Changed) {
        let Extension { id, procedure, places, copies, nodes, edges, .. } = self;
        let mut parts = procedure.clone().into_parts();
        let int = Scalar::Int(WORD);
        parts.registers.push(Register { name: "%waiting".into(), ty: int, init: 0 });
        for what in ["object", "cell", "value"] {
            let names = (0..places).map(|i| format!("%{what}{i}"));
            parts.registers.extend(names.map(|name| Register { name, ty: int, init: 0 }));
        }
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

    /// A store enters the registers, if there is a place.
    fn push(&mut self, from: NodeId, to: NodeId, edge: &Edge, meaning: Meaning) {
        let Instr::Store(Address::Cell { object, index }, value) = &edge.instr else {
            panic!("only stores to named cells are delayed")
        };
        let meaning = match meaning {
            Meaning::Step(id) => Meaning::Push(id),
            other => panic!("a store of the program means itself, not {other:?}"),
        };
        let number = self.number(*object).expect("all stored objects are numbered");
        let at = |base: u32| Dest::At { base: Reg::Local(base), len: self.places, index: local(self.count) };
        let (cell, kept, named) = (at(self.cell), at(self.value), at(self.object));
        let full = eq(local(self.count), Expr::Const(self.places.into()));
        let more = Expr::Binary(
            BinaryOp::Add,
            Arith::Wrap(WORD),
            Box::new(local(self.count)),
            Box::new(Expr::Const(1)),
        );
        let count = Dest::Reg(Reg::Local(self.count));
        let silent = Meaning::Silent;
        self.chain(
            from,
            to,
            edge.span,
            vec![
                (Instr::Assume(full.clone().negated()), silent),
                (Instr::Assign(kept, value.clone()), meaning),
                (Instr::Assign(cell, index.clone()), silent),
                (Instr::Assign(named, Expr::Const(number)), silent),
                (Instr::Assign(count.clone(), more), silent),
            ],
        );
        let (no_place, cut) = (self.fresh(), self.fresh());
        self.edge(from, no_place, Instr::Assume(full), edge.span, silent);
        let too_many = Instr::Havoc(count, Choices::from_ranges(vec![(i64::MIN, i64::MAX)]));
        self.edge(no_place, cut, too_many, edge.span, silent);
        self.edge(cut, cut, Instr::Assume(Expr::Const(0)), edge.span, silent);
    }

    /// Whether the store in that place is to the cell.
    fn is_at(&self, place: u32, number: i64, index: &Expr) -> Expr {
        let waits = Expr::Binary(
            BinaryOp::Gt,
            Arith::Exact,
            Box::new(local(self.count)),
            Box::new(Expr::Const(place.into())),
        );
        let same_object = eq(local(self.object + place), Expr::Const(number));
        and(waits, and(same_object, eq(local(self.cell + place), index.clone())))
    }

    fn copy_edge(&mut self, copy: NodeId, edge: &Edge, meaning: Meaning) {
        let to = self.copies[&edge.to];
        match &edge.instr {
            Instr::Store(..) => self.push(copy, to, edge, meaning),
            Instr::Load(dest, Address::Cell { object, index }) if self.number(*object).is_some() => {
                let number = self.number(*object).expect("just asked");
                let mut waits = Expr::Const(0);
                let mut value = Expr::Const(0);
                // The newest place is asked first.
                for place in 0..self.places {
                    let here = self.is_at(place, number, index);
                    waits = Expr::Binary(BinaryOp::Or, Arith::Exact, Box::new(here.clone()), Box::new(waits));
                    let kept = Box::new(local(self.value + place));
                    value = Expr::Select(Box::new(here), kept, Box::new(value));
                }
                let own = Instr::Assign(dest.clone(), value);
                let silent = Meaning::Silent;
                self.chain(copy, to, edge.span, vec![(Instr::Assume(waits.clone()), silent), (own, meaning)]);
                let memory = edge.instr.clone();
                self.chain(
                    copy,
                    to,
                    edge.span,
                    vec![(Instr::Assume(waits.negated()), silent), (memory, meaning)],
                );
            }
            _ => self.edge(copy, to, edge.instr.clone(), edge.span, meaning),
        }
    }

    /// The oldest store reaches memory; with none left control is back in the original.
    fn flush(&mut self, node: NodeId, copy: NodeId) {
        let span = Span::NONE;
        let silent = Meaning::Silent;
        let done = self.fresh();
        let written = self.fresh();
        for (number, object) in self.objects.clone().into_iter().enumerate() {
            let address = Address::Cell { object, index: local(self.cell) };
            self.chain(
                copy,
                written,
                span,
                vec![
                    (Instr::Assume(eq(local(self.object), Expr::Const(number as i64))), silent),
                    (Instr::Store(address, local(self.value)), Meaning::Flush),
                    (Instr::Fence(FenceKind::Full), silent),
                ],
            );
        }
        let mut shift = Vec::new();
        for base in [self.object, self.cell, self.value] {
            for place in 0..self.places {
                let next = if place + 1 < self.places { local(base + place + 1) } else { Expr::Const(0) };
                shift.push((Instr::Assign(Dest::Reg(Reg::Local(base + place)), next), silent));
            }
        }
        let less = Expr::Binary(
            BinaryOp::Sub,
            Arith::Wrap(WORD),
            Box::new(local(self.count)),
            Box::new(Expr::Const(1)),
        );
        shift.push((Instr::Assign(Dest::Reg(Reg::Local(self.count)), less), silent));
        self.chain(written, done, span, shift);
        let none = eq(local(self.count), Expr::Const(0));
        self.edge(done, copy, Instr::Assume(none.clone().negated()), span, silent);
        self.edge(done, node, Instr::Assume(none), span, silent);
    }
}

/// Whether it matters to nobody whether the buffer is flushed before or after the instruction, which never waits.
fn runs_unseen(instr: &Instr) -> bool {
    matches!(instr, Instr::Nop | Instr::Assign(..) | Instr::Store(..) | Instr::Own(_) | Instr::Havoc(..))
}

fn pointers(program: &Program, span: Span) -> String {
    let place = program.sources.place(span);
    format!(
        "a delayed store or load through a pointer, of a pointer or of a handle, at {place}, is not for the lazy engine"
    )
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

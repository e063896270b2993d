//! The axioms of RC11, from their definitions (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing Sequential Consistency in C/C++11",
//! PLDI 2017, section 3), on one graph.
//!
//! - rs = \[W\] ; (po ∩ loc)? ; \[W atomic\] ; (rf ; rmw)*, the *release sequence*. C++20 and C23 have it without `(po ∩ loc)?`: a later
//!   store of the same thread no longer belongs to it.
//! - sw = \[release\] ; (\[F\] ; po)? ; rs ; rf ; \[R atomic\] ; (po ; \[F\])? ; \[acquire\], *synchronizes with*.
//! - hb = (po ∪ sw ∪ create ∪ join)+, *happens before*; eco = (rf ∪ mo ∪ fr)+.
//! - **Coherence**: hb ; eco? is irreflexive. **Atomicity**: no write is between an update and what it read.
//! - **SC**: psc is acyclic, where scb = po ∪ po≠loc ; hb ; po≠loc ∪ hb ∩ loc ∪ mo ∪ fr and
//!   psc = (\[Esc\] ∪ \[Fsc\] ; hb?) ; scb ; (\[Esc\] ∪ hb? ; \[Fsc\]) ∪ \[Fsc\] ; (hb ∪ hb ; eco ; hb) ; \[Fsc\].
//! - **No thin air**: po ∪ rf is acyclic. Who makes graphs adds a read after the write that it reads, so it always is.
//!
//! hb does not depend on mo, and coherence and atomicity speak of each cell alone, so that an enumeration can choose the orders
//! of the cells one after the other.

use super::graph::{Act, EventId, Graph, Part, Source};
use super::matrix::Matrix;
use fencepost_ir::Order;
use fencepost_ir::cfg::Loc;
use fencepost_task::{Pace, Stop};

/// Which stores belong to a release sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReleaseSequences {
    /// The release store, and updates. This is weaker, so what holds with it holds with the other.
    #[default]
    Cxx20,
    /// Also later stores of the same thread.
    C11,
}

impl ReleaseSequences {
    /// The standard that says so, as the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            ReleaseSequences::Cxx20 => "c++20",
            ReleaseSequences::C11 => "c11",
        }
    }
}

/// What of a graph does not depend on the orders of writes. Numbers below the number of cells stand for initial writes, the events
/// follow.
pub struct Rules<'g> {
    graph: &'g Graph,
    locs: Vec<Loc>,
    po: Matrix,
    rf: Matrix,
    rmw: Matrix,
    same_loc: Matrix,
    /// What a thread's creation and end order.
    threads: Matrix,
    hb: Matrix,
}

impl<'g> Rules<'g> {
    /// Relations that there are at the same time, at most.
    const RELATIONS: u64 = 20;

    /// Computes happens-before.
    pub fn new(graph: &'g Graph, sequences: ReleaseSequences, pace: &mut Pace) -> Result<Rules<'g>, Stop> {
        let locs = graph.locs();
        let first = locs.len();
        let events = graph.events();
        let size = first + events.len();
        pace.take(Matrix::bytes(size).saturating_mul(Rules::RELATIONS), || 0)?;
        let loc = |i: usize| if i < first { Some(locs[i]) } else { events[i - first].act.loc() };
        let po = Matrix::of(size, pace, |a, b| {
            b >= first && (a < first || a < b && events[a - first].thread == events[b - first].thread)
        })?;
        let same_loc = Matrix::of(size, pace, |a, b| loc(a).is_some() && loc(a) == loc(b))?;
        let mut rules = Rules {
            graph,
            po,
            rf: Matrix::new(size),
            rmw: Matrix::new(size),
            same_loc,
            threads: Matrix::new(size),
            hb: Matrix::new(size),
            locs,
        };
        rules.relate();
        rules.hb = rules.happens_before(sequences, pace)?;
        Ok(rules)
    }

    fn size(&self) -> usize {
        self.locs.len() + self.graph.events().len()
    }

    /// The number of an event.
    fn number(&self, id: EventId) -> usize {
        self.locs.len() + id
    }

    /// The number of a write.
    fn written(&self, loc: Loc, source: Source) -> usize {
        match source {
            Source::Initial => self.locs.binary_search(&loc).expect("every accessed cell is listed"),
            Source::Event(id) => self.number(id),
        }
    }

    /// What a number stands for; nothing for initial writes.
    fn act(&self, number: usize) -> Option<Act> {
        Some(self.graph.events()[number.checked_sub(self.locs.len())?].act)
    }

    fn is(&self, number: usize, what: impl Fn(Act) -> bool) -> bool {
        self.act(number).is_some_and(what)
    }

    /// rf, rmw, and what creation and join order.
    fn relate(&mut self) {
        let events = self.graph.events();
        let of = |thread: usize| (0..events.len()).filter(move |id| events[*id].thread == thread);
        for (id, event) in events.iter().enumerate() {
            let number = self.number(id);
            match event.act {
                Act::Read { loc, source, .. } => {
                    let source = self.written(loc, source);
                    self.rf.add(source, number);
                }
                Act::Write { part: Part::Update, .. } => {
                    let read = of(event.thread).rfind(|e| *e < id).expect("an update has its read");
                    self.rmw.add(self.locs.len() + read, number);
                }
                Act::Spawn(thread) => {
                    if let Some(first) = of(thread).next() {
                        self.threads.add(number, self.locs.len() + first);
                    }
                }
                Act::Join(thread) => {
                    if let Some(last) = of(thread).next_back() {
                        self.threads.add(self.locs.len() + last, number);
                    }
                }
                Act::Write { part: Part::Store, .. } | Act::Fence(_) => {}
            }
        }
    }

    fn happens_before(&self, sequences: ReleaseSequences, pace: &mut Pace) -> Result<Matrix, Stop> {
        let only = |what: &dyn Fn(Act) -> bool| Matrix::identity(self.size(), |i| self.is(i, what));
        let atomic = |act: Act| act.order().is_some();
        let fences = only(&Act::is_fence);
        let releases = only(&|act| !act.is_read() && act.order().is_some_and(Order::releases));
        let acquires = only(&|act| !act.is_write() && act.order().is_some_and(Order::acquires));
        let atomic_writes = only(&|act| act.is_write() && atomic(act));
        let atomic_reads = only(&|act| act.is_read() && atomic(act));
        let heads = match sequences {
            ReleaseSequences::Cxx20 => atomic_writes.clone(),
            ReleaseSequences::C11 => {
                let later = self.po.clone().and(&self.same_loc).maybe();
                only(&Act::is_write).then(&later, pace)?.then(&atomic_writes, pace)?
            }
        };
        let updates = self.rf.then(&self.rmw, pace)?.closure(pace)?;
        let rs = heads.then(&updates.maybe(), pace)?;
        let from = releases.then(&fences.then(&self.po, pace)?.maybe(), pace)?;
        let to = self.po.then(&fences, pace)?.maybe().then(&acquires, pace)?;
        let sw = from.then(&rs, pace)?.then(&self.rf, pace)?.then(&atomic_reads, pace)?.then(&to, pace)?;
        self.po.clone().or(&sw).or(&self.threads).closure(pace)
    }

    /// mo and fr of the cells of `locs`, as they are ordered in `graph`.
    fn orders(&self, graph: &Graph, locs: &[Loc], pace: &mut Pace) -> Result<(Matrix, Matrix), Stop> {
        let (mut mo, mut fr) = (Matrix::new(self.size()), Matrix::new(self.size()));
        for &loc in locs {
            let mut order = vec![self.written(loc, Source::Initial)];
            order.extend(graph.writes(loc).iter().map(|id| self.number(*id)));
            for (i, from) in order.iter().enumerate() {
                pace.work(1 + (order.len() as u64 >> 10), || 0)?;
                order[i + 1..].iter().for_each(|to| mo.add(*from, *to));
            }
        }
        for (id, event) in graph.events().iter().enumerate() {
            let Act::Read { loc, source, .. } = event.act else { continue };
            pace.work(1 + (self.size() as u64 >> 10), || 0)?;
            let (source, read) = (self.written(loc, source), self.number(id));
            (0..self.size()).filter(|w| mo.has(source, *w)).for_each(|w| fr.add(read, w));
        }
        Ok((mo, fr))
    }

    /// Coherence and atomicity of one cell, written in the order that `graph` says.
    pub fn is_coherent(&self, graph: &Graph, loc: Loc, pace: &mut Pace) -> Result<bool, Stop> {
        let (mo, fr) = self.orders(graph, &[loc], pace)?;
        let here = |i: usize| {
            if i < self.locs.len() { self.locs[i] == loc } else { self.is(i, |a| a.loc() == Some(loc)) }
        };
        let rf = Matrix::of(self.size(), pace, |a, b| here(b) && self.rf.has(a, b))?;
        let between = fr.then(&mo, pace)?;
        let eco = rf.or(&mo).or(&fr).closure(pace)?;
        Ok(self.hb.is_irreflexive()
            && self.hb.then(&eco, pace)?.is_irreflexive()
            && self.rmw.then(&eco, pace)?.is_irreflexive()
            && self.rmw.clone().and(&between).is_empty())
    }

    /// The axiom of seq_cst accesses and fences, for the cells whose writes `graph` has in order. What other cells add makes more
    /// cycles, never fewer.
    pub fn seq_cst_holds(&self, graph: &Graph, pace: &mut Pace) -> Result<bool, Stop> {
        let is_sc = |act: Act| act.order() == Some(Order::SeqCst);
        let accesses = Matrix::identity(self.size(), |i| self.is(i, |a| is_sc(a) && !a.is_fence()));
        let fences = Matrix::identity(self.size(), |i| self.is(i, |a| is_sc(a) && a.is_fence()));
        if accesses.is_empty() && fences.is_empty() {
            return Ok(true);
        }
        let (mo, fr) = self.orders(graph, &self.locs, pace)?;
        let eco = self.rf.clone().or(&mo).or(&fr).closure(pace)?;
        let po_elsewhere = self.po.clone().without(&self.same_loc);
        let hb_here = self.hb.clone().and(&self.same_loc);
        let around = po_elsewhere.then(&self.hb, pace)?.then(&po_elsewhere, pace)?;
        let scb = self.po.clone().or(&around).or(&hb_here).or(&mo).or(&fr);
        let maybe_hb = self.hb.clone().maybe();
        let from = accesses.clone().or(&fences.then(&maybe_hb, pace)?);
        let to = accesses.or(&maybe_hb.then(&fences, pace)?);
        let between_fences = self.hb.clone().or(&self.hb.then(&eco, pace)?.then(&self.hb, pace)?);
        let fenced = fences.then(&between_fences, pace)?.then(&fences, pace)?;
        from.then(&scb, pace)?.then(&to, pace)?.or(&fenced).is_acyclic(pace)
    }

    /// Whether RC11 has the graph.
    pub fn is_consistent(&self, pace: &mut Pace) -> Result<bool, Stop> {
        for loc in &self.locs {
            if !self.is_coherent(self.graph, *loc, pace)? {
                return Ok(false);
            }
        }
        self.seq_cst_holds(self.graph, pace)
    }

    /// Whether SC has the graph: all its relations together have no cycle.
    pub fn is_sequentially_consistent(&self, pace: &mut Pace) -> Result<bool, Stop> {
        let (mo, fr) = self.orders(self.graph, &self.locs, pace)?;
        self.po.clone().or(&self.rf).or(&mo).or(&fr).or(&self.threads).is_acyclic(pace)
    }

    /// Whether an event happens before another.
    pub fn is_before(&self, first: EventId, second: EventId) -> bool {
        self.hb.has(self.number(first), self.number(second))
    }

    /// The first two accesses that race: one cell, at least one write, at least one not atomic, and neither happens before the other.
    pub fn race(&self, pace: &mut Pace) -> Result<Option<(EventId, EventId)>, Stop> {
        let events = self.graph.events();
        let races = |a: EventId, b: EventId| {
            let (first, second) = (events[a].act, events[b].act);
            first.loc().is_some()
                && first.loc() == second.loc()
                && events[a].thread != events[b].thread
                && (first.is_write() || second.is_write())
                && (first.order().is_none() || second.order().is_none())
                && !self.hb.has(self.number(a), self.number(b))
                && !self.hb.has(self.number(b), self.number(a))
        };
        for b in 0..events.len() {
            pace.work(1 + (b as u64 >> 8), || 0)?;
            if let Some(a) = (0..b).find(|a| races(*a, b)) {
                return Ok(Some((a, b)));
            }
        }
        Ok(None)
    }
}

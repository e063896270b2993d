//! Coherence orders of an execution, and whether the axioms allow it with them. The axioms are in
//! `mod.rs`, where they are justified.

use super::execution::{Event, EventId, Execution, Kind, Source};
use fencepost_ir::cfg::Loc;
use fencepost_task::{Model, Pace, Stop};

/// The last value written to each cell that is written at all.
type Memory = [(Loc, i64)];

/// Calls `see` with the last value written to each written cell, for every allowed coherence order.
pub fn final_memories(
    execution: &Execution,
    model: Model,
    pace: &mut Pace,
    see: &mut dyn FnMut(&Memory),
) -> Result<(), Stop> {
    let events = &execution.events;
    let mut locs: Vec<Loc> = events.iter().flat_map(|e| e.touches.iter()).map(|t| t.loc).collect();
    locs.sort_unstable();
    locs.dedup();
    let mut orders: Vec<(Loc, Vec<Vec<EventId>>)> = Vec::new();
    for loc in locs {
        let mut writes: Vec<EventId> = Vec::new();
        for thread in execution.program_order() {
            writes.extend(thread.iter().filter(|id| events[**id].write(loc).is_some()));
        }
        let mut allowed = Vec::new();
        linearizations(events, loc, &writes, &mut Vec::new(), pace, &mut |order, pace| {
            // Each read looks its write up in the order.
            pace.work((events.len() * order.len()) as u64 >> 8, || 0)?;
            if coherent(execution, loc, order) {
                allowed.push(order.to_vec());
            }
            Ok(())
        })?;
        orders.push((loc, allowed));
    }
    let pairs = (events.len() * events.len()) as u64;
    pace.take(pairs * size_of::<EventId>() as u64, || 0)?;
    pace.work(pairs >> 8, || 0)?;
    let base = Relation::preserved(execution, model);
    combine(events, &orders, base, &mut Vec::new(), pace, see)
}

/// Who sees an order of writes.
type See<'a> = dyn FnMut(&[EventId], &mut Pace) -> Result<(), Stop> + 'a;

/// All orders of the writes to a cell in which those of one thread (they are together in `writes`, in
/// program order) stay in order and every update comes right after what it read.
pub fn linearizations(
    events: &[Event],
    loc: Loc,
    writes: &[EventId],
    order: &mut Vec<EventId>,
    pace: &mut Pace,
    see: &mut See<'_>,
) -> Result<(), Stop> {
    // For each write those before it are looked up in the order.
    pace.work(events.len() as u64 + ((writes.len() * writes.len()) as u64 >> 8), || 0)?;
    if order.len() == writes.len() {
        return see(order, pace);
    }
    for (i, &id) in writes.iter().enumerate() {
        let waits = writes[..i].iter().any(|w| events[*w].thread == events[id].thread && !order.contains(w));
        if order.contains(&id) || waits {
            continue;
        }
        let last = order.last().map_or(Source::Initial, |w| Source::Event(*w));
        if events[id].read(loc).is_some_and(|touch| touch.source != last) {
            continue;
        }
        order.push(id);
        linearizations(events, loc, writes, order, pace, see)?;
        order.pop();
    }
    Ok(())
}

/// Axiom 1, for one cell: po ∪ rf ∪ co ∪ fr is acyclic.
fn coherent(execution: &Execution, loc: Loc, order: &[EventId]) -> bool {
    let events = &execution.events;
    let mut relation = Relation::new(events.len());
    for thread in execution.program_order() {
        let here: Vec<EventId> =
            thread.iter().copied().filter(|id| events[*id].touch(loc).is_some()).collect();
        for pair in here.windows(2) {
            relation.add(pair[0], pair[1]);
        }
    }
    for (id, event) in events.iter().enumerate() {
        if let Some(Source::Event(source)) = event.read(loc).map(|touch| touch.source) {
            relation.add(source, id);
        }
    }
    relation.add_coherence(events, loc, order);
    relation.is_acyclic()
}

/// Tries every choice of one order for each cell with axiom 2.
fn combine(
    events: &[Event],
    orders: &[(Loc, Vec<Vec<EventId>>)],
    relation: Relation,
    memory: &mut Vec<(Loc, i64)>,
    pace: &mut Pace,
    see: &mut dyn FnMut(&Memory),
) -> Result<(), Stop> {
    pace.take(relation.bytes(), || 0)?;
    pace.work(relation.bytes() >> 11, || 0)?;
    // A cycle stays one whatever is added.
    if !relation.is_acyclic() {
        return Ok(());
    }
    let Some(((loc, alternatives), rest)) = orders.split_first() else {
        see(memory);
        return Ok(());
    };
    for order in alternatives {
        let mut relation = relation.clone();
        relation.add_coherence(events, *loc, order);
        let last = order.last().and_then(|id| Some((*loc, events[*id].write(*loc)?.value)));
        memory.extend(last);
        combine(events, rest, relation, memory, pace, see)?;
        if last.is_some() {
            memory.pop();
        }
    }
    Ok(())
}

/// A relation on events.
#[derive(Clone)]
struct Relation {
    after: Vec<Vec<EventId>>,
}

impl Relation {
    fn new(events: usize) -> Relation {
        Relation { after: vec![Vec::new(); events] }
    }

    fn bytes(&self) -> u64 {
        let rows = self.after.iter().map(|row| size_of_val(row) + size_of_val(&row[..]));
        rows.sum::<usize>() as u64
    }

    fn add(&mut self, from: EventId, to: EventId) {
        self.after[from].push(to);
    }

    /// What of po and rf the model keeps.
    fn preserved(execution: &Execution, model: Model) -> Relation {
        let events = &execution.events;
        let mut relation = Relation::new(events.len());
        for thread in execution.program_order() {
            for (i, &from) in thread.iter().enumerate() {
                for &to in &thread[i + 1..] {
                    if keeps(model, &events[from], &events[to]) {
                        relation.add(from, to);
                    }
                }
            }
        }
        for (id, event) in events.iter().enumerate().filter(|(_, event)| event.reads()) {
            for touch in event.touches.iter() {
                if let Source::Event(source) = touch.source
                    && (model == Model::Sc || events[source].thread != event.thread)
                {
                    relation.add(source, id);
                }
            }
        }
        relation
    }

    /// co and fr of one cell.
    fn add_coherence(&mut self, events: &[Event], loc: Loc, order: &[EventId]) {
        for pair in order.windows(2) {
            self.add(pair[0], pair[1]);
        }
        for (id, event) in events.iter().enumerate() {
            let Some(touch) = event.read(loc) else { continue };
            let behind = match touch.source {
                Source::Initial => 0,
                Source::Event(source) => match order.iter().position(|w| *w == source) {
                    Some(position) => position + 1,
                    None => panic!("a read takes its value from a write to its cell"),
                },
            };
            // The next one is enough, the others follow by co. An update is not a write after its own read.
            if let Some(&next) = order[behind..].iter().find(|w| **w != id) {
                self.add(id, next);
            }
        }
    }

    fn is_acyclic(&self) -> bool {
        let mut missing = vec![0usize; self.after.len()];
        for to in self.after.iter().flatten() {
            missing[*to] += 1;
        }
        let mut free: Vec<EventId> = (0..missing.len()).filter(|id| missing[*id] == 0).collect();
        let mut removed = 0;
        while let Some(id) = free.pop() {
            removed += 1;
            for &to in &self.after[id] {
                missing[to] -= 1;
                if missing[to] == 0 {
                    free.push(to);
                }
            }
        }
        removed == self.after.len()
    }
}

/// Whether a pair of program order is in ppo.
fn keeps(model: Model, from: &Event, to: &Event) -> bool {
    let strong = |e: &Event| matches!(e.kind, Kind::Fence | Kind::Update | Kind::Probe);
    if model == Model::Sc || strong(from) || strong(to) {
        return true;
    }
    match (from.kind, to.kind) {
        (Kind::Read, _) => true,
        (Kind::Write, Kind::Write) => model == Model::Tso || from.meets(to),
        (Kind::Write, Kind::StoreFence) | (Kind::StoreFence, Kind::Write) => model == Model::Pso,
        // A store-store fence orders nothing but stores; a store may wait after a load.
        (Kind::Write | Kind::StoreFence, _) => false,
        (Kind::Fence | Kind::Update | Kind::Probe, _) => true,
    }
}

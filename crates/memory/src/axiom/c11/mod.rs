//! RC11, the repaired model of C11, by its axioms alone: which executions of a loop-free program it has, so which final states there are,
//! and whether two accesses race.
//!
//! The axioms are in [`rules`], the graphs that they speak of in [`graph`]. As RC11 asks that po ∪ rf has no cycle, the enumeration of
//! what threads do and read that the other models have ([`super::execution`]) finds all its executions, too: a read comes after the
//! write that it reads. Here every order of the writes to each cell is tried with the axioms.
//!
//! A race between accesses that are not both atomic is undefined behaviour in C: then the final states mean nothing, and the answer says
//! so. It may be in an execution that never ends because a thread waits or fails, so these are looked at, too. An execution that is cut
//! off after some events is one if the whole is, and happens-before between its events is the same: executions that go no further are
//! enough.
//!
//! Limits: those of the other models, accesses of several sizes, and programs in which a thread fails and nothing races: they have no final
//! state that says so. An access that says nothing is not atomic, and a
//! volatile one neither; a read-modify-write that says nothing is seq_cst, as is a full fence. Other machine fences are
//! refused.

mod graph;
mod matrix;
mod rules;

pub use graph::{Act, Event, EventId, Graph, Part, Source};
pub use rules::{ReleaseSequences, Rules};

use super::applicable::refusal;
use super::consistency::linearizations;
use super::execution::{self, Enumeration, Execution, Kind, Unfinished};
use super::{every_choice, observe};
use fencepost_ir::cfg::{Loc, Observable, Program};
use fencepost_ir::{Access, Order, Span};
use fencepost_task::{Budget, Pace, Reason};
use std::collections::BTreeSet;

/// What a program does under C11.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// What the observed cells and registers can hold when all threads have ended. They mean nothing where there is a race.
    pub finals: BTreeSet<Vec<i64>>,
    /// The places of two accesses that race, the first ones in the source.
    pub race: Option<(Span, Span)>,
}

/// What the observed cells and registers of a loop-free program can hold at its end, and whether it has a race. The program is a graph
/// for the language, whose fences have their orders.
pub fn outcomes(
    program: &Program,
    sequences: ReleaseSequences,
    observed: &[Observable],
    budget: &Budget,
) -> Result<Outcomes, Reason> {
    let mut initial = vec![Vec::new()];
    for choices in program.objects.iter().flat_map(|o| o.init.iter()) {
        initial = every_choice(&initial, choices)?;
    }
    let mut found = Outcomes::default();
    let mut failure = None;
    let mut pace = Pace::new(budget);
    for cells in &initial {
        let mut enumeration = Enumeration::new(program, cells, Unfinished::Kept)?;
        enumeration.run::<Reason>(&mut pace, &mut |execution, pace| {
            let (mut graph, writes) = graph_of(program, execution)?;
            let mut orders = Orders { execution, writes, sequences, consistent: false, pace };
            let race = orders.run(&mut graph, &mut |memory| {
                if execution.is_complete() {
                    let values = observed.iter().map(|o| observe(execution, memory, cells, *o));
                    found.finals.insert(values.collect());
                }
            })?;
            if orders.consistent {
                let seen = [failure, execution.failure()].into_iter().flatten();
                failure = seen.min_by_key(|span| place(*span, *span));
            }
            found.race = [found.race, race].into_iter().flatten().min_by_key(|(a, b)| place(*a, *b));
            Ok(())
        })?;
    }
    budget.finish()?;
    match failure.filter(|_| found.race.is_none()) {
        None => Ok(found),
        Some(span) => Err(refusal(&format!("threads that fail, as at {}", program.sources.place(span)))),
    }
}

/// What decides which of several races is shown.
fn place(first: Span, second: Span) -> [u32; 4] {
    [first.line, first.column, second.line, second.column]
}

/// The graph of an execution, without orders of writes, and the write of each event that has one.
fn graph_of(program: &Program, execution: &Execution) -> Result<(Graph, Vec<EventId>), Reason> {
    let mut graph = Graph::default();
    let mut writes = Vec::new();
    for event in &execution.events {
        let refuse =
            |what: &str| Err(refusal(&format!("{what}, as at {}", program.sources.place(event.span))));
        if event.touches.len() > 1 {
            return refuse("accesses of several sizes under C11");
        }
        let mut push = |act: Act| graph.push(Event { thread: event.thread, act, span: event.span });
        let source = |source: execution::Source| match source {
            execution::Source::Initial => Source::Initial,
            execution::Source::Event(id) => Source::Event(writes[id]),
        };
        let last = match (event.kind, event.touches.first()) {
            (Kind::Read, Some(touch)) => {
                push(Act::Read { loc: touch.loc, order: event.access.order(), source: source(touch.source) })
            }
            (Kind::Write, Some(touch)) => {
                push(Act::Write { loc: touch.loc, order: event.access.order(), part: Part::Store })
            }
            (Kind::Probe, Some(touch)) => {
                let order = Some(event.access.of_failure());
                push(Act::Read { loc: touch.loc, order, source: source(touch.source) })
            }
            (Kind::Update, Some(touch)) => {
                let (loc, order) = (touch.loc, event.access.of_update());
                push(Act::Read { loc, order: Some(order.of_load()), source: source(touch.source) });
                push(Act::Write { loc, order: Some(order.of_store()), part: Part::Update })
            }
            (Kind::Fence, None) => match fence_order(event.access) {
                // It orders nothing, and the model has no such event.
                Order::Relaxed => EventId::MAX,
                order => push(Act::Fence(order)),
            },
            (Kind::StoreFence, None) => return refuse("store-store fences, which C11 has not"),
            (kind, touch) => panic!("an event {kind:?} has no place {touch:?}"),
        };
        writes.push(last);
    }
    Ok((graph, writes))
}

/// The order of a fence; a machine's full fence is the strongest.
pub fn fence_order(access: Access) -> Order {
    access.order().unwrap_or(Order::SeqCst)
}

/// The search for orders of the writes of an execution.
struct Orders<'a, 'b> {
    execution: &'a Execution,
    /// The write of each event that has one.
    writes: Vec<EventId>,
    sequences: ReleaseSequences,
    /// Whether there is an order at all.
    consistent: bool,
    pace: &'b mut Pace,
}

/// The last value written to each cell that is written at all.
type Memory = Vec<(Loc, i64)>;

impl Orders<'_, '_> {
    /// Calls `see` with the last values for every consistent choice of orders; a race of the execution, if RC11 has it.
    fn run(
        &mut self,
        graph: &mut Graph,
        see: &mut dyn FnMut(&Memory),
    ) -> Result<Option<(Span, Span)>, Reason> {
        let plain = graph.clone();
        let rules = Rules::new(&plain, self.sequences, self.pace)?;
        let mut orders = Vec::new();
        for loc in plain.locs() {
            orders.push((loc, self.coherent(&rules, graph, loc)?));
            graph.order_writes(loc, Vec::new());
        }
        self.combine(&rules, graph, &orders, &mut Vec::new(), see)?;
        if !self.consistent {
            return Ok(None);
        }
        let spans = |(a, b): (EventId, EventId)| {
            let (a, b) = (plain.events()[a].span, plain.events()[b].span);
            if place(a, b) <= place(b, a) { (a, b) } else { (b, a) }
        };
        Ok(rules.race(self.pace)?.map(spans))
    }

    /// The coherent orders of the writes to one cell, as events of the execution.
    fn coherent(
        &mut self,
        rules: &Rules<'_>,
        graph: &mut Graph,
        loc: Loc,
    ) -> Result<Vec<Vec<execution::EventId>>, Reason> {
        let events = &self.execution.events;
        let mut writes = Vec::new();
        for thread in self.execution.program_order() {
            writes.extend(thread.iter().copied().filter(|id| events[*id].write(loc).is_some()));
        }
        let mut coherent = Vec::new();
        linearizations(events, loc, &writes, &mut Vec::new(), self.pace, &mut |order, pace| {
            graph.order_writes(loc, order.iter().map(|id| self.writes[*id]).collect());
            if rules.is_coherent(graph, loc, pace)? {
                coherent.push(order.to_vec());
            }
            Ok(())
        })?;
        Ok(coherent)
    }

    /// Tries every choice of one order for each cell with the axiom of seq_cst.
    fn combine(
        &mut self,
        rules: &Rules<'_>,
        graph: &mut Graph,
        orders: &[(Loc, Vec<Vec<execution::EventId>>)],
        memory: &mut Memory,
        see: &mut dyn FnMut(&Memory),
    ) -> Result<(), Reason> {
        self.pace.work(graph.events().len() as u64, || 0)?;
        if !rules.seq_cst_holds(graph, self.pace)? {
            return Ok(());
        }
        let Some(((loc, alternatives), rest)) = orders.split_first() else {
            self.consistent = true;
            see(memory);
            return Ok(());
        };
        for order in alternatives {
            graph.order_writes(*loc, order.iter().map(|id| self.writes[*id]).collect());
            let last =
                order.last().and_then(|id| Some((*loc, self.execution.events[*id].write(*loc)?.value)));
            memory.extend(last);
            self.combine(rules, graph, rest, memory, see)?;
            if last.is_some() {
                memory.pop();
            }
        }
        graph.order_writes(*loc, Vec::new());
        Ok(())
    }
}

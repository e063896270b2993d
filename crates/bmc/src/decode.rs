//! From a model of the formula to a run of the program.
//!
//! The model says which steps threads take in which order, what is chosen, and when stores reach memory.
//! The run is made by taking these steps on the reference semantics, at the program's full widths: values
//! come from there. Stores are flushed as late as the model allows, that is, right before the first step
//! that the model puts after them; stores to cells of the thread's own, of which the model knows
//! nothing, as soon as they can be.

use crate::circuit::Lit;
use crate::code::{Code, StepCode};
use crate::rounds::{Rounds, Slot};
use crate::sharing::{Home, Sharing};
use crate::sma::Flush;
use crate::word::Word;
use fencepost_analysis::bounded::{Bounded, Place};
use fencepost_ir::cfg::{Instr, Loc, ObjectId, Program};
use fencepost_memory::{EntryKind, Machine, Memory, State, with_memory};
use fencepost_task::{Action, Limit, Model, Step, Trace, Violation};

/// What a model of the formula turned out to be.
pub enum Decoded {
    /// A run that violates a property.
    Run(Trace),
    /// A run that comes to an engine limit: the failure and where.
    Limit(Limit, fencepost_ir::Span),
    /// No such run of the program, for this reason.
    NoRun(String),
}

/// What is decoded.
pub struct Encoded<'a, 'p> {
    /// What threads can do.
    pub analysis: &'a Bounded<'p>,
    /// Where cells live.
    pub sharing: &'a Sharing,
    /// The threads' code.
    pub code: &'a Code,
    /// The rounds.
    pub rounds: &'a Rounds,
    /// The program at full widths.
    pub program: &'a Program,
    /// The memory model.
    pub model: Model,
}

/// Decodes a model, given as the values of all nodes.
pub fn decode(encoded: &Encoded<'_, '_>, nodes: &[bool]) -> Decoded {
    let machine = Machine::new(encoded.program).expect("the analysis refuses templates");
    let word = |word: &Word| number(word, nodes);
    let init: Vec<_> = machine
        .initial_choices()
        .into_iter()
        .map(|(loc, choices)| {
            let chosen = encoded.code.initial.iter().find(|(l, _)| *l == loc).map(|(_, w)| word(w));
            let first = choices.values().next().expect("the validator asks for a value");
            (loc, chosen.filter(|v| choices.contains(*v)).unwrap_or(first))
        })
        .collect();
    with_memory!(encoded.model, memory => {
        let state = machine.initial(&init);
        let threads = encoded.analysis.instances.len();
        let mut run = Run {
            encoded,
            nodes,
            machine: &machine,
            memory,
            steps: Vec::new(),
            state,
            place: vec![0; threads],
            number: (0..threads).map(|i| encoded.analysis.instances[i].parent.is_none().then_some(i)).collect(),
            objects: vec![None; encoded.analysis.objects.len()],
            pending: Vec::new(),
            end: None,
        };
        run.all();
        match run.end {
            Some(Stop::Violation(violation)) => Decoded::Run(Trace {
                model: encoded.model,
                instances: Vec::new(),
                init,
                steps: run.steps,
                violation,
                shortest: false,
            }),
            Some(Stop::Limit(failure, span)) => Decoded::Limit(failure, span),
            Some(Stop::Stuck(reason)) => Decoded::NoRun(reason),
            None => Decoded::NoRun("the run ends without violating a property".into()),
        }
    })
}

/// The number that a word is.
pub(crate) fn number(word: &Word, nodes: &[bool]) -> i64 {
    (0..64).filter(|i| word.bit(*i).value(nodes)).fold(0u64, |n, i| n | 1 << i) as i64
}

enum Stop {
    Violation(Violation),
    Limit(Limit, fencepost_ir::Span),
    Stuck(String),
}

/// A store that the model lets reach memory at some time.
struct Pending {
    thread: usize,
    loc: Loc,
    stamp: usize,
}

struct Run<'r, 'a, 'p, M: Memory> {
    encoded: &'r Encoded<'a, 'p>,
    nodes: &'r [bool],
    machine: &'r Machine<'r>,
    memory: &'r M,
    steps: Vec<Step>,
    state: State,
    /// Where each thread is in its code.
    place: Vec<usize>,
    /// The machine's number of each thread that has started.
    number: Vec<Option<usize>>,
    /// The machine's number of each allocated object.
    objects: Vec<Option<ObjectId>>,
    pending: Vec<Pending>,
    end: Option<Stop>,
}

impl<M: Memory> Run<'_, '_, '_, M> {
    fn holds(&self, lit: Lit) -> bool {
        lit.value(self.nodes)
    }

    fn all(&mut self) {
        self.look();
        for thread in 0..self.place.len() {
            self.run_on(thread);
        }
        let mut occurrence: rustc_hash::FxHashMap<(usize, usize), usize> = Default::default();
        for round in 0..self.encoded.rounds.schedule.len() {
            for (slot, active) in &self.encoded.rounds.schedule[round] {
                let nth = occurrence.entry((slot.thread, slot.step)).or_default();
                *nth += 1;
                let nth = *nth - 1;
                if self.end.is_some() || !self.holds(*active) {
                    continue;
                }
                self.visible(*slot, nth);
            }
        }
        // What is left in buffers matters only after the program has ended; threads end with empty buffers.
    }

    fn visible(&mut self, slot: Slot, nth: usize) {
        let instance = &self.encoded.analysis.instances[slot.thread];
        let step = &instance.code.steps[slot.step];
        if self.place[slot.thread] != step.from {
            let place = self.encoded.program.sources.place(step.edge.span).to_string();
            self.end = Some(Stop::Stuck(format!("thread {} does not come to {place}", slot.thread)));
            return;
        }
        let code = self.step_code(slot.thread, slot.step);
        let access = code.visible.as_ref().and_then(|v| v.access);
        let holds = |lit: Lit| lit.value(self.nodes);
        let memory = &self.encoded.code.memory;
        let timing = access.and_then(|a| memory.timing(a, &holds));
        let flushes = access.map_or(Vec::new(), |a| memory.flushes(a, nth, &holds));
        for flush in flushes {
            self.flush_nth(flush);
        }
        if let Some(timing) = &timing {
            self.flush_until(timing.clock);
        }
        if self.end.is_some() {
            return;
        }
        let thread = self.number[slot.thread].expect("threads step after they have started");
        if self.memory.drains(&step.edge.instr, self.state.threads[thread].frames.len() == 1) {
            self.flush_private(thread);
        }
        let written = match &step.edge.instr {
            Instr::Store(address, _) => {
                self.machine.resolve(&self.state, thread, address).ok().map(|resolved| resolved.loc)
            }
            _ => None,
        };
        // A store to a cell of the thread's own can be a step that others see for its place alone.
        if let Some(loc) = written
            && access.is_some()
            && self.encoded.model != Model::Sc
        {
            let stamp = timing.as_ref().and_then(|t| t.stamps.first().copied()).unwrap_or(usize::MAX);
            self.pending.push(Pending { thread, loc, stamp });
        }
        let too_late = self.step_code(slot.thread, slot.step).too_late;
        self.take(slot.thread, slot.step);
        if let Some(timing) = &timing {
            self.flush_until(timing.clock);
        }
        if too_late.is_some_and(|lit| self.holds(lit)) {
            self.flush_until(usize::MAX);
        }
        self.run_on(slot.thread);
    }

    fn step_code(&self, thread: usize, step: usize) -> &StepCode {
        self.encoded.code.threads[thread].steps[step].as_ref().expect("steps that are taken have code")
    }

    /// Takes steps that no other thread can observe, as far as possible.
    fn run_on(&mut self, thread: usize) {
        while self.end.is_none() && self.number[thread].is_some() {
            let instance = &self.encoded.analysis.instances[thread];
            let place = self.place[thread];
            if !matches!(instance.code.places[place], Place::At { .. }) {
                return;
            }
            let number = self.number[thread].expect("started");
            if self.fail(thread) {
                return;
            }
            let mut possible = Vec::new();
            self.machine.thread_steps(self.memory, &self.state, number, &mut possible);
            let can = |id| possible.iter().any(|s| matches!(s.action, Action::Edge(e, _) if e == id));
            let steps = instance.code.out(place).filter(|s| {
                let code = &self.encoded.code.threads[thread].steps[*s];
                let instr = &instance.code.steps[*s].edge.instr;
                code.as_ref().is_some_and(|code| self.holds(code.chosen) && !self.has_no_size(instr, code))
            });
            let Some(next) = steps.into_iter().find(|s| {
                let visible = self.step_code(thread, *s).visible.is_some();
                visible || can(instance.code.steps[*s].id)
            }) else {
                return;
            };
            if self.step_code(thread, next).visible.is_some() {
                return;
            }
            self.take(thread, next);
        }
    }

    /// Takes a step that fails when it is tried, if the model says so of one of those that come next and it is more than a
    /// step that no other thread can observe. The run ends there, so stores that the step waits for can reach memory now.
    fn fail(&mut self, thread: usize) -> bool {
        let instance = &self.encoded.analysis.instances[thread];
        let failing = instance.code.out(self.place[thread]).find(|s| {
            let code = &self.encoded.code.threads[thread].steps[*s];
            let instr = &instance.code.steps[*s].edge.instr;
            code.as_ref().is_some_and(|code| {
                self.holds(code.chosen) && self.fails_early(code) && !self.has_no_size(instr, code)
            })
        });
        let Some(next) = failing else { return false };
        let number = self.number[thread].expect("threads step after they have started");
        let step = &instance.code.steps[next];
        if !self.memory.may_step(&self.state, number) {
            return false;
        }
        let mut possible = Vec::new();
        self.machine.thread_steps(self.memory, &self.state, number, &mut possible);
        let mut can = possible.iter().any(|s| matches!(s.action, Action::Edge(e, _) if e == step.id));
        if can && self.step_code(thread, next).visible.is_none() {
            return false;
        }
        let outermost = self.state.threads[number].frames.len() == 1;
        if !can && self.memory.drains(&step.edge.instr, outermost) {
            self.pending.retain(|p| p.thread != number);
            self.drain(number);
            can = self.end.is_none();
        }
        if can {
            self.take(thread, next);
        }
        can
    }

    /// Lets all stores of a thread reach memory.
    fn drain(&mut self, thread: usize) {
        while self.end.is_none() && !self.memory.is_drained(&self.state, thread) {
            let mut possible = Vec::new();
            self.machine.memory_steps(self.memory, &self.state, thread, &mut possible);
            let Some(step) = possible.first() else { return };
            self.apply(*step, fencepost_ir::Span::NONE);
        }
    }

    /// Whether the step would make an object of a size that is not tracked.
    fn has_no_size(&self, instr: &Instr, code: &StepCode) -> bool {
        matches!(instr, Instr::Allocate { .. } | Instr::Reallocate { .. })
            && (self.holds(code.outsized) || self.holds(code.early.limit))
    }

    /// Whether the model says that the step fails when it is tried.
    fn fails_early(&self, code: &StepCode) -> bool {
        self.holds(code.early.error) || self.holds(code.early.limit)
    }

    /// Takes a step on the machine.
    fn take(&mut self, thread: usize, number: usize) {
        let instance = &self.encoded.analysis.instances[thread];
        let step = &instance.code.steps[number];
        let at = self.number[thread].expect("threads step after they have started");
        let code = self.step_code(thread, number);
        let chosen = code.choice.as_ref().map(|w| self::number(w, self.nodes));
        let mut action = Step { thread: at as u32, action: Action::Edge(step.id, None) };
        match &step.edge.instr {
            Instr::Havoc(_, choices) => {
                let value = chosen.filter(|v| choices.contains(*v)).unwrap_or(choices.0[0].0);
                action.action = Action::Edge(step.id, Some(value));
            }
            Instr::Load(..) => {
                if let Some(value) = chosen {
                    let choose = Step { action: Action::Edge(step.id, Some(value)), ..action };
                    if self.machine.allows(self.memory, &self.state, choose) {
                        action = choose;
                    }
                }
            }
            Instr::Allocate { .. } => {
                let again = code.reuses.iter().find(|(taken, _)| self.holds(*taken));
                let number = again.and_then(|(_, object)| self.objects[*object]);
                action.action = Action::Edge(step.id, number.map(|object| object.0.into()));
            }
            _ => {}
        }
        let was_in_section = self.state.section.is_some();
        let allocated = self.state.heap.len();
        let children = self.state.threads.len();
        if self.apply(action, step.edge.span) {
            self.place[thread] = step.to;
            if let Instr::Halt = step.edge.instr {
                self.pending.clear();
            }
            let facts = &instance.facts[number];
            if self.state.heap.len() > allocated {
                let bytes = self.state.heap[allocated].bytes;
                let object = facts.makes.iter().find(|(size, _)| *size == bytes);
                let (_, object) = object.expect("an allocation makes an object of a size that is tracked");
                self.objects[*object] = Some(ObjectId(self.state.first_heap + allocated as u32));
            }
            if self.state.threads.len() > children {
                let child = facts.starts.expect("a spawn makes a thread");
                self.number[child] = Some(children);
                self.look();
                self.run_on(child);
            }
            self.flush_private(at);
            // Threads that were spawned in the section could not continue before.
            if was_in_section && self.state.section.is_none() {
                (0..self.place.len()).for_each(|other| self.run_on(other));
            }
        }
    }

    /// Does a step of the machine and looks at the result; whether the run continues.
    fn apply(&mut self, step: Step, span: fencepost_ir::Span) -> bool {
        if self.end.is_some() {
            return false;
        }
        if !self.machine.allows(self.memory, &self.state, step) {
            let place = self.encoded.program.sources.place(span).to_string();
            self.end = Some(Stop::Stuck(format!("{step:?} at {place} is not possible")));
            return false;
        }
        self.steps.push(step);
        match self.machine.apply(self.memory, &mut self.state, step) {
            Ok(()) => {
                self.look();
                self.end.is_none()
            }
            Err(failure) => {
                self.end = Some(match failure.violation() {
                    Ok(violation) => Stop::Violation(violation),
                    Err(limit) => Stop::Limit(limit, span),
                });
                false
            }
        }
    }

    /// Whether the state violates a property.
    fn look(&mut self) {
        if let Some(ending) = self.machine.violated(&self.state) {
            self.end = Some(match ending {
                Ok(violation) => Stop::Violation(violation),
                Err(limit) => Stop::Limit(limit, fencepost_ir::Span::NONE),
            });
        }
    }

    fn is_private(&self, loc: Loc) -> bool {
        let heap = self.encoded.program.objects.len();
        // Allocated objects have other numbers in the run; which of them are shared is known by what is
        // pending.
        if loc.as_element().is_some_and(|(object, _)| object.index() >= heap) {
            return !self.pending.iter().any(|p| p.loc == loc);
        }
        let home = self.encoded.sharing.cells.get(&loc).map(|l| l.home);
        !matches!(home, Some(Home::Shared(_)))
    }

    /// Flushes stores to the thread's own cells, as far as they are first in line.
    fn flush_private(&mut self, thread: usize) {
        while self.end.is_none() {
            let mut possible = Vec::new();
            self.machine.memory_steps(self.memory, &self.state, thread, &mut possible);
            let private = possible.into_iter().find(|s| match s.action {
                Action::Flush(loc) => {
                    self.is_private(loc) && !self.pending.iter().any(|p| p.thread == thread && p.loc == loc)
                }
                _ => false,
            });
            let Some(step) = private else { return };
            self.apply(step, fencepost_ir::Span::NONE);
        }
    }

    /// Flushes the stores whose stamps have passed.
    fn flush_until(&mut self, clock: usize) {
        while self.end.is_none() {
            let due = self.pending.iter().enumerate().filter(|(_, p)| p.stamp <= clock);
            let Some((index, _)) = due.min_by_key(|(i, p)| (p.stamp, *i)) else { return };
            let Pending { thread, loc, .. } = self.pending.remove(index);
            self.flush(thread, loc);
        }
    }

    fn flush(&mut self, thread: usize, loc: Loc) {
        self.flush_private(thread);
        // The store's own object may have been freed by its own thread: then it is gone.
        let buffer = &self.state.threads[thread].buffer;
        if !buffer.iter().any(|e| e.kind == EntryKind::Store && e.loc == loc) {
            return;
        }
        self.apply(Step { thread: thread as u32, action: Action::Flush(loc) }, fencepost_ir::Span::NONE);
    }

    /// Flushes one of a thread's stores that others can see.
    fn flush_nth(&mut self, flush: Flush) {
        let Some(thread) = self.number[flush.thread] else { return };
        let mut waiting = self.pending.iter().enumerate().filter(|(_, p)| p.thread == thread);
        if let Some(index) = waiting.nth(flush.index).map(|(i, _)| i) {
            let Pending { loc, .. } = self.pending.remove(index);
            self.flush(thread, loc);
        }
    }
}

//! The code of all threads as a circuit, once and for all rounds.
//!
//! Every step is taken at most once in a run, so what it computes is one word whatever the round it is
//! taken in; only when it is taken is a matter of rounds (`rounds.rs`). What a load sees is a word of
//! inputs that memory defines. Control flows through conditions on these words: `guard` says that the
//! thread, being at the step's place, continues by this step if it is not held up.

mod access;
mod instruction;
mod objects;
mod wide;

use crate::circuit::{Circuit, Lit};
use crate::expression::{Evaluation, Faults};
use crate::sharing::Sharing;
use crate::sma::{Access, AccessId, CellId, Memory};
use crate::word::Word;
use fencepost_analysis::bounded::{Bounded, Facts, Frame, Place, Refusal, Step};
use fencepost_analysis::values::Values;
use fencepost_analysis::values::slot;
use fencepost_ir::cfg::{Choices, Dest, Expr, Instr, Loc, Reg, UnaryOp};
use fencepost_task::{Model, Pace};
use std::collections::BTreeSet;

/// Gates whose making takes about as long as a step elsewhere.
pub const GATES_A_UNIT: u64 = 8;

/// A step of a thread.
#[derive(Clone, Debug)]
pub struct StepCode {
    /// Whether the thread continues by this step, of those that leave its place, and it does not fail.
    pub guard: Lit,
    /// Whether it tries this step.
    pub chosen: Lit,
    /// When the step fails as soon as it is tried.
    pub early: Faults,
    /// When it fails by what it finds in memory.
    pub late: Faults,
    /// What others can see of it.
    pub visible: Option<Visible>,
    /// The chosen value: of a havoc, or of a load from memory that was never written.
    pub choice: Option<Word>,
    /// Whether a store of another thread waits that will reach what the step frees.
    pub too_late: Option<Lit>,
    /// When the step gives out which object again.
    pub reuses: Vec<(Lit, usize)>,
    /// When the thread stops here, because the object would be too large for the bound.
    pub outsized: Lit,
}

/// What others can see of a step.
#[derive(Clone, Debug)]
pub struct Visible {
    /// Its access to memory.
    pub access: Option<AccessId>,
    /// Whether other threads may come between it and the step before.
    pub switch: bool,
    /// It can be taken only if this holds.
    pub unless_blocked: Lit,
    /// It waits for the end of a thread, under each of these conditions.
    pub joins: Vec<(Lit, usize)>,
    /// Whether it ends the program.
    pub halts: bool,
    /// The shared cells that it touches.
    pub touches: Vec<Touch>,
    /// Whether it may be put earlier past steps of others that touch nothing of the same.
    pub movable: bool,
}

/// What a step does with a shared cell.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// When it does.
    pub meant: Lit,
    /// The cell.
    pub cell: CellId,
    /// Whether it may change it.
    pub writes: bool,
}

/// A thread.
pub struct ThreadCode {
    /// Its steps, by number; `None` for those it never comes to.
    pub steps: Vec<Option<StepCode>>,
    /// Nesting of atomic sections at each place.
    pub depth: Vec<u32>,
    /// Registers at the end.
    pub final_registers: Vec<Word>,
    /// What it returns.
    pub result: Word,
}

/// All threads.
pub struct Code {
    /// The circuit.
    pub circuit: Circuit,
    /// The threads.
    pub threads: Vec<ThreadCode>,
    /// The abstraction.
    pub memory: Box<dyn Memory>,
    /// Choices of initial values.
    pub initial: Vec<(Loc, Word)>,
}

/// What is given.
pub struct Plan<'a, 'p> {
    /// What threads can do.
    pub analysis: &'a Bounded<'p>,
    /// Where cells live.
    pub sharing: &'a Sharing,
    /// Objects that may be freed.
    pub freed: &'a BTreeSet<usize>,
    /// The memory model.
    pub model: Model,
    /// Places where a thread may rest although no other thread can observe its next step, for each thread.
    pub rests: &'a [Vec<bool>],
}

/// The initial value of a cell, with its tag.
pub fn initial_word(circuit: &mut Circuit, plan: &Plan<'_, '_>, loc: Loc) -> (Word, bool) {
    let tagged = plan.sharing.cells.get(&loc).is_some_and(|l| l.tagged);
    let program = plan.analysis.program;
    let chosen = match loc.as_element() {
        None => program.objects.iter().flat_map(|o| o.init.iter()).nth(loc.index()).map(|c| (c, c.single())),
        Some(_) => None,
    };
    let facts = plan.analysis.cells.get(&loc);
    let (word, is_choice) = match (chosen, facts.map(|f| &f.init)) {
        (Some((choices, None)), _) => (choice(circuit, choices), true),
        (Some((_, Some(value))), _) => (Word::constant(value.into()), false),
        (None, Some(Some(values))) => {
            (Word::constant(values.single().expect("allocated cells start with one value").into()), false)
        }
        (None, Some(None)) => return (Word::constant(0), false),
        (None, None) => (Word::constant(0), false),
    };
    (if tagged { tag(&word) } else { word }, is_choice)
}

/// A word that is one of the choices.
fn choice(c: &mut Circuit, choices: &Choices) -> Word {
    let values = Values::of_choices(choices);
    let word = Word::one_of(&values, c);
    let inside: Vec<_> = choices.0.iter().map(|&(lo, hi)| word.within(lo.into(), hi.into(), c)).collect();
    // One clause binds all inputs of the word; whoever needs one of them needs it.
    for bit in word.bits().iter().filter(|b| b.as_constant().is_none()) {
        c.define(*bit, &inside);
    }
    word
}

fn tag(word: &Word) -> Word {
    Word::from_bits([&[Lit::TRUE], word.bits()].concat())
}

/// Encodes all threads.
///
/// `initial` are the initial values of shared cells that are chosen.
pub fn encode(
    plan: &Plan<'_, '_>,
    mut circuit: Circuit,
    memory: Box<dyn Memory>,
    mut initial: Vec<(Loc, Word)>,
    pace: &mut Pace,
) -> Result<Code, Refusal> {
    let mut threads: Vec<ThreadCode> = Vec::new();
    let mut arguments: Vec<Vec<Word>> = vec![Vec::new(); plan.analysis.instances.len()];
    for (i, instance) in plan.analysis.instances.iter().enumerate() {
        if let Some(start) = instance.start {
            let args = &plan.analysis.program.threads[start.index()].args;
            arguments[i] = args.iter().map(|v| Word::constant((*v).into())).collect();
        }
    }
    for cells in &plan.sharing.private {
        for loc in cells.iter().filter(|loc| !plan.sharing.shadows.contains_key(loc)) {
            let (word, is_choice) = initial_word(&mut circuit, plan, *loc);
            if is_choice {
                initial.push((*loc, word));
            }
        }
    }
    let mut code = Code { circuit, threads: Vec::new(), memory, initial };
    let mut joins: Vec<PendingJoin> = Vec::new();
    for thread in 0..plan.analysis.instances.len() {
        let mut encoder =
            Encoder { plan, code: &mut code, thread, arguments: &mut arguments, joins: &mut joins, pace };
        threads.push(encoder.thread()?);
    }
    for join in &joins {
        for (meant, joined) in &join.targets {
            let result = threads[*joined].result.clone();
            crate::sma::define(&mut code.circuit, &[!*meant], &join.value, &result);
        }
    }
    code.threads = threads;
    Ok(code)
}

struct PendingJoin {
    thread: usize,
    path: Lit,
    targets: Vec<(Lit, usize)>,
    value: Word,
}

/// What a thread knows at a place: words carried for the abstraction, its own cells, its registers.
type State = Vec<Word>;

struct Encoder<'a, 'p> {
    plan: &'a Plan<'a, 'p>,
    code: &'a mut Code,
    thread: usize,
    arguments: &'a mut Vec<Vec<Word>>,
    joins: &'a mut Vec<PendingJoin>,
    pace: &'a mut Pace,
}

/// A step while it is encoded.
struct Stepping<'s, 'p> {
    step: &'s Step<'p>,
    facts: &'s Facts,
    frame: &'s Frame,
    state: State,
    path: Lit,
    early: Faults,
    late: Faults,
    access: Access,
    is_visible: bool,
    unless_blocked: Lit,
    joins: Vec<(Lit, usize)>,
    halts: bool,
    choice: Option<Word>,
    too_late: Option<Lit>,
    reuses: Vec<(Lit, usize)>,
    outsized: Lit,
    condition: Lit,
}

impl Encoder<'_, '_> {
    fn carried(&self) -> usize {
        self.code.memory.carried(self.thread).len()
    }

    fn first_register(&self) -> usize {
        self.carried() + self.plan.sharing.private[self.thread].len()
    }

    fn thread(&mut self) -> Result<ThreadCode, Refusal> {
        let instance = &self.plan.analysis.instances[self.thread];
        let code = &instance.code;
        let program = self.plan.analysis.program;
        let mut entry = self.code.memory.carried(self.thread);
        for loc in &self.plan.sharing.private[self.thread] {
            let known = self.code.initial.iter().find(|(l, _)| l == loc).map(|(_, w)| w.clone());
            let word = known.unwrap_or_else(|| initial_word(&mut self.code.circuit, self.plan, *loc).0);
            entry.push(word);
        }
        let value = |r: &fencepost_ir::cfg::Register| Word::constant(r.init.into());
        entry.extend(program.thread_registers.iter().map(value));
        let arguments = std::mem::take(&mut self.arguments[self.thread]);
        let procedure = program.procedure(instance.procedure);
        let given = arguments.len();
        entry.extend(arguments);
        entry.extend(procedure.registers[given..].iter().map(value));

        let mut incoming: Vec<Vec<(Lit, State)>> = vec![Vec::new(); code.places.len()];
        incoming[0].push((Lit::TRUE, entry));
        let mut depth: Vec<Option<u32>> = vec![None; code.places.len()];
        depth[0] = Some(0);
        let mut steps: Vec<Option<StepCode>> = vec![None; code.steps.len()];
        let mut results: Vec<(Lit, Word)> = Vec::new();
        let mut final_registers = Vec::new();
        for place in 0..code.places.len() {
            let ways = std::mem::take(&mut incoming[place]);
            if ways.is_empty() {
                continue;
            }
            let (path, state) = merge(&mut self.code.circuit, ways);
            if code.places[place] == Place::End {
                final_registers = state[self.first_register()..].to_vec();
                continue;
            }
            let out: Vec<_> = code.out(place).filter(|s| instance.facts[*s].reachable).collect();
            let chosen = self.choose(&out.iter().map(|s| &code.steps[*s].edge.instr).collect::<Vec<_>>());
            for (number, chosen) in out.into_iter().zip(chosen) {
                let step = &code.steps[number];
                let gates = self.code.circuit.size();
                let nesting = depth[place].expect("reached places have a depth");
                let tries = self.code.circuit.and(path, chosen);
                let mut stepping = Stepping {
                    step,
                    facts: &instance.facts[number],
                    frame: &code.frames[step.frame],
                    state: state.clone(),
                    path: tries,
                    early: Faults::NONE,
                    late: Faults::NONE,
                    access: Access { inside_section: nesting > 0, ..Access::default() },
                    is_visible: false,
                    unless_blocked: Lit::TRUE,
                    joins: Vec::new(),
                    halts: false,
                    choice: None,
                    too_late: None,
                    reuses: Vec::new(),
                    outsized: Lit::FALSE,
                    condition: Lit::TRUE,
                };
                self.step(&mut stepping, nesting, &mut results)?;
                let after = match (&step.edge.instr, code.places[step.to]) {
                    (_, Place::End | Place::Cut) => 0,
                    (Instr::AtomicBegin(_), _) => nesting + 1,
                    (Instr::AtomicEnd(_), _) => nesting.saturating_sub(1),
                    _ => nesting,
                };
                if *depth[step.to].get_or_insert(after) != after {
                    return Err("an atomic section that is open on one way to a place only".into());
                }
                let rests = self.plan.rests[self.thread][place];
                if rests && nesting > 0 {
                    return Err("a property speaks of a place inside an atomic section".into());
                }
                let c = &mut self.code.circuit;
                let fine = stepping.early.absent(c);
                let fine = c.and(fine, stepping.condition);
                let guard = c.and(chosen, fine);
                let taken = c.and(path, guard);
                let begins_section = matches!(step.edge.instr, Instr::AtomicBegin(_));
                let visible = (stepping.is_visible || rests).then(|| Visible {
                    access: None,
                    switch: nesting == 0,
                    unless_blocked: stepping.unless_blocked,
                    movable: stepping.joins.is_empty() && !stepping.halts && !rests && !begins_section,
                    joins: std::mem::take(&mut stepping.joins),
                    halts: stepping.halts,
                    touches: touches(&stepping.access),
                });
                let mut code_of_step = StepCode {
                    guard,
                    chosen,
                    early: stepping.early,
                    late: stepping.late,
                    visible,
                    choice: stepping.choice,
                    too_late: stepping.too_late,
                    reuses: stepping.reuses,
                    outsized: stepping.outsized,
                };
                let mut state = stepping.state;
                if let Some(visible) = &mut code_of_step.visible
                    && stepping.is_visible
                {
                    let carried = self.carried();
                    let access = stepping.access;
                    let memory = &mut self.code.memory;
                    visible.access = Some(memory.issue(
                        &mut self.code.circuit,
                        self.thread,
                        &mut state[..carried],
                        access,
                    ));
                }
                steps[number] = Some(code_of_step);
                let made = self.code.circuit.size() - gates + state.len();
                self.pace.work(1 + made as u64 / GATES_A_UNIT, || self.code.circuit.bytes())?;
                if instance.facts[number].goes_on {
                    incoming[step.to].push((taken, state));
                }
            }
        }
        let c = &mut self.code.circuit;
        let mut result = Word::constant(0);
        for (path, value) in results {
            result = Word::choose(path, &value, &result, c);
        }
        let depth = depth.into_iter().map(|d| d.unwrap_or(0)).collect();
        Ok(ThreadCode { steps, depth, final_registers, result })
    }

    /// Which of the steps that leave a place is tried: literals of which one holds at a time, unless
    /// their conditions see to it.
    fn choose(&mut self, instrs: &[&Instr]) -> Vec<Lit> {
        let not = |e: &Expr| Expr::Unary(UnaryOp::Not, fencepost_ir::cfg::Arith::Exact, Box::new(e.clone()));
        if let [Instr::Assume(a), Instr::Assume(b)] = instrs
            && (not(a) == *b || not(b) == *a)
        {
            return vec![Lit::TRUE; 2];
        }
        let mut left = Lit::TRUE;
        let mut chosen = Vec::new();
        for i in 0..instrs.len() {
            let here = if i + 1 == instrs.len() { Lit::TRUE } else { self.code.circuit.input() };
            chosen.push(self.code.circuit.and(left, here));
            left = self.code.circuit.and(left, !here);
        }
        chosen
    }

    fn register(&self, frame: &Frame, reg: Reg) -> usize {
        self.first_register()
            + match reg {
                Reg::Local(slot) => frame.base + slot as usize,
                Reg::Thread(slot) => slot as usize,
            }
    }

    fn value(&mut self, s: &mut Stepping<'_, '_>, expr: &Expr) -> Word {
        let first = self.first_register();
        let (frame, state) = (s.frame, &s.state);
        let registers = |reg: Reg| match reg {
            Reg::Local(slot) => state[first + frame.base + slot as usize].clone(),
            Reg::Thread(slot) => state[first + slot as usize].clone(),
        };
        let mut evaluation =
            Evaluation { circuit: &mut self.code.circuit, registers: &registers, faults: s.early };
        let value = evaluation.value(expr);
        s.early = evaluation.faults;
        value
    }

    fn set(&mut self, s: &mut Stepping<'_, '_>, frame: &Frame, dest: &Dest, value: Word) {
        match dest {
            Dest::Reg(reg) => {
                let at = self.register(frame, *reg);
                s.state[at] = value;
            }
            Dest::At { base, len, index } => {
                let index = {
                    let saved = s.frame;
                    debug_assert!(std::ptr::eq(saved, frame) || saved.base >= frame.base);
                    let first = self.first_register();
                    let state = &s.state;
                    let registers = |reg: Reg| match reg {
                        Reg::Local(slot) => state[first + frame.base + slot as usize].clone(),
                        Reg::Thread(slot) => state[first + slot as usize].clone(),
                    };
                    let mut evaluation = Evaluation {
                        circuit: &mut self.code.circuit,
                        registers: &registers,
                        faults: s.early,
                    };
                    let index = evaluation.value(index);
                    evaluation.check_index(Lit::TRUE, &index, *len);
                    s.early = evaluation.faults;
                    index
                };
                for i in 0..*len {
                    let here = index.equals(&Word::constant(i.into()), &mut self.code.circuit);
                    let at = self.register(frame, slot(*base, i));
                    s.state[at] = Word::choose(here, &value, &s.state[at], &mut self.code.circuit);
                }
            }
        }
    }

    /// Under SC nothing waits for buffers.
    fn drain(&self, s: &mut Stepping<'_, '_>) {
        if self.plan.model != Model::Sc {
            s.access.drains = true;
            s.is_visible = true;
        }
    }
}

/// The cells that an access is to.
fn touches(access: &Access) -> Vec<Touch> {
    let reads = access.reads.iter().flat_map(|read| &read.targets);
    let reads = reads.map(|(meant, cell)| Touch { meant: *meant, cell: *cell, writes: false });
    let writes = access.writes.iter().flat_map(|write| &write.targets);
    let writes = writes.map(|(meant, cell, _)| Touch { meant: *meant, cell: *cell, writes: true });
    let freed = access.frees.iter().flat_map(|frees| &frees.targets);
    let freed = freed.flat_map(|(meant, cells)| {
        cells.iter().map(|cell| Touch { meant: *meant, cell: *cell, writes: true })
    });
    reads.chain(writes).chain(freed).collect()
}

/// One state of several that ways lead to.
fn merge(c: &mut Circuit, ways: Vec<(Lit, State)>) -> (Lit, State) {
    let mut ways = ways.into_iter();
    let (mut path, mut state) = ways.next().expect("a way");
    for (way, other) in ways {
        state.truncate(other.len());
        for (word, new) in state.iter_mut().zip(&other) {
            if word != new {
                *word = Word::choose(way, new, word, c);
            }
        }
        path = c.or(path, way);
    }
    (path, state)
}

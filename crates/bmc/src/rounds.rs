//! Lazy sequentialization: the threads take turns, in the order of their numbers, for so many rounds; in
//! each turn a thread continues for as long as it likes (Tomasco et al., section VI, after Lazy-CSeq).
//!
//! For every step that others can see, and every round, an input says whether the step has been taken by
//! the end of the thread's turn in that round. It can only have been if the thread had come to its place,
//! and stays so. Everything between two such steps is taken at once. So a round adds to the formula
//! a few gates for each branch, and what memory has to say for each access: the formula is linear in rounds
//! and in the length of the code.
//!
//! Where one thread starts all others, it has a turn of its own before the first round, and its turns in the rounds
//! come last: it starts and joins the others without a round of its own, as in Lazy-CSeq.
//!
//! Rounds are appended to the circuit, so that a solver continues with what it has learnt in fewer rounds.

use crate::circuit::Lit;
use crate::code::{Code, GATES_A_UNIT};
use crate::normal::Turns;
use fencepost_analysis::bounded::{Bounded, Place};
use fencepost_ir::cfg::Property;
use fencepost_task::{Pace, Stop};

/// A step that others can see, in the order in which steps come in every round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The thread.
    pub thread: usize,
    /// The step's number in it.
    pub step: usize,
}

/// The rounds that have been encoded.
pub struct Rounds {
    /// For each thread and step, whether it has been taken so far.
    pub taken: Vec<Vec<Lit>>,
    /// For each thread and place, whether the thread has been there so far.
    pub reached: Vec<Vec<Lit>>,
    /// What is taken in each round, in order.
    pub schedule: Vec<Vec<(Slot, Lit)>>,
    halted: Lit,
    /// Who touched what in which turn; `None` where it matters when threads rest where.
    turns: Option<Turns>,
}

/// The threads in the order of their turns in a round.
pub fn turns(analysis: &Bounded<'_>, first_round: bool) -> Vec<usize> {
    let threads = analysis.instances.len();
    let starts_others = analysis.instances.iter().filter(|i| i.parent.is_none()).count() == 1;
    match (starts_others, first_round) {
        (true, true) => (0..threads).chain((threads > 1).then_some(0)).collect(),
        (true, false) => (1..threads).chain([0]).collect(),
        (false, _) => (0..threads).collect(),
    }
}

impl Rounds {
    /// None yet.
    pub fn new(analysis: &Bounded<'_>) -> Rounds {
        let none = |count: usize| vec![Lit::FALSE; count];
        let forbids = |p: &Property| matches!(p, Property::Forbid { .. });
        let is_timed = analysis.program.properties.iter().any(forbids);
        Rounds {
            turns: (!is_timed).then(|| Turns::new(analysis.instances.len())),
            taken: analysis.instances.iter().map(|i| none(i.code.steps.len())).collect(),
            reached: analysis.instances.iter().map(|i| none(i.code.places.len())).collect(),
            schedule: Vec::new(),
            halted: Lit::FALSE,
        }
    }

    /// Appends a round.
    pub fn add(&mut self, analysis: &Bounded<'_>, code: &mut Code, pace: &mut Pace) -> Result<(), Stop> {
        let first_round = self.schedule.is_empty();
        self.schedule.push(Vec::new());
        for thread in turns(analysis, first_round) {
            code.memory.turn(&mut code.circuit, thread);
            if let Some(turns) = &mut self.turns {
                turns.begin(thread);
            }
            self.turn(analysis, code, thread, pace)?;
        }
        Ok(())
    }

    fn turn(
        &mut self,
        analysis: &Bounded<'_>,
        code: &mut Code,
        thread: usize,
        pace: &mut Pace,
    ) -> Result<(), Stop> {
        let instance = &analysis.instances[thread];
        let mut here = vec![Lit::FALSE; instance.code.places.len()];
        here[0] = match instance.parent {
            None => Lit::TRUE,
            Some((parent, step)) => self.taken[parent][step],
        };
        for place in 0..here.len() {
            if here[place] == Lit::FALSE {
                continue;
            }
            let mut leaves = vec![!here[place]];
            for number in instance.code.out(place) {
                let Some(step) = &code.threads[thread].steps[number] else { continue };
                let gates = code.circuit.size();
                let before = self.taken[thread][number];
                let c = &mut code.circuit;
                let can = c.and(here[place], step.guard);
                let mut taken = can;
                if let Some(visible) = &step.visible {
                    if visible.switch && can != Lit::FALSE {
                        taken = c.input();
                        c.require(&[!taken, can]);
                        c.require(&[!before, taken]);
                    }
                    let active = c.and(taken, !before);
                    c.require(&[!active, visible.unless_blocked]);
                    c.require(&[!active, !self.halted]);
                    for (meant, joined) in &visible.joins {
                        let code = &analysis.instances[*joined].code;
                        let end = code.places.iter().position(|p| *p == Place::End);
                        let ended = end.map_or(Lit::FALSE, |end| self.reached[*joined][end]);
                        c.require(&[!active, !*meant, ended]);
                    }
                    if visible.halts {
                        self.halted = c.or(self.halted, active);
                    }
                    if let Some(turns) = &mut self.turns {
                        turns.require_cause(c, &*code.memory, visible, self.reached[thread][place], active);
                        turns.touch(c, &visible.touches, active);
                    }
                    if let Some(access) = visible.access {
                        code.memory.slot(c, access, active, taken);
                    }
                    let slot = Slot { thread, step: number };
                    self.schedule.last_mut().expect("a round").push((slot, active));
                }
                let c = &mut code.circuit;
                self.taken[thread][number] = taken;
                let to = instance.code.steps[number].to;
                // A thread that stopped there for the bound would hold up everybody.
                if instance.code.places[to] == Place::Cut && code.threads[thread].depth[place] > 0 {
                    c.require(&[!taken]);
                }
                here[to] = c.or(here[to], taken);
                let fails = c.or(step.early.error, step.early.limit);
                let fails = c.and(fails, step.chosen);
                leaves.extend([taken, fails]);
                let made = (code.circuit.size() - gates) as u64;
                pace.work(1 + made / GATES_A_UNIT, || code.circuit.bytes())?;
            }
            // No thread rests in an atomic section: a thread that is blocked in one blocks all others.
            if code.threads[thread].depth[place] > 0 {
                code.circuit.require(&leaves);
            }
        }
        self.reached[thread] = here;
        Ok(())
    }
}

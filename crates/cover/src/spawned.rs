//! Programs that start threads: checked with the threads there from the beginning, and runs taken back.

use crate::Dual;
use fencepost_ir::cfg::{Instr, Loc, Program};
use fencepost_memory::{Machine, State, Thread, Tso};
use fencepost_passes::static_threads::{Origin, StaticThreads, static_threads};
use fencepost_task::{Action, Answer, Limit, Progress, Reason, Stats, Step, Task, Trace, Verdict, Violation};

/// So many threads are tried.
const SLOTS: [u32; 4] = [2, 4, 8, 16];

/// What is said where one more thread is started than there are slots.
pub const STARTED: &str = "a thread is started";

/// Checks a program that starts threads.
pub fn check(task: &Task<'_>, progress: &mut dyn FnMut(&Progress)) -> Answer {
    let mut last = None;
    for slots in SLOTS {
        let fixed = match static_threads(task.program, slots) {
            Ok(fixed) => fixed,
            Err(why) => return Answer::unknown(crate::local::unfit(why), Stats::default()),
        };
        debug_assert_eq!(fencepost_ir::cfg::validate(&fixed.program), Ok(()));
        let mut found = Dual.check_static(&Task { program: &fixed.program, ..task.clone() }, progress);
        match &mut found.verdict {
            Verdict::Unknown { reason: Reason::NotApplicable(why), .. } if why.contains(STARTED) => {
                last = Some(found);
                continue;
            }
            Verdict::Unsafe { trace } => {
                let Some(real) = back(task.program, &fixed, trace) else {
                    panic!(
                        "internal error: a run with threads from the beginning is none of the program. \
                         This is a bug in Fencepost; please report it with the file."
                    )
                };
                match real {
                    Ok(real) => *trace = real,
                    Err(limit) => found.verdict = Verdict::unknown(limit.reason("the end of a run")),
                }
            }
            Verdict::Safe { .. } | Verdict::Unknown { .. } => {}
        }
        if let Some(certificate) = &mut found.certificate {
            certificate.slots = slots;
        }
        return found;
    }
    last.expect("at least one number was tried")
}

/// The run of the given program that a run of the changed one is.
///
/// A thread that is started ends when its buffer is empty; in its slot it returns before, and says later that it has
/// ended. So its last step waits until then.
fn back(program: &Program, fixed: &StaticThreads, run: &Trace) -> Option<Result<Trace, Limit>> {
    let changed = Machine::new(&fixed.program).ok()?;
    let machine = Machine::new(program).ok()?;
    // The slots' cells come last, and have one value each.
    let init = &run.init[..machine.initial_choices().len().min(run.init.len())];
    let mut other = changed.initial(&run.init);
    let mut real = Player { state: machine.initial(init), machine, steps: Vec::new(), violation: None };
    real.violation = real.machine.violated(&real.state);
    let mut last_steps = vec![None; other.threads.len()];
    for &step in &run.steps {
        let thread = &other.threads[step.thread as usize];
        let (procedure, outermost) =
            (thread.top().procedure, thread.frames.len() == 2 && is_slot(program, thread));
        let failed = |other: &mut State| changed.apply(&Tso, other, step).is_err();
        match step.action {
            Action::Edge(edge, choice) => {
                let instr = &fixed.program.procedure(procedure).edge(edge).instr;
                let taken = |edge| Step { action: Action::Edge(edge, choice), ..step };
                match (fixed.origins[procedure.index()][edge.index()], failed(&mut other)) {
                    (Origin::Step(edge), false) if outermost && matches!(instr, Instr::Return(_)) => {
                        last_steps[step.thread as usize] = Some(taken(edge));
                    }
                    (Origin::Step(edge), false) => real.step(taken(edge)),
                    (Origin::Step(edge) | Origin::Part(edge), true) => {
                        if matches!(instr, Instr::Return(_)) {
                            real.drain(step.thread);
                        }
                        real.step(taken(edge));
                    }
                    (Origin::Slot, _) if matches!(instr, Instr::AtomicBegin(_)) => {
                        real.step(last_steps[step.thread as usize].take()?);
                    }
                    (Origin::Part(_), false) | (Origin::Slot, _) => {}
                }
            }
            // What is flushed to the slots' cells is no step of the program.
            Action::Flush(loc) => {
                failed(&mut other);
                if loc < Loc::cell(fixed.first_cell) {
                    real.step(step);
                }
            }
            Action::Older(..) | Action::Propagate(_) | Action::Delete => return None,
        }
    }
    let Player { steps, violation, .. } = real;
    let trace = |violation| Trace { init: init.to_vec(), steps, violation, shortest: false, ..run.clone() };
    Some(violation?.map(trace))
}

fn is_slot(program: &Program, thread: &Thread) -> bool {
    thread.frames[0].procedure.index() >= program.procedures.len()
}

/// Takes steps until something is violated.
struct Player<'p> {
    machine: Machine<'p>,
    state: State,
    steps: Vec<Step>,
    violation: Option<Result<Violation, Limit>>,
}

impl Player<'_> {
    fn step(&mut self, step: Step) {
        if self.violation.is_none() {
            self.steps.push(step);
            self.violation = match self.machine.apply(&Tso, &mut self.state, step) {
                Err(failure) => Some(failure.violation()),
                Ok(()) => self.machine.violated(&self.state),
            };
        }
    }

    fn drain(&mut self, thread: u32) {
        while let Some(oldest) = self.state.threads.get(thread as usize).and_then(|t| t.buffer.first()) {
            let before = self.steps.len();
            self.step(Step { thread, action: Action::Flush(oldest.loc) });
            if self.steps.len() == before {
                break;
            }
        }
    }
}

//! Engines side by side on one task; the first definite answer ends the race.

use super::turns::{HeadStart, Player, Turns};
use fencepost_task::{Answer, Bounds, Engine, Progress, Scope, Task, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How often a Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(20);

/// Engines may go deep.
const STACK: usize = 64 << 20;

/// What a race gave.
pub struct Finish {
    /// Who was first with a definite answer.
    pub winner: Option<usize>,
    /// What everybody said who had begun; the first always has.
    pub answers: Vec<Option<Answer>>,
}

enum News {
    Progress(usize, Progress),
    Done(usize, Box<Answer>),
}

/// Whether an answer ends a race; where the user gave bounds, safe within bounds does. A number of threads
/// in a scope is always the user's.
pub fn is_definite(answer: &Answer, bounded: bool) -> bool {
    match &answer.verdict {
        Verdict::Unsafe { .. } => true,
        Verdict::Safe(cleared) => match cleared.scope() {
            Scope::Complete => true,
            Scope::UpTo(bounds) => {
                bounded || bounds == Bounds { threads: bounds.threads, ..Bounds::default() }
            }
        },
        Verdict::Unknown { .. } => false,
    }
}

/// Lets the engines race on so many cores, the first with a head start. The engines' memory together is the task's.
pub fn race(
    engines: &[Box<dyn Engine + Sync>],
    task: &Task<'_>,
    bounded: bool,
    cores: usize,
    head_start: HeadStart,
    progress: &mut dyn FnMut(&Progress),
) -> Finish {
    let turns = Turns::new(engines.len(), cores, head_start);
    let stop = Arc::new(AtomicBool::new(false));
    let winner = OnceLock::new();
    let panicked = Mutex::new(None);
    let mut answers: Vec<Option<Answer>> = vec![None; engines.len()];
    std::thread::scope(|scope| {
        let (send, news) = mpsc::channel();
        for (number, engine) in engines.iter().enumerate() {
            let player = Arc::new(turns.player(number));
            let pauses = player.clone();
            let share = task.budget.memory().map_or(u64::MAX, |bytes| bytes / engines.len() as u64);
            let turns_at_looks = Arc::new(move || {
                pauses.pause();
                None
            });
            let budget = task.budget.within(share).watched_by(turns_at_looks).cancelled_by(stop.clone());
            let task = Task { budget, ..task.clone() };
            let exit = Exit { player, turns: turns.clone(), stop: stop.clone() };
            let (send, winner, panicked) = (send.clone(), &winner, &panicked);
            let work = move || {
                let run = || run(number, engine.as_ref(), &task, bounded, exit, &send, winner);
                if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
                    panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
                }
            };
            let thread = std::thread::Builder::new().name(engine.id().name().into()).stack_size(STACK);
            thread.spawn_scoped(scope, work).expect("a thread can be started");
        }
        drop(send);
        loop {
            match news.recv_timeout(GLANCE) {
                Ok(News::Progress(number, now)) => {
                    let first = answers.iter().position(Option::is_none);
                    if first == Some(number) {
                        progress(&now);
                    }
                }
                Ok(News::Done(number, answer)) => answers[number] = Some(*answer),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if task.budget.look(0).is_err() && !stop.swap(true, Ordering::Relaxed) {
                turns.end();
            }
        }
    });
    // With its own words, which the scope would not keep. No answer counts: a bug must be seen.
    if let Some(payload) = panicked.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(payload);
    }
    Finish { winner: winner.get().copied(), answers }
}

/// Gives the turn back, also when an engine panics: then everybody stops.
struct Exit {
    player: Arc<Player>,
    turns: Arc<Turns>,
    stop: Arc<AtomicBool>,
}

impl Drop for Exit {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.end_all();
        }
        self.player.leave();
    }
}

impl Exit {
    fn end_all(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.turns.end();
    }
}

fn run(
    number: usize,
    engine: &dyn Engine,
    task: &Task<'_>,
    bounded: bool,
    exit: Exit,
    send: &Sender<News>,
    winner: &OnceLock<usize>,
) {
    exit.player.begin();
    // The first says something in any case, be it that it was stopped at once.
    if number > 0 && exit.stop.load(Ordering::Relaxed) {
        return;
    }
    // The receiver lives until all senders are gone.
    let answer = engine.check(task, &mut |now| drop(send.send(News::Progress(number, *now))));
    if is_definite(&answer, bounded) && winner.set(number).is_ok() {
        exit.end_all();
    }
    drop(send.send(News::Done(number, Box::new(answer))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_explore::Explicit;
    use fencepost_passes::pipeline;
    use fencepost_task::{Budget, EngineId, Model};

    struct Broken;

    impl Engine for Broken {
        fn id(&self) -> EngineId {
            EngineId::Explicit
        }

        fn check(&self, _task: &Task<'_>, _progress: &mut dyn FnMut(&Progress)) -> Answer {
            panic!("the engine is broken")
        }
    }

    /// A panic in an engine's thread ends the others, and continues with its words where the race was started.
    #[test]
    fn a_panic_ends_the_race() {
        let text =
            "shared integer x; thread t { while (true) { x = x + 1; } } thread u { while (true) { x = 0; } }";
        let program = pipeline::lower(fencepost_models::fp::read("t.fp", text).unwrap());
        let (bounds, budget) = (Bounds::default(), Budget::default());
        let task = Task { program: &program, model: Model::Tso, bounds, budget };
        let head_start = HeadStart { time: Duration::from_millis(1), looks: 1 };
        for cores in [1, 2] {
            for broken in [0, 1] {
                let mut engines: Vec<Box<dyn Engine + Sync>> =
                    vec![Box::new(Explicit::default()), Box::new(Explicit::default())];
                engines[broken] = Box::new(Broken);
                let ran =
                    crate::internal::guard(|| race(&engines, &task, false, cores, head_start, &mut |_| {}));
                let message = ran.err().expect("a panic is not lost");
                assert!(message.contains("the engine is broken") && message.contains("report"), "{message}");
            }
        }
    }

    /// Whoever stops a check before it begins gets an answer, too.
    #[test]
    fn the_first_answers_when_nobody_wants_to_know() {
        let text = "shared bool x; thread t { while (true) { x = !x; } }";
        let program = pipeline::lower(fencepost_models::fp::read("t.fp", text).unwrap());
        let budget = Budget::default().cancelled_by(Arc::new(AtomicBool::new(true)));
        let task = Task { program: &program, model: Model::Tso, bounds: Bounds::default(), budget };
        let head_start = HeadStart { time: Duration::from_millis(1), looks: 1 };
        for cores in [1, 2] {
            for _ in 0..50 {
                let engines: Vec<Box<dyn Engine + Sync>> =
                    vec![Box::new(Explicit::default()), Box::new(Explicit::default())];
                let finish = race(&engines, &task, false, cores, head_start, &mut |_| {});
                assert!(finish.answers[0].is_some());
            }
        }
    }
}

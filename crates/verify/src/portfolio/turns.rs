//! Engines that share cores take turns.
//!
//! Whoever works has a turn; there are as many as cores. The first engine has a head start: the others begin after it
//! has worked for a while, or has given up. From then on an engine that has worked for long enough gives its turn to the
//! one that has waited longest. On one core "long enough" is counted in looks at the budget and not in time, so
//! that two runs do the same in the same order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a turn is, in time.
const TURN: Duration = Duration::from_millis(20);

/// How long a turn is, in looks at the budget.
const LOOKS: u32 = 16;

/// How long the first works alone.
#[derive(Clone, Copy)]
pub struct HeadStart {
    /// Where there are several cores.
    pub time: Duration,
    /// On one core: looks at the budget.
    pub looks: u32,
}

struct State {
    free: usize,
    waiting: VecDeque<usize>,
    /// Those who come after the head start.
    late: Vec<usize>,
    over: bool,
}

/// The turns of a race.
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    by_time: bool,
    head_start: HeadStart,
}

/// One engine's part in it.
pub struct Player {
    turns: Arc<Turns>,
    number: usize,
    looks: AtomicU32,
    since: Mutex<Instant>,
}

impl Turns {
    /// Turns for so many players on so many cores; who has the lowest number begins.
    pub fn new(players: usize, cores: usize, head_start: HeadStart) -> Arc<Turns> {
        let state = State { free: cores, waiting: [0].into(), late: (1..players).collect(), over: false };
        Arc::new(Turns { state: Mutex::new(state), changed: Condvar::new(), by_time: cores > 1, head_start })
    }

    /// The answer is no longer wanted.
    pub fn end(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// One player's part.
    pub fn player(self: &Arc<Turns>, number: usize) -> Player {
        Player { turns: self.clone(), number, looks: AtomicU32::new(0), since: Mutex::new(Instant::now()) }
    }

    /// The head start is over.
    fn admit(&self, state: &mut State) {
        state.waiting.extend(std::mem::take(&mut state.late));
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Player {
    /// Waits for the first turn.
    pub fn begin(&self) {
        let state = self.turns.lock();
        self.wait(state);
    }

    /// Gives the turn away, if it has been long enough and somebody waits.
    pub fn pause(&self) {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        let worked = |time: Duration, so_many: u32| match self.turns.by_time {
            true => self.lock_since().elapsed() >= time,
            false => looks >= so_many,
        };
        if !worked(TURN, LOOKS) {
            return;
        }
        let mut state = self.turns.lock();
        if !state.late.is_empty() {
            if !worked(self.turns.head_start.time, self.turns.head_start.looks) {
                return;
            }
            self.turns.admit(&mut state);
        }
        if state.over || state.free > 0 || state.waiting.is_empty() {
            self.start();
            return;
        }
        state.waiting.push_back(self.number);
        state.free += 1;
        self.turns.changed.notify_all();
        self.wait(state);
    }

    /// Leaves for good.
    pub fn leave(&self) {
        let mut state = self.turns.lock();
        state.free += 1;
        self.turns.admit(&mut state);
    }

    fn wait(&self, mut state: MutexGuard<'_, State>) {
        while !state.over && (state.free == 0 || state.waiting.front() != Some(&self.number)) {
            state = self.turns.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.over {
            state.waiting.pop_front();
            state.free -= 1;
            // The next one may have a free core too.
            self.turns.changed.notify_all();
        }
        self.start();
    }

    fn start(&self) {
        self.looks.store(0, Ordering::Relaxed);
        *self.lock_since() = Instant::now();
    }

    fn lock_since(&self) -> MutexGuard<'_, Instant> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: HeadStart = HeadStart { time: Duration::from_millis(100), looks: 48 };

    /// On one core the order of work is the same every time, whatever threads start first.
    #[test]
    fn one_core_gives_one_order() {
        let order = || {
            let turns = Turns::new(3, 1, ALONE);
            let seen = Mutex::new(Vec::new());
            std::thread::scope(|scope| {
                for number in (0..3).rev() {
                    let player = turns.player(number);
                    let seen = &seen;
                    scope.spawn(move || {
                        player.begin();
                        for look in 0..60 + 10 * number {
                            seen.lock().unwrap().push((number, look));
                            player.pause();
                        }
                        player.leave();
                    });
                }
            });
            seen.into_inner().unwrap()
        };
        let first = order();
        assert_eq!(first.len(), 60 + 70 + 80);
        assert_eq!(first[ALONE.looks as usize - 1], (0, ALONE.looks as usize - 1), "the first begins alone");
        assert_eq!(first[ALONE.looks as usize], (1, 0));
        assert_eq!(first[(ALONE.looks + LOOKS) as usize], (2, 0), "after a turn it is the next one's");
        for _ in 0..20 {
            assert_eq!(order(), first);
        }
    }

    /// No more work at a time than there are cores.
    #[test]
    fn so_many_at_a_time() {
        let turns = Turns::new(5, 2, ALONE);
        let working = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for number in 0..5 {
                let player = turns.player(number);
                let working = &working;
                scope.spawn(move || {
                    player.begin();
                    for _ in 0..400 {
                        assert!(working.fetch_add(1, Ordering::SeqCst) < 2);
                        std::thread::sleep(Duration::from_millis(1));
                        working.fetch_sub(1, Ordering::SeqCst);
                        player.pause();
                    }
                    player.leave();
                });
            }
        });
    }
}

//! Engines that share cores take turns.
//!
//! Whoever works has a turn; there are as many as cores. An engine that has worked for long enough gives its turn to the
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

struct State {
    free: usize,
    waiting: VecDeque<usize>,
    over: bool,
}

/// The turns of a race.
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    by_time: bool,
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
    pub fn new(players: usize, cores: usize) -> Arc<Turns> {
        let state = State { free: cores, waiting: (0..players).collect(), over: false };
        Arc::new(Turns { state: Mutex::new(state), changed: Condvar::new(), by_time: cores > 1 })
    }

    /// Nobody waits any more.
    pub fn end(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// One player's part.
    pub fn player(self: &Arc<Turns>, number: usize) -> Player {
        Player { turns: self.clone(), number, looks: AtomicU32::new(0), since: Mutex::new(Instant::now()) }
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
        let long_enough = match self.turns.by_time {
            true => self.lock_since().elapsed() >= TURN,
            false => looks >= LOOKS,
        };
        if !long_enough {
            return;
        }
        let mut state = self.turns.lock();
        if state.over || state.waiting.is_empty() {
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
        self.turns.lock().free += 1;
        self.turns.changed.notify_all();
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

    /// On one core the order of work is the same every time, whatever threads start first.
    #[test]
    fn one_core_gives_one_order() {
        let order = || {
            let turns = Turns::new(3, 1);
            let seen = Mutex::new(Vec::new());
            std::thread::scope(|scope| {
                for number in (0..3).rev() {
                    let player = turns.player(number);
                    let seen = &seen;
                    scope.spawn(move || {
                        player.begin();
                        for look in 0..50 + 10 * number {
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
        assert_eq!(first.len(), 50 + 60 + 70);
        assert_eq!(&first[..2], [(0, 0), (0, 1)]);
        assert_eq!(first[LOOKS as usize], (1, 0), "after a turn it is the next one's");
        for _ in 0..20 {
            assert_eq!(order(), first);
        }
    }

    /// No more work at a time than there are cores.
    #[test]
    fn so_many_at_a_time() {
        let turns = Turns::new(5, 2);
        let working = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for number in 0..5 {
                let player = turns.player(number);
                let working = &working;
                scope.spawn(move || {
                    player.begin();
                    for _ in 0..40 {
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

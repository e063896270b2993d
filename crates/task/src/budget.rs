//! Limits of an analysis: time, memory, cancellation.
//!
//! **A stop is for good.** The first look that finds a limit reached closes the budget: every later look at it, or at a
//! budget made from it, is refused for the same reason. [`Budget::finish`] gives a [`Finished`] only where no look was
//! refused, and nothing is [`Cleared`](crate::Cleared) of violations without one. So work that was broken off cannot pass
//! for work that was done, whatever becomes of what it had found. Only [`Budget::to_confirm`] opens the limits once more, to
//! replay a run that was found in time; it proves nothing, and has no `Finished`.
//!
//! Looks come from work: [`Pace`] counts it and looks after every [`Pace::PERIOD`] units, which are chosen so
//! that a look comes every few milliseconds.

use crate::{Reason, resident};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Why work was broken off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// The user or another engine ended the work.
    Cancelled,
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        match stop {
            Stop::Timeout => Reason::Timeout,
            Stop::Memory => Reason::Memory,
            Stop::Cancelled => Reason::Cancelled,
        }
    }
}

/// Work came to its end: no look at its budget was refused.
#[derive(Debug)]
pub struct Finished(());

/// Called at every look. Engines that share cores take turns here; what it gives back ends the work.
pub type Watch = Arc<dyn Fn() -> Option<Stop> + Send + Sync>;

/// Time, memory and cancellation. Clones are the same budget; [`within`](Budget::within) and its like make a part of it.
#[derive(Clone, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    resident: Option<resident::Limit>,
    watches: Vec<Watch>,
    /// Units of work from look to look, where not the usual number.
    period: Option<u64>,
    closed: Arc<OnceLock<Stop>>,
    /// Of the budgets that this one is a part of.
    closed_above: Vec<Arc<OnceLock<Stop>>>,
    /// Where all units of work are added up.
    units: Option<Arc<AtomicU64>>,
    /// It is there to confirm something, and never finishes.
    confirms: bool,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Budget { deadline, memory, closed, .. } = self;
        f.debug_struct("Budget")
            .field("deadline", deadline)
            .field("memory", memory)
            .field("closed", closed)
            .finish()
    }
}

impl Budget {
    /// A part of this budget: it is closed when this one is, but not the other way round.
    pub fn part(&self) -> Budget {
        let mut closed_above = self.closed_above.clone();
        closed_above.push(self.closed.clone());
        Budget { closed: Arc::default(), closed_above, ..self.clone() }
    }

    /// A part that ends at this time, if not before.
    pub fn until(&self, deadline: Instant) -> Budget {
        let deadline = self.deadline.map_or(deadline, |d| d.min(deadline));
        Budget { deadline: Some(deadline), ..self.part() }
    }

    /// A part that ends when half of the time that is left is over: what comes after it needs some, too.
    pub fn for_half_the_time(&self) -> Budget {
        let now = Instant::now();
        match self.deadline {
            Some(deadline) => self.until(now + deadline.saturating_duration_since(now) / 2),
            None => self.part(),
        }
    }

    /// A part for work whose tables take no more than so many bytes.
    pub fn within(&self, bytes: u64) -> Budget {
        let memory = self.memory.map_or(bytes, |m| m.min(bytes));
        Budget { memory: Some(memory), ..self.part() }
    }

    /// A part that ends when the whole process takes much more than so many bytes, whoever takes them.
    pub fn within_process(&self, bytes: u64) -> Budget {
        let limit = resident::Limit::new(bytes);
        Budget { resident: Some(self.resident.map_or(limit, |outer| outer.min(limit))), ..self.part() }
    }

    /// A part that ends when the flag is set.
    pub fn cancelled_by(&self, flag: Arc<AtomicBool>) -> Budget {
        self.watched_by(Arc::new(move || flag.load(Ordering::Relaxed).then_some(Stop::Cancelled)))
    }

    /// A part of which somebody hears at every look.
    pub fn watched_by(&self, watch: Watch) -> Budget {
        let mut part = self.part();
        part.watches.push(watch);
        part
    }

    /// Time for what an engine found when its own was nearly up.
    const GRACE: Duration = Duration::from_millis(300);

    /// The same limits, open once more for a short while: what was found before one of them was reached is replayed with it.
    pub fn to_confirm(&self) -> Budget {
        Budget {
            deadline: self.deadline.map(|deadline| deadline.max(Instant::now() + Budget::GRACE)),
            resident: self.resident.map(resident::Limit::with_room),
            closed: Arc::default(),
            closed_above: Vec::new(),
            confirms: true,
            ..self.clone()
        }
    }

    /// Time to tell of what is known by now.
    const TELLING: Duration = Duration::from_millis(400);

    /// The same limits, open for a short while at least: a verdict is known, and is told. Like what confirms a run, this proves
    /// nothing.
    pub fn to_tell(&self) -> Budget {
        let confirms = self.to_confirm();
        let end = Instant::now() + Budget::TELLING;
        Budget { deadline: self.deadline.map(|deadline| deadline.max(end)), ..confirms }
    }

    /// A part that is looked at after every so many units of work.
    pub fn looked_at_every(&self, units: u64) -> Budget {
        Budget { period: Some(units.max(1)), ..self.part() }
    }

    /// A part whose units of work are added up.
    pub fn counted_by(&self, units: Arc<AtomicU64>) -> Budget {
        Budget { units: Some(units), ..self.part() }
    }

    /// When the work ends, if there is a time limit.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Bytes that the tables of the work may take.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Whether the work may continue; `used` is the bytes that its tables take.
    pub fn look(&self, used: u64) -> Result<(), Stop> {
        self.look_ahead(used, 0)
    }

    /// Whether the work may continue and take so many bytes more at once.
    pub fn look_ahead(&self, used: u64, more: u64) -> Result<(), Stop> {
        // All of them, since each may be somebody's turn.
        let watched = self.watches.iter().fold(None, |stop, watch| watch().or(stop));
        self.stopped()?;
        let stop = watched
            .or_else(|| {
                self.memory.is_some_and(|limit| used.saturating_add(more) > limit).then_some(Stop::Memory)
            })
            .or_else(|| self.deadline.is_some_and(|d| Instant::now() >= d).then_some(Stop::Timeout))
            .or_else(|| {
                self.resident.is_some_and(|limit| limit.is_exceeded_by(more)).then_some(Stop::Memory)
            });
        match stop {
            None => Ok(()),
            Some(stop) => Err(*self.closed.get_or_init(|| stop)),
        }
    }

    /// The work is done. Refused if a look was refused before.
    pub fn finish(&self) -> Result<Finished, Stop> {
        assert!(!self.confirms, "what confirms a run proves nothing");
        self.stopped().map(|()| Finished(()))
    }

    /// Ends the work for a limit that is not one of the budget's own, such as a table that is full.
    pub fn close(&self, stop: Stop) -> Stop {
        match self.stopped() {
            Err(known) => known,
            Ok(()) => *self.closed.get_or_init(|| stop),
        }
    }

    fn stopped(&self) -> Result<(), Stop> {
        let all = self.closed_above.iter().chain([&self.closed]);
        all.filter_map(|closed| closed.get()).next().map_or(Ok(()), |stop| Err(*stop))
    }
}

/// Counts work, and looks at the budget after every [`Pace::PERIOD`] units of it.
#[derive(Clone, Debug)]
pub struct Pace {
    budget: Budget,
    left: u64,
}

impl Pace {
    /// Units of work from look to look. A unit is about a microsecond: a step on a small state, a rule applied to a small
    /// configuration, the copy of a few hundred bytes.
    pub const PERIOD: u64 = 1024;

    /// Work under this budget; the first unit looks at it.
    pub fn new(budget: &Budget) -> Pace {
        Pace { budget: budget.clone(), left: 0 }
    }

    /// Ends the work for a limit that is not one of the budget's own.
    pub fn close(&self, stop: Stop) -> Stop {
        self.budget.close(stop)
    }

    /// Bytes whose copy is a unit of work.
    pub const BYTES_A_UNIT: u64 = 4096;

    /// No more bytes than these are taken at once without a look whether they are there.
    const LARGE: u64 = 1 << 20;

    /// A step that takes so many bytes at once, or a copy of them, is about to be done: an object that is allocated, a state.
    /// `used` gives the bytes of tables. What is large is refused before it is there, and not when it is too late.
    pub fn take(&mut self, bytes: u64, used: impl FnOnce() -> u64) -> Result<(), Stop> {
        if bytes <= Pace::LARGE {
            return self.work(1 + bytes / Pace::BYTES_A_UNIT, used);
        }
        self.work(1 + bytes / Pace::BYTES_A_UNIT, || 0)?;
        self.budget.look_ahead(used(), bytes)
    }

    /// So many units of work are done or about to be; `used` gives the bytes of tables.
    pub fn work(&mut self, units: u64, used: impl FnOnce() -> u64) -> Result<(), Stop> {
        if let Some(all) = &self.budget.units {
            all.fetch_add(units, Ordering::Relaxed);
        }
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let looked = self.budget.look(used());
                // Whoever continues after a refusal is refused again at once.
                self.left = if looked.is_ok() { self.budget.period.unwrap_or(Pace::PERIOD) - 1 } else { 0 };
                looked
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_for_good() {
        let budget = Budget::default().within(10);
        assert_eq!(budget.look(10), Ok(()));
        assert!(budget.finish().is_ok());
        assert_eq!(budget.look(11), Err(Stop::Memory));
        assert_eq!(budget.look(0), Err(Stop::Memory));
        assert_eq!(budget.clone().finish().err(), Some(Stop::Memory));
    }

    #[test]
    fn a_part_is_closed_with_the_whole_and_not_the_other_way_round() {
        let whole = Budget::default().within(10);
        let part = whole.within(5);
        assert_eq!(part.look(6), Err(Stop::Memory));
        assert_eq!(whole.look(6), Ok(()));
        let other = whole.within(100);
        assert_eq!(other.look(11), Err(Stop::Memory));
        assert_eq!(whole.look(11), Err(Stop::Memory));
        let late = whole.part();
        assert_eq!(late.look(0), Err(Stop::Memory));
        assert!(late.finish().is_err());
    }

    #[test]
    fn what_was_found_in_time_can_be_confirmed() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::default().until(Instant::now()).cancelled_by(flag.clone());
        assert_eq!(budget.look(0), Err(Stop::Timeout));
        let again = budget.to_confirm();
        assert_eq!(again.look(0), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(again.look(0), Err(Stop::Cancelled));
    }

    #[test]
    fn what_is_large_is_refused_before_it_is_there() {
        let budget = Budget::default().within(10 << 20);
        let mut pace = Pace::new(&budget);
        assert_eq!(pace.take(9 << 20, || 0), Ok(()));
        assert_eq!(pace.take(9 << 20, || 2 << 20), Err(Stop::Memory));
        assert!(budget.finish().is_err());
        #[cfg(target_os = "linux")]
        {
            let mut pace = Pace::new(&Budget::default().within_process(64 << 20));
            assert_eq!(pace.take(2 << 20, || 0), Ok(()));
            assert_eq!(pace.take(4 << 30, || 0), Err(Stop::Memory));
        }
    }

    #[test]
    #[should_panic(expected = "proves nothing")]
    fn what_confirms_a_run_is_no_proof() {
        let _ = Budget::default().to_confirm().finish();
    }

    #[test]
    fn looks_come_from_work() {
        let looks = Arc::new(AtomicU64::new(0));
        let counter = looks.clone();
        let budget = Budget::default().watched_by(Arc::new(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            None
        }));
        let mut pace = Pace::new(&budget);
        for _ in 0..100 * Pace::PERIOD {
            pace.work(1, || 0).unwrap();
        }
        assert_eq!(looks.load(Ordering::Relaxed), 100);
        let units = Arc::new(AtomicU64::new(0));
        let mut pace = Pace::new(&budget.looked_at_every(1).counted_by(units.clone()));
        for _ in 0..50 {
            pace.work(3, || 0).unwrap();
        }
        assert_eq!(looks.load(Ordering::Relaxed), 150);
        assert_eq!(units.load(Ordering::Relaxed), 150);
    }
}

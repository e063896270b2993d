//! A line on standard error while the work continues, where that is a terminal: what was done, at what rate, and how
//! long it may still take.
//!
//! A search knows the states that wait, and each may lead to more: so its estimate is a lower bound, and says so. Engines
//! that count nothing have the clock only, and the time limit if there is one. The line is written by a thread of its
//! own, so that it continues while an engine is silent.

use fencepost_report::paint::{Colours, masked};
use fencepost_task::Progress;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(250);

/// Nothing is shown of work that is done sooner.
const PATIENCE: Duration = Duration::from_millis(500);

/// Shows progress a few times a second.
pub struct ProgressLine {
    latest: Arc<Mutex<Option<Progress>>>,
    ended: Arc<AtomicBool>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl ProgressLine {
    /// `quiet` shows nothing; `deadline` is the time limit.
    pub fn new(quiet: bool, name: &str, deadline: Option<Instant>) -> ProgressLine {
        let latest = Arc::new(Mutex::new(None));
        let ended = Arc::new(AtomicBool::new(false));
        let enabled = !quiet && std::io::stderr().is_terminal();
        let writer = enabled.then(|| {
            let (latest, ended) = (latest.clone(), ended.clone());
            let name = masked(name, Colours::None).into_owned();
            std::thread::spawn(move || write_lines(&name, deadline, &latest, &ended))
        });
        ProgressLine { latest, ended, writer: Mutex::new(writer) }
    }

    /// Takes note of where the work is.
    pub fn update(&self, progress: &Progress) {
        if let Ok(mut latest) = self.latest.lock() {
            *latest = Some(*progress);
        }
    }

    /// Wipes the line away, for good.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(writer) = self.writer.lock().ok().and_then(|mut writer| writer.take()) {
            writer.thread().unpark();
            // It has nothing to tell.
            let _ = writer.join();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.end();
    }
}

fn write_lines(name: &str, deadline: Option<Instant>, latest: &Mutex<Option<Progress>>, ended: &AtomicBool) {
    let start = Instant::now();
    let mut shown = false;
    while !ended.load(Ordering::Relaxed) {
        std::thread::park_timeout(INTERVAL);
        if start.elapsed() < PATIENCE || ended.load(Ordering::Relaxed) {
            continue;
        }
        let progress = latest.lock().ok().and_then(|p| *p);
        let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[K{}",
            fitting(&line(name, progress.as_ref(), start.elapsed(), left))
        );
        let _ = std::io::stderr().flush();
        shown = true;
    }
    if shown {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

/// As much of a line as the terminal has room for: a longer one could not be wiped away.
fn fitting(line: &str) -> String {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(w, _)| usize::from(w.0));
    line.chars().take(width.saturating_sub(1)).collect()
}

/// What is said of a search.
fn line(name: &str, progress: Option<&Progress>, elapsed: Duration, left: Option<Duration>) -> String {
    let mut text = format!("{name}: {}", duration(elapsed));
    let counted = progress.filter(|p| p.stats.states > 0);
    if let Some(progress) = counted.filter(|p| p.waiting > 0) {
        let looked_at = progress.stats.states.saturating_sub(progress.waiting).max(1);
        let more = elapsed.mul_f64((progress.waiting as f64 / looked_at as f64).min(1e6));
        text += &format!(", at least {} more", duration(more));
    }
    if let Some(left) = left {
        text += &format!(", time limit in {}", duration(left));
    }
    if let Some(Progress { stats, buffer, waiting }) = counted {
        let rate = stats.states as f64 / elapsed.as_secs_f64().max(1e-3);
        text += &format!(
            ", {} states, {rate:.0} a second, depth {}, {waiting} waiting, {} MB",
            stats.states,
            stats.depth,
            stats.bytes >> 20
        );
        if let Some(bound) = buffer {
            text += &format!(", buffer bound {bound}");
        }
    }
    text
}

fn duration(time: Duration) -> String {
    match time.as_secs() {
        0 => "1 s".to_string(),
        s @ 1..120 => format!("{s} s"),
        s @ 120..7200 => format!("{} min", s / 60),
        s => format!("{} h", s / 3600),
    }
}

/// Shows how many of many are done.
pub struct CountLine {
    enabled: bool,
    all: usize,
    start: Instant,
    last: Instant,
    shown: bool,
}

impl CountLine {
    /// `quiet` shows nothing.
    pub fn new(quiet: bool, all: usize) -> CountLine {
        let enabled = !quiet && all > 1 && std::io::stderr().is_terminal();
        let now = Instant::now();
        CountLine { enabled, all, start: now, last: now, shown: false }
    }

    /// Shows how many are done, if the last time is long enough ago.
    pub fn update(&mut self, done: usize) {
        if self.enabled && self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.shown = true;
            let _ = write!(
                std::io::stderr(),
                "\r\x1b[K{}",
                fitting(&count(done, self.all, self.start.elapsed()))
            );
            let _ = std::io::stderr().flush();
        }
    }

    /// Makes room for other lines.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for CountLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn count(done: usize, all: usize, elapsed: Duration) -> String {
    match done {
        0 => format!("0 of {all} tests"),
        _ => {
            let more = elapsed.mul_f64(all.saturating_sub(done) as f64 / done as f64);
            format!("{done} of {all} tests, about {} more", duration(more))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{count, line};
    use fencepost_task::{Progress, Stats};
    use std::time::Duration;

    #[test]
    fn estimates() {
        let ten = Duration::from_secs(10);
        assert_eq!(line("a.fp", None, ten, None), "a.fp: 10 s");
        assert_eq!(
            line("a.fp", None, ten, Some(Duration::from_secs(150))),
            "a.fp: 10 s, time limit in 2 min"
        );
        let stats = Stats { states: 3000, depth: 7, bytes: 5 << 20, ..Stats::default() };
        let progress = Progress { stats, buffer: Some(2), waiting: 1000 };
        let expected = "a.fp: 10 s, at least 5 s more, 3000 states, 300 a second, depth 7, 1000 waiting, 5 MB, \
                        buffer bound 2";
        assert_eq!(line("a.fp", Some(&progress), ten, None), expected);
        assert_eq!(count(250, 1000, ten), "250 of 1000 tests, about 30 s more");
        assert_eq!(count(0, 1000, ten), "0 of 1000 tests");
    }
}

//! A line on standard error while the work goes on, where that is a terminal.

use fencepost_task::Progress;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shows progress a few times a second.
pub struct ProgressLine {
    enabled: bool,
    start: Instant,
    last: Instant,
    shown: bool,
}

const INTERVAL: Duration = Duration::from_millis(250);

impl ProgressLine {
    /// `quiet` shows nothing.
    pub fn new(quiet: bool) -> ProgressLine {
        let now = Instant::now();
        ProgressLine {
            enabled: !quiet && std::io::stderr().is_terminal(),
            start: now,
            last: now,
            shown: false,
        }
    }

    /// Shows where the work is, if the last time is long enough ago.
    pub fn update(&mut self, file: &str, progress: &Progress) {
        if !self.enabled || self.last.elapsed() < INTERVAL {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let stats = progress.stats;
        let rate = stats.states as f64 / self.start.elapsed().as_secs_f64();
        let bound = progress.buffer.map_or(String::new(), |b| format!(", buffer bound {b}"));
        eprint!(
            "\r\x1b[K{file}: {} states, {:.0} states/s, depth {}, {} waiting, {} MB{bound}",
            stats.states,
            rate,
            stats.depth,
            progress.waiting,
            stats.bytes >> 20
        );
        let _ = std::io::stderr().flush();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}

/// Shows how many of many are done.
pub struct CountLine {
    enabled: bool,
    all: usize,
    last: Instant,
    shown: bool,
}

impl CountLine {
    /// `quiet` shows nothing.
    pub fn new(quiet: bool, all: usize) -> CountLine {
        let enabled = !quiet && all > 1 && std::io::stderr().is_terminal();
        CountLine { enabled, all, last: Instant::now(), shown: false }
    }

    /// Shows how many are done, if the last time is long enough ago.
    pub fn update(&mut self, done: usize) {
        if self.enabled && self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.shown = true;
            eprint!("\r\x1b[K{done} of {} tests", self.all);
            let _ = std::io::stderr().flush();
        }
    }

    /// Makes room for other lines.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            eprint!("\r\x1b[K");
        }
    }
}

impl Drop for CountLine {
    fn drop(&mut self) {
        self.clear();
    }
}

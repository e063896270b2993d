//! Verdicts and runs for people: a verdict line, then the run as a table with a column for each
//! thread, the store buffers beside it, and the overtaken store and the overtaking load marked.

use crate::paint::{Colour, Colours, Paint, masked, wrap};
use crate::rows::{self, Row, rows};
use crate::timeline::timeline;
use crate::words::{buffer, cell_value, conclusion};
use crate::{Outcome, Shown, Took};
use fencepost_certify::{Replay, States};
use fencepost_ir::cfg::Program;
use fencepost_ir::{Remark, Sources, Span};
use fencepost_task::{AnyModel, Budget, Pace, Reason, Stop, Unreached};
use std::fmt::Write;
use std::ops::Range;

/// What of a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Nothing.
    Verdict,
    /// Steps that touch memory or the user's variables.
    Steps,
    /// Every step.
    All,
}

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// What of a run.
    pub detail: Detail,
    /// Whether the terminal shows colours.
    pub paint: Paint,
}

impl Default for Style {
    fn default() -> Style {
        Style { width: 160, detail: Detail::Steps, paint: Paint::Plain }
    }
}

/// What became of each engine, a line each.
fn engines(engines: &[Took]) -> String {
    let mut out = String::new();
    for Took { engine, part, reason } in engines {
        let why = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        let _ = writeln!(out, "  engine {engine}: {}{why}", part.name());
    }
    out
}

/// The verdict, and the run if there is one.
pub fn outcome(outcome: &Outcome<'_>, style: Style) -> String {
    let Outcome { file, program, model, engine, stats, seconds, .. } = outcome;
    let model = model.name().to_uppercase();
    let effort = match (stats.configurations, stats.states, stats.clauses) {
        (0, 0, clauses) if clauses > 0 => format!("{clauses} clauses"),
        (0, states, _) => format!("{states} states"),
        (configurations, 0, _) => format!("{configurations} configurations"),
        (configurations, states, _) => format!("{configurations} configurations in {states} states"),
    };
    let cost = format!("engine {engine}, {effort}, {seconds:.2} s");
    let mut out = String::new();
    if stats.spurious > 0 && style.detail != Detail::Verdict {
        let violations = stats.spurious;
        let _ = writeln!(out, "note: {violations} violations at the cut width are none at full width");
    }
    match &outcome.verdict {
        Shown::Safe { scope, unreached, ended } => {
            let number = if program.is_parameterized() { " for any number of threads" } else { "" };
            let safe = style.paint.bold(Colour::Green, &format!("safe{number}"));
            let everywhere = everywhere(outcome);
            let _ = writeln!(out, "{safe}: {file} under {model}, {scope}{everywhere} ({cost})");
            if let Some(reason) = ended {
                let _ = writeln!(out, "  larger bounds were not finished: {reason}");
            }
            for u in unreached.iter().filter(|_| style.detail != Detail::Verdict) {
                let _ = writeln!(out, "  note: {}", self::unreached(program, u));
            }
        }
        Shown::Unknown { reason, scope } => {
            let unknown = style.paint.bold(Colour::Yellow, "unknown");
            let _ = writeln!(out, "{unknown}: {file} under {model}: {reason} ({cost})");
            if let Some(scope) = scope {
                let _ = writeln!(out, "  no violation {scope}");
            }
            if outcome.engines.len() > 1 && style.detail != Detail::Verdict {
                out += &engines(&outcome.engines);
            }
        }
        Shown::Unsafe(replay) => {
            let word = style.paint.bold(Colour::Red, "unsafe");
            let _ = writeln!(out, "{word}: {file} under {model}: {} ({cost})", replay.property(program));
            if style.detail != Detail::Verdict {
                out += &run_or_why_not(program, replay, style, &outcome.telling);
                if let Some(explanation) = &outcome.explanation {
                    out.push('\n');
                    out += &explanation.text(style);
                }
            }
        }
    }
    if let Some(caveat) = caveat(outcome)
        && style.detail != Detail::Verdict
    {
        let _ = writeln!(out, "  note: {caveat}");
    }
    out
}

/// How far a safe verdict reaches beyond its model: what holds in the language's own holds wherever it is compiled to.
pub(crate) fn everywhere(outcome: &Outcome<'_>) -> &'static str {
    match (outcome.model, &outcome.verdict) {
        (AnyModel::C11, Shown::Safe { .. }) => ": on every machine",
        _ => "",
    }
}

/// The verdict, and the violation in sentences.
pub fn story(outcome: &Outcome<'_>, style: Style) -> String {
    let mut out = self::outcome(outcome, Style { detail: Detail::Verdict, ..style });
    if style.detail == Detail::Verdict {
        return out;
    }
    if let (Shown::Unsafe(replay), Some(explanation)) = (&outcome.verdict, &outcome.explanation) {
        if style.detail == Detail::All {
            out += &run_or_why_not(outcome.program, replay, style, &outcome.telling);
        }
        out.push('\n');
        out += &explanation.text(style);
    } else {
        out += "  there is no violation to explain\n";
    }
    out
}

/// What a verdict does not speak of, where threads race by plain or relaxed accesses.
pub fn caveat(outcome: &Outcome<'_>) -> Option<String> {
    outcome.stats.racing.then(|| {
        let model = outcome.model.name().to_uppercase();
        format!(
            "threads race by plain or relaxed accesses; reordering by the compiler is not modelled, nor \
             weaker machines than {model}"
        )
    })
}

/// A warning with its place.
pub fn warning(sources: &Sources, warning: &Remark) -> String {
    format!("{}: {}", sources.place(warning.span), warning.message)
}

/// What no run came to, as a sentence.
pub fn unreached(program: &Program, unreached: &Unreached) -> String {
    match unreached {
        Unreached::Assertion(p, e) => {
            let span = program.procedure(*p).edge(*e).span;
            format!("no run comes to the assertion at {}", program.sources.place(span))
        }
        Unreached::Label(p, label) => {
            format!("no thread gets to the label `{label}` of `{}`", program.procedure(*p).name)
        }
        Unreached::End => "no run ends, so nothing was checked at the end".to_string(),
    }
}

/// What is in the place of a run that there was no time or memory to tell of.
pub fn left_out(stop: Stop) -> String {
    format!("the run is left out here: {}", Reason::from(stop))
}

/// A replayed run as a table, and what it shows; or why it is left out.
pub fn run_or_why_not(program: &Program, replay: &Replay, style: Style, budget: &Budget) -> String {
    run(program, replay, style, budget).unwrap_or_else(|stop| format!("  {}\n", left_out(stop)))
}

/// A replayed run as a table, and what it shows.
pub fn run(program: &Program, replay: &Replay, style: Style, budget: &Budget) -> Result<String, Stop> {
    let mut out = steps(program, replay, style, budget)?;
    let conclusion = conclusion(program, replay);
    let what = wrap(&conclusion.what, style.width, 2, 2);
    for line in what.lines() {
        let _ = writeln!(out, "{}", style.paint.bold(Colour::Red, line));
    }
    for line in &conclusion.details {
        out += &wrap(line, style.width, 4, 6);
    }
    Ok(out)
}

/// A replayed run as a table.
pub fn steps(program: &Program, replay: &Replay, style: Style, budget: &Budget) -> Result<String, Stop> {
    let program = &*replay.instance(program);
    let line = timeline(replay, budget)?;
    let states = States::new(program, replay, budget);
    let mut pace = Pace::new(budget);
    let mut rows = Vec::new();
    let shown = self::rows(program, replay, &line, style.detail, budget)?;
    let numbers = Numbers::new(program, shown.iter().map(|row| row.span));
    for row in shown {
        // A column for each thread, and one for its buffer.
        pace.work(replay.threads.len() as u64 / 4, || 0)?;
        rows.push(Line::new(program, &states, &numbers, row)?);
    }
    let mut out = String::from("\n");
    if !replay.init.is_empty() {
        let init: Vec<_> =
            replay.init.iter().map(|(loc, v)| cell_value(program, replay.first(), *loc, *v)).collect();
        let _ = writeln!(out, "{}", wrap(&format!("initially {}", init.join(", ")), style.width, 2, 4));
    }
    if rows.is_empty() {
        out += "  in the initial state:\n";
    } else {
        let table = Table::new(replay, &rows, numbers.width);
        out += &if table.width() <= style.width {
            table.text(&rows, &gap(replay), style.paint)
        } else {
            list(replay, &rows, numbers.width, style)
        };
        out.push('\n');
        out += &source_lines(program, replay, &rows, &numbers, style);
    }
    Ok(out)
}

/// Lines of the source as numbers, with their files where there are several.
struct Numbers<'a> {
    program: &'a Program,
    several: bool,
    /// Of the longest.
    width: usize,
}

impl<'a> Numbers<'a> {
    fn new(program: &'a Program, spans: impl Iterator<Item = Span>) -> Numbers<'a> {
        let spans: Vec<Span> = spans.filter(|span| span.is_some()).collect();
        let several = spans.iter().any(|span| span.file != spans[0].file);
        let mut numbers = Numbers { program, several, width: 4 };
        let widths = spans.iter().map(|span| numbers.of(*span).chars().count());
        numbers.width = widths.max().unwrap_or(0).max(4);
        numbers
    }

    fn of(&self, span: Span) -> String {
        if !span.is_some() {
            return String::new();
        }
        match self.several {
            false => span.line.to_string(),
            true => {
                let name = self.program.sources.name(span.file);
                let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
                format!("{file}:{}", span.line)
            }
        }
    }
}

/// A row with what is printed of it.
struct Line {
    row: Row,
    number: String,
    text: String,
    /// The buffer of each thread after the row.
    buffers: Vec<String>,
}

impl Line {
    fn new(program: &Program, states: &States<'_>, numbers: &Numbers<'_>, row: Row) -> Result<Line, Stop> {
        let mut text = row.words.clone();
        if row.at_once {
            text += ", flushed";
        }
        if let Some(by) = row.overtaken_by {
            let _ = write!(text, "  <- overtaken by {}", by + 1);
        }
        if let Some(store) = row.passes.first() {
            let _ = write!(text, "  -> overtakes {}", store + 1);
        }
        let after = states.at(row.last + 1)?;
        Ok(Line {
            number: numbers.of(row.span),
            buffers: after.threads.iter().map(|t| buffer(program, &after, &t.buffer)).collect(),
            text,
            row,
        })
    }

    fn colour(&self) -> Colour {
        if self.row.is_weak() { Colour::Red } else { Colour::None }
    }
}

/// What is where steps of a long run are left out.
struct Gap {
    steps: Range<usize>,
    text: String,
}

fn gap(replay: &Replay) -> Gap {
    let steps = rows::left_out(replay);
    let text = format!("   ...  {} steps are left out here; --format json has them all\n", steps.len());
    Gap { steps, text }
}

impl Gap {
    /// What comes before a row.
    fn before(&self, rows: &[Line], number: usize) -> &str {
        let is_behind = |row: &Line| row.row.step >= self.steps.end;
        let first = !self.steps.is_empty() && is_behind(&rows[number]);
        match first && (number == 0 || !is_behind(&rows[number - 1])) {
            true => &self.text,
            false => "",
        }
    }
}

/// A column for each thread, then one for each buffer that is ever filled.
struct Table {
    columns: Vec<(String, Vec<String>)>,
    widths: Vec<usize>,
    /// Of the lines' numbers.
    numbers: usize,
}

impl Table {
    fn new(replay: &Replay, rows: &[Line], numbers: usize) -> Table {
        let cell = |row: &Line, thread: usize| {
            if row.row.thread == thread { row.text.clone() } else { String::new() }
        };
        let contents = |row: &Line, thread: usize| row.buffers.get(thread).cloned().unwrap_or_default();
        let mut columns: Vec<(String, Vec<String>)> = Vec::new();
        for (t, name) in replay.threads.iter().enumerate() {
            if rows.iter().any(|r| r.row.thread == t) {
                columns.push((name.clone(), rows.iter().map(|r| cell(r, t)).collect()));
            }
        }
        for (t, name) in replay.threads.iter().enumerate() {
            if rows.iter().any(|r| !contents(r, t).is_empty()) {
                columns.push((format!("buffer of {name}"), rows.iter().map(|r| contents(r, t)).collect()));
            }
        }
        let width = |(head, cells): &(String, Vec<String>)| {
            cells.iter().chain([head]).map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths = columns.iter().map(width).collect();
        Table { columns, widths, numbers }
    }

    fn width(&self) -> usize {
        8 + self.numbers + self.widths.iter().map(|w| w + 2).sum::<usize>()
    }

    fn text(&self, rows: &[Line], gap: &Gap, paint: Paint) -> String {
        let numbers = self.numbers;
        let mut head = format!("  step  {:>numbers$}", "line");
        for ((name, _), width) in self.columns.iter().zip(&self.widths) {
            let _ = write!(head, "  {name:width$}");
        }
        let mut out = format!("{}\n", paint.dim(head.trim_end()));
        for (i, row) in rows.iter().enumerate() {
            out += gap.before(rows, i);
            let mut line = format!("  {:>4}  {:>numbers$}", row.row.step + 1, row.number);
            let mut last = line.len();
            for ((_, cells), width) in self.columns.iter().zip(&self.widths) {
                let cell = &cells[i];
                let padding = " ".repeat(width - cell.chars().count());
                let painted = if *cell == row.text { paint.colour(row.colour(), cell) } else { cell.clone() };
                line += "  ";
                line += &painted;
                if !cell.is_empty() {
                    last = line.len();
                }
                line += &padding;
            }
            line.truncate(last);
            out += &line;
            out.push('\n');
        }
        out
    }
}

/// A step a line, where columns are too wide.
fn list(replay: &Replay, rows: &[Line], numbers: usize, style: Style) -> String {
    let longest = replay.threads.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let names = longest.min(style.width / 4);
    let mut out = format!("{}\n", style.paint.dim(&format!("  step  {:>numbers$}", "line")));
    let mut shown = String::new();
    let gap = gap(replay);
    for (i, row) in rows.iter().enumerate() {
        out += gap.before(rows, i);
        let name = &replay.threads[row.row.thread];
        let text = format!("{:>4}  {:>numbers$}  {name:names$}  {}", row.row.step + 1, row.number, row.text);
        for line in wrap(&text, style.width, 2, 16).lines() {
            let _ = writeln!(out, "{}", style.paint.colour(row.colour(), line));
        }
        let filled = replay.threads.iter().zip(&row.buffers).filter(|(_, b)| !b.is_empty());
        let buffers: Vec<_> = filled.map(|(name, b)| format!("{name}: {b}")).collect();
        let buffers = buffers.join("; ");
        if buffers != shown {
            let text = format!("buffers {}", if buffers.is_empty() { "empty" } else { &buffers });
            out += &wrap(&text, style.width, 14, 16);
        }
        shown = buffers;
    }
    out
}

/// The lines of the source that the rows speak of.
fn source_lines(
    program: &Program,
    replay: &Replay,
    rows: &[Line],
    numbers: &Numbers<'_>,
    style: Style,
) -> String {
    let width = numbers.width;
    let mut spans: Vec<Span> = rows.iter().map(|r| replay.steps[r.row.step].event.span).collect();
    spans.retain(|s| s.is_some());
    spans.sort_by_key(|s| (s.file, s.line));
    spans.dedup_by_key(|s| (s.file, s.line));
    let mut out = String::new();
    for span in spans {
        if let Some(text) = program.sources.excerpt(span) {
            let line =
                format!("        {:>width$}  {}", numbers.of(span), masked(text.trim(), Colours::None));
            let cut: String = line.chars().take(style.width.max(20)).collect();
            let _ = writeln!(out, "{}", style.paint.dim(&cut));
        }
    }
    if out.is_empty() { out } else { out + "\n" }
}

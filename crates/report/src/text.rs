//! Verdicts and runs for people: a verdict line, then the run as a table with a column for each
//! thread, the store buffers beside it, and the overtaken store and the overtaking load marked.

use crate::timeline::{Timeline, timeline};
use crate::{Outcome, Shown, Took};
use fencepost_certify::{Replay, Replayed};
use fencepost_ir::Span;
use fencepost_ir::cfg::{Dest, Instr, Observable, Program, Property, Reg};
use fencepost_memory::{Entry, EntryKind, EventKind, State};
use fencepost_task::{Action, Unreached, Violation};
use std::fmt::Write;

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
}

impl Default for Style {
    fn default() -> Style {
        Style { width: 160, detail: Detail::Steps }
    }
}

/// What became of each engine, a line each.
fn engines(engines: &[Took]) -> String {
    let mut out = String::new();
    for Took { name, part, reason } in engines {
        let why = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        let _ = writeln!(out, "  engine {name}: {}{why}", part.name());
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
        Shown::Safe { scope, unreached } => {
            let number = if program.is_parameterized() { " for any number of threads" } else { "" };
            let _ = writeln!(out, "safe{number}: {file} under {model}, {scope} ({cost})");
            for u in unreached.iter().filter(|_| style.detail != Detail::Verdict) {
                let _ = writeln!(out, "  note: {}", self::unreached(program, u));
            }
        }
        Shown::Unknown { reason, scope } => {
            let _ = writeln!(out, "unknown: {file} under {model}: {reason} ({cost})");
            if let Some(scope) = scope {
                let _ = writeln!(out, "  no violation {scope}");
            }
            if outcome.engines.len() > 1 && style.detail != Detail::Verdict {
                out += &engines(&outcome.engines);
            }
        }
        Shown::Unsafe(replay) => {
            let _ = writeln!(out, "unsafe: {file} under {model}: {} ({cost})", replay.property(program));
            if style.detail != Detail::Verdict {
                out += &run(program, replay, style);
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

/// A replayed run as a table, and what it shows.
pub fn run(program: &Program, replay: &Replay, style: Style) -> String {
    let mut out = steps(program, replay, style);
    out += &conclusion(program, replay);
    if !replay.shortest {
        out += "  (there may be a shorter run)\n";
    }
    out
}

/// A replayed run as a table.
pub fn steps(program: &Program, replay: &Replay, style: Style) -> String {
    let line = timeline(replay);
    let rows = rows(program, replay, &line, style);
    let mut out = String::from("\n");
    if !replay.init.is_empty() {
        let init: Vec<_> =
            replay.init.iter().map(|(loc, v)| cell_value(program, &replay.states[0], *loc, *v)).collect();
        let _ = writeln!(out, "  initially {}\n", init.join(", "));
    }
    if rows.is_empty() {
        out += "  in the initial state:\n";
    } else {
        let table = table(replay, &rows);
        let fits = table.lines().all(|l| l.chars().count() <= style.width);
        out += &if fits { table } else { list(replay, &rows) };
        out.push('\n');
        out += &source_lines(program, replay, &rows);
    }
    out
}

struct Row {
    step: usize,
    line: String,
    thread: usize,
    text: String,
    /// The buffer of each thread after the step.
    buffers: Vec<String>,
}

fn rows(program: &Program, replay: &Replay, line: &Timeline, style: Style) -> Vec<Row> {
    let mut rows = Vec::new();
    for (i, step) in replay.steps.iter().enumerate() {
        let before = &replay.states[i];
        let Some(mut text) = describe(program, replay, before, step, style) else { continue };
        if let Some(by) = line.overtaken_by[i] {
            let _ = write!(text, "  <- overtaken by {}", by + 1);
        }
        if let Some(store) = line.overtakes[i] {
            let _ = write!(text, "  -> overtakes {}", store + 1);
        }
        let span = step.event.span;
        let after = replay.states.get(i + 1).unwrap_or(before);
        rows.push(Row {
            step: i + 1,
            line: if span.is_some() { span.line.to_string() } else { String::new() },
            thread: step.step.thread as usize,
            text,
            buffers: after.threads.iter().map(|t| buffer(program, after, &t.buffer)).collect(),
        });
    }
    rows
}

/// A column for each thread, then one for each buffer that is ever filled.
fn table(replay: &Replay, rows: &[Row]) -> String {
    let cell = |row: &Row, thread: usize| if row.thread == thread { row.text.clone() } else { String::new() };
    let contents = |row: &Row, thread: usize| row.buffers.get(thread).cloned().unwrap_or_default();
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    for (t, name) in replay.threads.iter().enumerate() {
        if rows.iter().any(|r| r.thread == t) {
            columns.push((name.clone(), rows.iter().map(|r| cell(r, t)).collect()));
        }
    }
    for (t, name) in replay.threads.iter().enumerate() {
        if rows.iter().any(|r| !contents(r, t).is_empty()) {
            columns.push((format!("buffer of {name}"), rows.iter().map(|r| contents(r, t)).collect()));
        }
    }
    let mut lines = vec!["  step  line".to_string()];
    lines.extend(rows.iter().map(|r| format!("  {:>4}  {:>4}", r.step, r.line)));
    for (head, cells) in columns {
        let width = cells.iter().chain([&head]).map(|c| c.chars().count()).max().unwrap_or(0);
        for (line, cell) in lines.iter_mut().zip([head].iter().chain(&cells)) {
            let _ = write!(line, "  {cell:width$}");
        }
    }
    lines.iter().map(|l| format!("{}\n", l.trim_end())).collect()
}

/// A step a line, where columns are too wide.
fn list(replay: &Replay, rows: &[Row]) -> String {
    let width = replay.threads.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let mut out = String::from("  step  line\n");
    let mut shown = String::new();
    for row in rows {
        let _ = writeln!(
            out,
            "  {:>4}  {:>4}  {:width$}  {}",
            row.step, row.line, replay.threads[row.thread], row.text
        );
        let filled = replay.threads.iter().zip(&row.buffers).filter(|(_, b)| !b.is_empty());
        let buffers: Vec<_> = filled.map(|(name, b)| format!("{name}: {b}")).collect();
        let buffers = buffers.join("; ");
        if buffers != shown {
            let _ =
                writeln!(out, "  {:10}  buffers {}", "", if buffers.is_empty() { "empty" } else { &buffers });
        }
        shown = buffers;
    }
    out
}

/// The lines of the source that the rows speak of.
fn source_lines(program: &Program, replay: &Replay, rows: &[Row]) -> String {
    let mut spans: Vec<Span> = rows.iter().map(|r| replay.steps[r.step - 1].event.span).collect();
    spans.retain(|s| s.is_some());
    spans.sort_by_key(|s| (s.file, s.line));
    spans.dedup_by_key(|s| (s.file, s.line));
    let mut out = String::new();
    for span in spans {
        if let Some(text) = program.sources.line(span) {
            let _ = writeln!(out, "        {:>4}  {}", span.line, text.trim());
        }
    }
    if out.is_empty() { out } else { out + "\n" }
}

fn cell_value(program: &Program, state: &State, loc: fencepost_ir::cfg::Loc, value: i64) -> String {
    let ty = state.cell_type(program, loc);
    format!("{}={}", state.cell_name(program, loc), state.show_value(program, ty, value))
}

/// A buffer, oldest entry first; `|` is a store-store fence.
fn buffer(program: &Program, state: &State, entries: &[Entry]) -> String {
    let show = |e: &Entry| match e.kind {
        EntryKind::Barrier => "|".to_string(),
        EntryKind::Store | EntryKind::Own | EntryKind::Message => cell_value(program, state, e.loc, e.value),
    };
    entries.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// A step in a few words; `None` if it concerns nobody.
fn describe(
    program: &Program,
    replay: &Replay,
    before: &State,
    step: &Replayed,
    style: Style,
) -> Option<String> {
    let event = &step.event;
    let loc = event.loc.map_or("?".to_string(), |l| before.cell_name(program, l));
    let show = |v: Option<i64>| v.map_or("?".to_string(), |v| before.show_value(program, step.value_type, v));
    let procedure = program.procedure(before.threads[step.step.thread as usize].top().procedure);
    let instr = match step.step.action {
        Action::Edge(id, _) => Some(&procedure.edge(id).instr),
        Action::Flush(_) | Action::Propagate(_) | Action::Delete => None,
    };
    let dest = instr.and_then(Instr::dest).map(|dest| {
        let (Dest::Reg(reg) | Dest::At { base: reg, .. }) = dest;
        let register = match reg {
            Reg::Local(slot) => &procedure.registers[*slot as usize],
            Reg::Thread(slot) => &program.thread_registers[*slot as usize],
        };
        match dest {
            Dest::Reg(_) => register.name.clone(),
            Dest::At { .. } => register.name.replace("[0]", "[...]"),
        }
    });
    let named = dest.filter(|d| !d.starts_with('%'));
    let thread = |v: Option<i64>| {
        let index = v.and_then(|v| usize::try_from(v).ok());
        index.and_then(|i| replay.threads.get(i)).cloned().unwrap_or_else(|| show(v))
    };
    Some(match event.kind {
        EventKind::Load => match named {
            Some(name) => format!("{name} = load {loc}: {}", show(event.value)),
            None => format!("load {loc}: {}", show(event.value)),
        },
        EventKind::Store => format!("store {loc} = {}", show(event.value)),
        EventKind::Flush => format!("flush {loc} = {}", show(event.value)),
        EventKind::Rmw if event.old == event.value => format!("rmw {loc}: reads {}", show(event.old)),
        EventKind::Rmw => format!("rmw {loc}: {} -> {}", show(event.old), show(event.value)),
        EventKind::Fence => match instr {
            Some(Instr::Fence(fencepost_ir::cfg::FenceKind::StoreStore)) => "fence store_store".to_string(),
            _ => "fence".to_string(),
        },
        EventKind::Lock => format!("lock {loc}"),
        EventKind::Unlock => format!("unlock {loc}"),
        EventKind::Spawn => format!("spawn {}", thread(event.value)),
        EventKind::Join => format!("join {}", thread(event.value)),
        EventKind::Assert => match event.value {
            Some(0) => "assertion fails".to_string(),
            Some(_) => "assertion holds".to_string(),
            None => "assertion".to_string(),
        },
        EventKind::Havoc => {
            format!("{} = any: {}", named.unwrap_or_else(|| "choose".into()), show(event.value))
        }
        EventKind::Call => match instr {
            Some(Instr::Call(_, callee, _)) => format!("call {}", program.procedure(*callee).name),
            _ => "call".to_string(),
        },
        EventKind::Return => match event.value {
            Some(_) => format!("return {}", show(event.value)),
            None => "return".to_string(),
        },
        EventKind::Alloc => {
            // The state before does not know the object yet.
            let name = match instr {
                Some(Instr::Allocate { ty, .. }) => &program.heap_types[ty.index()].name,
                _ => "",
            };
            format!("{} = allocate {name}#{}", named.unwrap_or_else(|| "_".into()), before.heap.len() + 1)
        }
        EventKind::Free => format!("free {}", show(event.value)),
        EventKind::Begin => "atomic begin".to_string(),
        EventKind::AtomicEnd => "atomic end".to_string(),
        EventKind::End => "ends".to_string(),
        EventKind::Local => match named {
            Some(name) => format!("{name} = {}", show(event.value)),
            None if style.detail == Detail::All || event_fails(replay, step) => "step".to_string(),
            None => return None,
        },
        EventKind::Choose if style.detail == Detail::All => "choose".to_string(),
        EventKind::Choose => return None,
    })
}

fn event_fails(replay: &Replay, step: &Replayed) -> bool {
    matches!(replay.violation, Violation::Failure(failure) if !failure.is_of_state())
        && replay.steps.last() == Some(step)
}

/// What the run shows at its end.
fn conclusion(program: &Program, replay: &Replay) -> String {
    let state = replay.states.last().expect("a run starts with a state");
    let source = |span| match program.sources.line(span) {
        Some(line) => format!("{}: {}", program.sources.place(span), line.trim()),
        None => program.sources.place(span).to_string(),
    };
    match replay.violation {
        Violation::Failure(failure) if failure.is_of_state() => {
            let mut out = format!("  {failure}\n");
            for (name, thread) in replay.threads.iter().zip(&state.threads).filter(|(_, t)| !t.ended) {
                let top = thread.top();
                let next = program.procedure(top.procedure).out(top.node).next();
                if let Some((_, edge)) = next {
                    let _ = writeln!(out, "    {name} is at {}", source(edge.span));
                }
            }
            out
        }
        Violation::Failure(failure) => {
            let last = replay.steps.last().map_or(Span::NONE, |s| s.event.span);
            format!("  {failure}\n    {}\n", source(last))
        }
        Violation::Property(i) => match &program.properties[i] {
            Property::Forbid { together, span } => {
                let mut labels: Vec<_> =
                    together.iter().flatten().map(|r| (r.procedure, r.label.as_str())).collect();
                labels.sort_unstable();
                labels.dedup();
                let mut at = Vec::new();
                for (name, thread) in replay.threads.iter().zip(&state.threads) {
                    let top = thread.top();
                    let label = labels.iter().find(|(p, label)| {
                        *p == top.procedure && program.procedure(*p).label(label) == Some(top.node)
                    });
                    if let Some((_, label)) = label
                        && !thread.ended
                    {
                        at.push(format!("{name} is at `{label}`"));
                    }
                }
                format!("  {}\n    {}\n", at.join(", "), source(*span))
            }
            Property::Final { observed, span, .. } => {
                let values: Vec<_> = observed.iter().map(|o| observed_value(program, state, *o)).collect();
                format!("  at the end {}\n    {}\n", values.join(", "), source(*span))
            }
        },
    }
}

fn observed_value(program: &Program, state: &State, observable: Observable) -> String {
    match observable {
        Observable::Cell(loc) => cell_value(program, state, loc, state.read(loc)),
        Observable::Register(start, reg) => {
            let thread = state.threads.iter().find(|t| t.start == Some(start));
            let start = &program.threads[start.index()];
            let Reg::Local(slot) = reg else { return String::new() };
            let register = &program.procedure(start.procedure).registers[slot as usize];
            let value = thread.map_or(0, |t| t.registers[t.slot(reg)]);
            format!("{}.{}={}", start.name, register.name, register.ty.show(value))
        }
    }
}

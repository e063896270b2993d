//! Verdicts and runs for people: a verdict line, then the run as a table with a column for each
//! thread, the store buffers beside it, and the overtaken store and the overtaking load marked.

use crate::timeline::{Timeline, timeline};
use crate::{Outcome, Shown};
use fencepost_certify::{Replay, Replayed};
use fencepost_ir::cfg::{Dest, Instr, Observable, Program, Property, Reg};
use fencepost_memory::{EntryKind, EventKind, State};
use fencepost_task::{Action, Unreached, Violation};
use std::fmt::Write;

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Also steps that touch nothing but temporaries.
    pub all_steps: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { width: 120, all_steps: false }
    }
}

/// The verdict, and the run if there is one.
pub fn outcome(outcome: &Outcome<'_>, style: Style) -> String {
    let Outcome { file, program, model, engine, stats, seconds, .. } = outcome;
    let model = model.name().to_uppercase();
    let cost = format!("engine {engine}, {} states, {seconds:.2} s", stats.states);
    let mut out = String::new();
    match &outcome.verdict {
        Shown::Safe { scope, unreached } => {
            let _ = writeln!(out, "safe: {file} under {model}, {scope} ({cost})");
            for u in unreached {
                let _ = writeln!(out, "  note: {}", self::unreached(program, u));
            }
        }
        Shown::Unknown { reason, scope } => {
            let _ = writeln!(out, "unknown: {file} under {model}: {reason} ({cost})");
            if let Some(scope) = scope {
                let _ = writeln!(out, "  no violation {scope}");
            }
        }
        Shown::Unsafe(replay) => {
            let _ = writeln!(out, "unsafe: {file} under {model}: {} ({cost})", replay.property(program));
            out += &run(program, replay, style);
        }
    }
    out
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
    let line = timeline(replay);
    let rows = rows(program, replay, &line, style);
    let mut out = String::new();
    if !replay.init.is_empty() {
        let init: Vec<_> = replay.init.iter().map(|(loc, v)| cell_value(program, *loc, *v)).collect();
        let _ = writeln!(out, "\n  initially {}", init.join(", "));
    }
    let column = |t: usize| {
        let longest = rows.iter().filter(|r| r.thread == t).map(|r| r.text.chars().count()).max();
        longest.unwrap_or(0).max(replay.threads[t].chars().count())
    };
    let threads: Vec<usize> = (0..replay.threads.len()).filter(|t| rows.iter().any(|r| r.thread == *t)).collect();
    let columns: Vec<usize> = threads.iter().map(|&t| column(t)).collect();
    let buffers = rows.iter().map(|r| r.buffers.chars().count()).max().unwrap_or(0);
    let table_width = 14 + columns.iter().map(|c| c + 2).sum::<usize>() + buffers;
    out.push('\n');
    if table_width <= style.width.max(60) {
        let mut head = String::from("  step  line  ");
        for (&t, &width) in threads.iter().zip(&columns) {
            let _ = write!(head, "{:width$}  ", replay.threads[t]);
        }
        if buffers > 0 {
            head += "store buffers";
        }
        let _ = writeln!(out, "{}", head.trim_end());
        for row in &rows {
            let mut text = format!("  {:>4}  {:>4}  ", row.step, row.line);
            for (&t, &width) in threads.iter().zip(&columns) {
                let cell = if t == row.thread { row.text.as_str() } else { "" };
                let _ = write!(text, "{cell:width$}  ");
            }
            text += &row.buffers;
            let _ = writeln!(out, "{}", text.trim_end());
        }
    } else {
        // Too wide for a column each: one thread's step a line.
        let name = replay.threads.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        for row in &rows {
            let who = &replay.threads[row.thread];
            let text = format!("  {:>4}  {:>4}  {who:name$}  {}", row.step, row.line, row.text);
            let _ = writeln!(out, "{}", text.trim_end());
            if !row.buffers.is_empty() {
                let _ = writeln!(out, "  {:14}buffers: {}", "", row.buffers);
            }
        }
    }
    out.push('\n');
    out += &conclusion(program, replay);
    if !replay.shortest {
        out += "  (there may be a shorter run)\n";
    }
    out
}

struct Row {
    step: usize,
    line: String,
    thread: usize,
    text: String,
    buffers: String,
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
        rows.push(Row {
            step: i + 1,
            line: if span.is_some() { span.line.to_string() } else { String::new() },
            thread: step.step.thread as usize,
            text,
            buffers: replay.states.get(i + 1).map_or(String::new(), |s| buffers(program, replay, s)),
        });
    }
    rows
}

fn cell_value(program: &Program, loc: fencepost_ir::cfg::Loc, value: i64) -> String {
    format!("{}={}", program.cell_name(loc), program.object_of(loc).0.ty.show(value))
}

/// The buffers that are not empty, oldest entry first.
fn buffers(program: &Program, replay: &Replay, state: &State) -> String {
    let mut parts = Vec::new();
    for (name, thread) in replay.threads.iter().zip(&state.threads) {
        if thread.buffer.is_empty() {
            continue;
        }
        let entries: Vec<_> = thread
            .buffer
            .iter()
            .map(|e| match e.kind {
                EntryKind::Barrier => "|".to_string(),
                EntryKind::Store | EntryKind::Own | EntryKind::Message => cell_value(program, e.loc, e.value),
            })
            .collect();
        parts.push(format!("{name}: {}", entries.join(" ")));
    }
    parts.join("; ")
}

/// A step in a few words; `None` if it concerns nobody.
fn describe(program: &Program, replay: &Replay, before: &State, step: &Replayed, style: Style) -> Option<String> {
    let event = &step.event;
    let loc = event.loc.map_or("?".to_string(), |l| program.cell_name(l));
    let show = |v: Option<i64>| v.map_or("?".to_string(), |v| step.value_type.show(v));
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
        EventKind::Assert if event.value == Some(0) => "assertion fails".to_string(),
        EventKind::Assert => "assertion holds".to_string(),
        EventKind::Havoc => format!("{} = any: {}", named.unwrap_or_else(|| "choose".into()), show(event.value)),
        EventKind::Call => match instr {
            Some(Instr::Call(_, callee, _)) => format!("call {}", program.procedure(*callee).name),
            _ => "call".to_string(),
        },
        EventKind::Return => match event.value {
            Some(_) => format!("return {}", show(event.value)),
            None => "return".to_string(),
        },
        EventKind::Begin => "atomic begin".to_string(),
        EventKind::AtomicEnd => "atomic end".to_string(),
        EventKind::End => "ends".to_string(),
        EventKind::Local => match named {
            Some(name) => format!("{name} = {}", show(event.value)),
            None if style.all_steps || event_fails(replay, step) => "step".to_string(),
            None => return None,
        },
        EventKind::Choose if style.all_steps => "choose".to_string(),
        EventKind::Choose => return None,
    })
}

fn event_fails(replay: &Replay, step: &Replayed) -> bool {
    matches!(replay.violation, Violation::Failure(_)) && replay.steps.last() == Some(step)
}

/// What the run shows at its end.
fn conclusion(program: &Program, replay: &Replay) -> String {
    let state = replay.states.last().expect("a run starts with a state");
    let source = |span| match program.sources.line(span) {
        Some(line) => format!("{}: {}", program.sources.place(span), line.trim()),
        None => program.sources.place(span).to_string(),
    };
    match replay.violation {
        Violation::Failure(failure) => {
            let last = replay.steps.last().map_or(fencepost_ir::Span::NONE, |s| s.event.span);
            format!("  {failure}\n    {}\n", source(last))
        }
        Violation::Property(i) => match &program.properties[i] {
            Property::Forbid { together, span } => {
                let mut labels: Vec<_> = together.iter().flatten().map(|r| (r.procedure, r.label.as_str())).collect();
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
        Observable::Cell(loc) => cell_value(program, loc, state.cells[loc.index()]),
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

//! Steps, cells, buffers and violations in a few words.

use crate::paint::{Colours, masked};
use crate::text::Detail;
use fencepost_certify::{Replay, Replayed};
use fencepost_ir::cfg::{Dest, FenceKind, Instr, Observable, Program, Property, Reg};
use fencepost_ir::{Claim, Span};
use fencepost_memory::{Entry, EntryKind, EventKind, State, stores};
use fencepost_task::{Action, Violation};

/// A cell and its value.
pub fn cell_value(program: &Program, state: &State, loc: fencepost_ir::cfg::Loc, value: i64) -> String {
    let ty = state.cell_type(program, loc);
    format!("{}={}", state.cell_name(program, loc), state.show_value(program, ty, value))
}

/// A buffer, oldest entry first; `|` is a store-store fence.
pub fn buffer(program: &Program, state: &State, entries: &[Entry]) -> String {
    buffer_entries(program, state, entries).join(" ")
}

/// Of a longer buffer the first and the last entries are shown.
const MOST_ENTRIES: usize = 64;

/// The entries of a buffer, oldest first; `|` is a store-store fence, and `…` stands for those in the middle of a long one.
pub fn buffer_entries(program: &Program, state: &State, entries: &[Entry]) -> Vec<String> {
    let show = |store: &[Entry]| match store[0].kind {
        EntryKind::Barrier => "|".to_string(),
        EntryKind::Store | EntryKind::Part | EntryKind::Own | EntryKind::Message => {
            let name = state.cells_name(program, store[0].loc, store.len() as u32);
            let (ty, value) = state.store_value(program, store);
            format!("{name}={}", state.show_value(program, ty, value))
        }
    };
    let stores: Vec<&[Entry]> = stores(entries).collect();
    if stores.len() <= MOST_ENTRIES {
        return stores.into_iter().map(show).collect();
    }
    let (first, last) = (&stores[..MOST_ENTRIES / 2], &stores[stores.len() - MOST_ENTRIES / 2..]);
    let shown = |stores: &[&[Entry]]| stores.iter().map(|store| show(store)).collect::<Vec<_>>();
    [shown(first), vec!["…".to_string()], shown(last)].concat()
}

/// A step in a few words; `None` if it is not worth showing.
pub fn describe(
    program: &Program,
    replay: &Replay,
    before: &State,
    step: &Replayed,
    detail: Detail,
) -> Option<String> {
    let event = &step.event;
    let loc = event.loc.map_or("?".to_string(), |l| before.cells_name(program, l, event.cells));
    let show = |v: Option<i64>| v.map_or("?".to_string(), |v| before.show_value(program, step.value_type, v));
    let procedure = program.procedure(before.threads[step.step.thread as usize].top().procedure);
    let instr = match step.step.action {
        Action::Edge(id, _) | Action::Older(id, _) => Some(&procedure.edge(id).instr),
        Action::Flush(_) | Action::Propagate(_) | Action::Delete => None,
    };
    let older = match (step.step.action, event.kind) {
        (Action::Older(..), EventKind::Store) => ", before a newer store",
        (Action::Older(..), _) => ", an older value",
        _ => "",
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
            Some(name) => format!("{name} = load {loc}: {}{older}", show(event.value)),
            None => format!("load {loc}: {}{older}", show(event.value)),
        },
        EventKind::Store => format!("store {loc} = {}{older}", show(event.value)),
        EventKind::Flush => format!("flush {loc} = {}", show(event.value)),
        EventKind::Rmw if event.old == event.value => format!("rmw {loc}: reads {}{older}", show(event.old)),
        EventKind::Rmw => format!("rmw {loc}: {} -> {}{older}", show(event.old), show(event.value)),
        EventKind::Fence => match instr {
            Some(Instr::Fence(FenceKind::StoreStore)) => "fence store_store".to_string(),
            _ => "fence".to_string(),
        },
        EventKind::Lock => format!("lock {loc}"),
        EventKind::Unlock => format!("unlock {loc}"),
        EventKind::Spawn => format!("spawn {}", thread(event.value)),
        EventKind::Join => format!("join {}", thread(event.value)),
        EventKind::Assert => match event.value {
            Some(0) => match instr {
                Some(Instr::Assert(_, Claim::Exit)) => "ends with a status that is not 0".to_string(),
                Some(Instr::Assert(_, Claim::Reach)) => "is where it must not be".to_string(),
                Some(Instr::Assert(_, Claim::Target)) => "follows a pointer to no such function".to_string(),
                _ => "assertion fails".to_string(),
            },
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
            let to = named.unwrap_or_else(|| "_".into());
            match step.step.action {
                Action::Edge(_, Some(gone)) => {
                    let number = gone as u32 - before.first_heap + 1;
                    format!("{to} = allocate {name}#{number}, an address that was freed before")
                }
                _ => format!("{to} = allocate {name}#{}", before.heap.len() + 1),
            }
        }
        EventKind::Free => format!("free {}", show(event.value)),
        EventKind::Begin => "atomic begin".to_string(),
        EventKind::AtomicEnd => "atomic end".to_string(),
        EventKind::End => "ends".to_string(),
        EventKind::Local => match named {
            Some(name) => format!("{name} = {}", show(event.value)),
            None if detail == Detail::All || event_fails(replay, step) => "step".to_string(),
            None => return None,
        },
        EventKind::Choose if detail == Detail::All => "choose".to_string(),
        EventKind::Choose => return None,
    })
}

fn event_fails(replay: &Replay, step: &Replayed) -> bool {
    matches!(replay.violation, Violation::Failure(failure) if !failure.is_of_state())
        && replay.steps.last() == Some(step)
}

/// What the run shows at its end: what is so, and what says that it must not be.
pub struct Conclusion {
    /// A sentence without its full stop.
    pub what: String,
    /// More of it, a line each.
    pub details: Vec<String>,
}

/// What the run shows at its end.
pub fn conclusion(program: &Program, replay: &Replay) -> Conclusion {
    let state = &replay.last;
    let source = |span| match program.sources.excerpt(span) {
        Some(line) => format!("{}: {}", program.sources.place(span), masked(line.trim(), Colours::None)),
        None => program.sources.place(span).to_string(),
    };
    if let Some((first, second)) = replay.race {
        return race(program, replay, [first, second], source);
    }
    match replay.violation {
        Violation::Failure(failure) if failure.is_of_state() => {
            let mut details = Vec::new();
            for (name, thread) in replay.threads.iter().zip(&state.threads).filter(|(_, t)| !t.ended) {
                let top = thread.top();
                let next = program.procedure(top.procedure).out(top.node).next();
                if let Some((_, edge)) = next {
                    details.push(format!("{name} is at {}", source(edge.span)));
                }
            }
            Conclusion { what: failure.to_string(), details }
        }
        Violation::Failure(failure) => {
            let last = replay.steps.last().map_or(Span::NONE, |s| s.event.span);
            Conclusion { what: failure.to_string(), details: vec![source(last)] }
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
                Conclusion { what: at.join(", "), details: vec![source(*span)] }
            }
            Property::Final { observed, span, .. } => {
                let values: Vec<_> = observed.iter().map(|o| observed_value(program, state, *o)).collect();
                Conclusion { what: format!("at the end {}", values.join(", ")), details: vec![source(*span)] }
            }
        },
    }
}

/// Two accesses that race, and what would order them.
fn race(
    program: &Program,
    replay: &Replay,
    accesses: [usize; 2],
    source: impl Fn(Span) -> String,
) -> Conclusion {
    let [first, second] = accesses.map(|number| &replay.steps[number]);
    let named = |step: &Replayed| {
        let place = program.sources.place(step.event.span);
        format!("{}'s {} at {place}", step.thread, step.event.kind.name())
    };
    let what = format!(
        "data race: {} and {}: neither happens before the other, and not both are atomic",
        named(first),
        named(second)
    );
    let details = vec![source(first.event.span), source(second.event.span), RACE_CURE.to_string()];
    Conclusion { what, details }
}

/// What would order two accesses that race.
pub const RACE_CURE: &str = "A mutex around both, or a release store after the first that an acquire load before the second reads, \
                             would order them";

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

//! Tests from cycles of relations, as diy makes them: the text of a test whose `exists` asks for an
//! execution with the cycle in it. Under SC there is none.
//!
//! It makes text, which is then read like any other test: nothing of a generated test gets to an engine
//! by another way.
//!
//! Events of one location are together in the cycle, between two relations that change the location.
//! The writes among them get 1, 2, ... in that order, which is to be their coherence order, and each read
//! the value of the write before it, or 0. A cycle at one location contradicts program order: there the
//! order starts after it. The condition names every read's value, and the last value of a location that
//! is written twice.

mod all;
mod edge;
mod names;

pub use all::all_cycles;
pub use edge::{Between, Cycle, Dir, Edge, Flow, Reach, Where};

use super::ast::{Arch, Width};
use super::register::{BaseRegister, Register};
use std::fmt::Write;

/// A test as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Its name.
    pub name: String,
    /// The test.
    pub text: String,
}

/// Registers in the order in which loads get them; not the stack's.
const LOADS: [u8; 14] = [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15];

/// Loads of a 32-bit thread have no more registers than these.
const LOADS_32: usize = 6;

struct Event {
    thread: usize,
    dir: Dir,
    location: usize,
    value: u32,
    /// What comes before it in its thread.
    between: Between,
    register: Option<Register>,
}

/// The test of a cycle; an error if it needs more registers than there are.
pub fn test(cycle: &Cycle, arch: Arch) -> Result<Generated, String> {
    let (cycle, name) = names::name(cycle);
    let events = events(&cycle, arch)?;
    let mut text = String::new();
    let heading = if arch == Arch::X86 { "X86" } else { "X86_64" };
    let _ = writeln!(text, "{heading} {name}\n\"{cycle}\"\nOrig={cycle}\n{{");
    if arch == Arch::X86_64 {
        let _ = writeln!(text, "{}", declarations(&events).join(" "));
    }
    let _ = writeln!(text, "}}");
    columns(&events, arch, &mut text);
    let _ = writeln!(text, "exists ({})", condition(&events, arch).join(" /\\ "));
    Ok(Generated { name, text })
}

fn events(cycle: &Cycle, arch: Arch) -> Result<Vec<Event>, String> {
    let edges = cycle.edges();
    let changes = edges.iter().filter(|e| e.changes_location()).count();
    let mut events = Vec::new();
    let (mut thread, mut location, mut loads) = (0, 0, 0);
    let mut between = Between::Nothing;
    for edge in edges {
        let dir = edge.from();
        let register = (dir == Dir::R).then_some(loads);
        loads += usize::from(dir == Dir::R);
        let most = if arch == Arch::X86 { LOADS_32 } else { LOADS.len() };
        if loads > most {
            return Err(format!("P{thread} loads more often than there are registers, {most}"));
        }
        let width = if arch == Arch::X86 { Width::Long } else { Width::Quad };
        let register = register.map(|n| Register::low(BaseRegister(LOADS[n]), width));
        events.push(Event { thread, dir, location, value: 0, between, register });
        between = match edge {
            Edge::Po(between, ..) => *between,
            Edge::Com(..) => Between::Nothing,
        };
        if edge.is_external() {
            (thread, loads) = (thread + 1, 0);
        }
        if edge.changes_location() {
            location = (location + 1) % changes;
        }
    }
    // From after a change of location once around; at a single location, from where program order
    // contradicts the rest.
    let change = edges.iter().position(|e| e.changes_location());
    let contradiction = || edges.iter().position(|e| matches!(e, Edge::Po(..)));
    let start = change.or_else(contradiction).map_or(0, |i| i + 1);
    let mut value = 0;
    let count = events.len();
    for i in (start..start + count).map(|i| i % count) {
        let before = edges[(i + edges.len() - 1) % edges.len()];
        if before.changes_location() {
            value = 0;
        }
        value += u32::from(events[i].dir == Dir::W);
        events[i].value = value;
    }
    Ok(events)
}

fn location_name(location: usize) -> String {
    match ["x", "y", "z", "a", "b", "c", "d", "e"].get(location) {
        Some(name) => name.to_string(),
        None => format!("v{location}"),
    }
}

fn declarations(events: &[Event]) -> Vec<String> {
    let mut declared: Vec<String> = Vec::new();
    let locations = events.iter().map(|e| e.location).max().map_or(0, |l| l + 1);
    declared.extend((0..locations).map(|l| format!("uint64_t {};", location_name(l))));
    for event in events {
        if let Some(register) = event.register {
            declared.push(format!("uint64_t {}:{};", event.thread, register.name(Arch::X86_64)));
        }
    }
    declared
}

fn instructions(event: &Event, arch: Arch) -> Vec<String> {
    let mut instructions = Vec::new();
    match event.between {
        Between::Nothing => {}
        Between::MFence => instructions.push("mfence".to_string()),
        Between::SFence => instructions.push("sfence".to_string()),
        Between::LFence => instructions.push("lfence".to_string()),
    }
    let (place, value) = (location_name(event.location), event.value);
    instructions.push(match (event.register, arch) {
        (None, Arch::X86) => format!("MOV [{place}],${value}"),
        (Some(register), Arch::X86) => format!("MOV {},[{place}]", register.name(arch)),
        (None, Arch::X86_64 | Arch::C) => format!("movq ${value},({place})"),
        (Some(register), Arch::X86_64 | Arch::C) => format!("movq ({place}),%{}", register.name(arch)),
    });
    if arch == Arch::X86 {
        for fence in instructions.iter_mut().filter(|i| i.ends_with("fence")) {
            *fence = fence.to_uppercase();
        }
    }
    instructions
}

fn columns(events: &[Event], arch: Arch, text: &mut String) {
    let threads = events.iter().map(|e| e.thread).max().map_or(0, |t| t + 1);
    let mut columns: Vec<Vec<String>> = (0..threads).map(|t| vec![format!("P{t}")]).collect();
    for event in events {
        columns[event.thread].extend(instructions(event, arch));
    }
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(|c| c.iter().map(String::len).max().unwrap_or(0)).collect();
    for row in 0..rows {
        let cells = columns.iter().zip(&widths);
        let cells = cells.map(|(c, w)| format!(" {:w$} ", c.get(row).map_or("", String::as_str)));
        let _ = writeln!(text, "{};", cells.collect::<Vec<_>>().join("|"));
    }
}

fn condition(events: &[Event], arch: Arch) -> Vec<String> {
    let mut atoms = Vec::new();
    let locations = events.iter().map(|e| e.location).max().map_or(0, |l| l + 1);
    for location in 0..locations {
        let writes = || events.iter().filter(|e| e.location == location && e.dir == Dir::W);
        let last = writes().map(|e| e.value).max();
        if let (Some(last), true) = (last, writes().count() > 1) {
            atoms.push(format!("[{}]={last}", location_name(location)));
        }
    }
    for event in events {
        if let Some(register) = event.register {
            atoms.push(format!("{}:{}={}", event.thread, register.name(arch), event.value));
        }
    }
    if atoms.is_empty() { vec!["true".to_string()] } else { atoms }
}

//! Litmus tests as programs of any size: the rows of the dual engine's tables.
//!
//! A thread is a row of writes and reads; a read passes only if it sees its value, and at the end of
//! the row the thread is at the label `end`. What is asked is whether all threads can be there at
//! once. A repeating thread begins again after that, and never ends.

use std::fmt::Write;

/// A memory access of a pattern.
#[derive(Clone, Copy)]
pub enum Access {
    /// Writes 1.
    Write(usize),
    /// Sees that value.
    Read(usize, u8),
}

use Access::{Read as R, Write as W};

/// How often a thread runs its pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Once.
    No,
    /// Again and again.
    Yes,
}

/// The patterns of a test.
pub type Family = Vec<Vec<Access>>;

/// Store buffering in a ring of `n` threads.
pub fn sb(n: usize) -> Family {
    (0..n).map(|i| vec![W(i), R((i + 1) % n, 0)]).collect()
}

/// Load buffering in a ring of `n` threads.
pub fn lb(n: usize) -> Family {
    (0..n).map(|i| vec![R(i, 1), W((i + 1) % n)]).collect()
}

/// Message passing.
pub fn mp() -> Family {
    vec![vec![W(0), W(1)], vec![R(1, 1), R(0, 0)]]
}

/// Write-to-read causality along `n` threads.
pub fn wrc(n: usize) -> Family {
    let mut family = vec![vec![W(0)]];
    family.extend((1..n - 1).map(|i| vec![R(i - 1, 1), W(i)]));
    family.push(vec![R(n - 2, 1), R(0, 0)]);
    family
}

/// Message passing with a middleman.
pub fn isa2() -> Family {
    vec![vec![W(0), W(1)], vec![R(1, 1), W(2)], vec![R(2, 1), R(0, 0)]]
}

/// Read-to-write causality with `n` threads.
pub fn rwc(n: usize) -> Family {
    let mut family = vec![vec![W(0)], vec![R(0, 1), R(1, 0)]];
    family.extend((1..n - 1).map(|i| vec![W(i), R(if i == n - 2 { 0 } else { i + 1 }, 0)]));
    family
}

/// The same after two writes.
pub fn w_rwc(n: usize) -> Family {
    let mut family = vec![vec![W(0), W(1)], vec![R(1, 1), R(2, 0)]];
    family.extend((2..n).map(|i| vec![W(i), R(if i == n - 1 { 0 } else { i + 1 }, 0)]));
    family
}

/// Independent reads of independent writes.
pub fn iriw() -> Family {
    vec![vec![W(0)], vec![R(0, 1), R(1, 0)], vec![W(1)], vec![R(1, 1), R(0, 0)]]
}

/// The program with that many copies of each pattern; `None` is any number, of which the target has one.
pub fn program(family: &Family, copies: Option<&[usize]>, repeats: Repeats) -> String {
    let variables = family.iter().flatten().map(|a| match a {
        W(x) | R(x, _) => x + 1,
    });
    let mut text = format!("shared 0..1 x[{}];\n", variables.max().unwrap_or(1));
    let mut target = Vec::new();
    for (i, accesses) in family.iter().enumerate() {
        let count = match copies {
            Some(copies) => format!("[{}]", copies[i]),
            None => "[*]".to_string(),
        };
        let _ = writeln!(text, "\nprocess t{i}() {{\n    0..1 r;");
        let _ = writeln!(text, "    while (true) {{");
        for access in accesses {
            let _ = match access {
                W(x) => writeln!(text, "        x[{x}] = 1;"),
                R(x, v) => writeln!(text, "        r = x[{x}]; assume(r == {v});"),
            };
        }
        let after = if repeats == Repeats::Yes { "skip;" } else { "assume(false);" };
        let _ = writeln!(text, "      end{i}: {after}\n    }}\n}}\nstart t{i}{count}();");
        let times = copies.map_or(1, |copies| copies[i]);
        target.extend((0..times).map(|_| format!("any at end{i}")));
    }
    let _ = writeln!(text, "\nforbid {};", target.join(" and "));
    text
}

/// A ticket lock with four tickets, and two kinds of threads that take it in turn.
pub fn ticket_lock(first: usize, second: usize) -> String {
    let mut text = String::from("const TICKETS = 4;\n\nshared 0..TICKETS-1 next, serving;\n");
    for (name, copies) in [("first", first), ("second", second)] {
        let _ = write!(
            text,
            "
process {name}() {{
    0..TICKETS-1 mine, now;
    while (true) {{
        atomic {{
            mine = next;
            now = serving;
            assume((mine + 1) % TICKETS != now);
            next = (mine + 1) % TICKETS;
        }}
        do {{ now = serving; }} while (now != mine);
      critical:
        skip;
        serving = (mine + 1) % TICKETS;
    }}
}}
start {name}[{copies}]();
"
        );
    }
    text + "\nat most 1 at critical;\n"
}

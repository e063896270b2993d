//! The time to read and lower a text grows with its length, not with the square of it: four times the text takes less
//! than eight times as long.

use fencepost_c as c;
use fencepost_ir::tree;
use fencepost_litmus as litmus;
use fencepost_models::{fp, trencher};
use fencepost_passes::pipeline;
use std::time::{Duration, SystemTime};

/// One line for each number.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

fn fp(text: &str) -> tree::Program {
    fp::read("long.fp", text).unwrap_or_else(|(_, d)| panic!("{}", d[0].message))
}

fn c(text: &str) -> tree::Program {
    let read = c::read(&[("long.i", text)], &c::Options::default());
    read.unwrap_or_else(|(_, d)| panic!("{}", d[0].message))
}

/// What this thread has taken of a processor, where the system tells, so that others do not count; else the time of day.
fn clock() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match told.split_whitespace().next().and_then(|n| n.parse().ok()) {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
    }
}

/// How long it takes to read and lower a text, without what it takes to free it.
fn time(read: fn(&str) -> tree::Program, text: &str) -> Duration {
    let start = clock();
    let program = pipeline::lower(read(text));
    let time = clock() - start;
    assert!(!program.procedures.is_empty());
    time
}

#[track_caller]
fn grows_linearly(read: fn(&str) -> tree::Program, n: usize, text: impl Fn(usize) -> String) {
    let (short, long) = (text(n), text(4 * n));
    let mut measured = Vec::new();
    // Others may use the machine, too: the best of some tries counts.
    for _ in 0..6 {
        measured.push((time(read, &short), time(read, &long)));
        let shortest = measured.iter().map(|m| m.0).min().unwrap();
        let longest = measured.iter().map(|m| m.1).min().unwrap();
        if longest < 8 * shortest + Duration::from_millis(20) {
            return;
        }
    }
    panic!("{n} and {} lines took {measured:?}", 4 * n);
}

fn main(body: String) -> String {
    format!("int x; int main(void) {{ {body} return x; }}")
}

#[test]
fn statements_of_the_modelling_language() {
    let thread = |body: String| format!("shared int x; thread t {{ int r; {body} assert(x < 9); }}");
    grows_linearly(fp, 3000, |n| thread(lines(n, |i| format!("x = {};", i % 7))));
    grows_linearly(fp, 1500, |n| thread(lines(n, |i| format!("int r{i} = x;"))));
    grows_linearly(fp, 1500, |n| {
        thread(lines(n, |i| format!("L{i}: if (x == 1) {{ goto L{}; }}", n - 1 - i)))
    });
    grows_linearly(fp, 1500, |n| thread(lines(n, |i| format!("if (x == {i}) {{ x = 1; }} else")) + "x = 2;"));
    grows_linearly(fp, 1500, |n| thread(lines(n, |_| "r = any; if (r > 3) { x = r; }".into())));
}

#[test]
fn declarations_of_the_modelling_language() {
    let checked = "thread u { assert(x < 9); }";
    let start = format!("shared int x; {checked}");
    grows_linearly(fp, 1500, |n| start.clone() + &lines(n, |i| format!("shared int g{i}; local int l{i};")));
    grows_linearly(fp, 1500, |n| start.clone() + &lines(n, |i| format!("thread t{i} {{ x = 1; }}")));
    grows_linearly(fp, 1500, |n| {
        start.clone() + "void f0() { x = 1; }" + &lines(n, |i| format!("void f{}() {{ f{i}(); }}", i + 1))
    });
    grows_linearly(fp, 1000, |n| {
        let labels = lines(n, |i| format!("L{i}: x = 1;"));
        start.clone() + &format!("thread v {{ {labels} }}") + &lines(n, |i| format!("at most 1 at L{i};"))
    });
}

#[test]
fn statements_of_c() {
    grows_linearly(c, 2000, |n| main(lines(n, |i| format!("x = {};", i % 7))));
    grows_linearly(c, 1500, |n| main(lines(n, |i| format!("int r{i} = x;"))));
    grows_linearly(c, 1500, |n| main(lines(n, |i| format!("{{ int r = {i}; x = r; }}"))));
    grows_linearly(c, 1500, |n| main(lines(n, |i| format!("if (x == {i}) x = 1; else")) + "x = 2;"));
    grows_linearly(c, 1500, |n| {
        main(format!("switch (x) {{ {} }}", lines(n, |i| format!("case {i}: x = 1;"))))
    });
}

#[test]
fn declarations_of_c() {
    let outside = |text: String, body: String| text + "\n" + &main(body);
    grows_linearly(c, 1500, |n| {
        outside(lines(n, |i| format!("int g{i};")), lines(n, |i| format!("g{i} = 1;")))
    });
    grows_linearly(c, 1000, |n| {
        outside(
            lines(n, |i| format!("void f{i}(void) {{ static int s; s++; }}")),
            lines(n, |i| format!("f{i}();")),
        )
    });
    grows_linearly(c, 1500, |n| {
        let members = lines(n, |i| format!("int m{i};"));
        outside(format!("struct s {{ {members} }} v;"), lines(n, |i| format!("v.m{i} = 1;")))
    });
    grows_linearly(c, 4000, |n| {
        outside(format!("enum e {{ {} }};", lines(n, |i| format!("E{i},"))), "x = E1;".into())
    });
    grows_linearly(c, 1500, |n| {
        outside(lines(n, |i| format!("typedef int T{i}; T{i} v{i};")), "v0 = 1;".into())
    });
    grows_linearly(c, 4000, |n| {
        outside(format!("int a[] = {{ {} }};", lines(n, |i| format!("{i},"))), "x = a[1];".into())
    });
}

#[test]
fn other_formats() {
    let test =
        |text: &str| litmus::read("long.litmus", text).unwrap_or_else(|(_, d)| panic!("{}", d[0].message));
    grows_linearly(test, 1500, |n| {
        let rows = lines(n, |i| format!(" MOV [x{i}],$1 | MOV EAX,[x{i}] ;"));
        format!("X86 long\n{{ }}\n P0 | P1 ;\n{rows}exists (x0=2)\n")
    });
    let automaton =
        |text: &str| trencher::read("long.txt", text).unwrap_or_else(|(_, d)| panic!("{}", d[0].message));
    grows_linearly(automaton, 1500, |n| {
        let transitions = lines(n, |i| format!("transition q{i} q{} write {} 1", i + 1, i % 5));
        format!("memory_size 10\nthread t0\ninitial q0\nfinal q{n}\n{transitions}end\n")
    });
}

//! The parametrized programs of Bouajjani et al., "Lazy TSO Reachability" (FASE 2015), Figures 7 to 9: for us in
//! the modelling language, and for Trencher in its own.

use std::fmt::Write;

/// Figure 7: Lamport's first fast mutex with `n` threads. A thread that finds `x` changed goes back when `y` is
/// not its own; the figure has no way on from there otherwise.
pub fn lamport(n: u32) -> String {
    let starts: Vec<_> = (1..=n).map(|i| format!("lamport({i})")).collect();
    format!(
        "const N = {n};
shared 0..N x, y;
process lamport(1..N i) {{
    0..N rx, ry;
    while (true) {{
        x = i;
        ry = y;
        if (ry == 0) {{
            y = i;
            rx = x;
            if (rx == i) {{
              critical:
                skip;
                y = 0;
            }} else {{
                ry = y;
                assume(ry != i);
            }}
        }}
    }}
}}
start {};
at most 1 at critical;
",
        starts.join(", ")
    )
}

/// Figure 8: Dekker's core with a diamond of `n` branches between the store and the load.
pub fn diamond(n: u32) -> String {
    let mut out = format!("const N = {n};\nshared bool x, y;\nshared 0..N a, b;\n");
    for (name, own, other, cell) in [("t1", "x", "y", "a"), ("t2", "y", "x", "b")] {
        let _ = write!(
            out,
            "thread {name} {{\n    0..N r;\n    bool seen;\n    {own} = true;\n    r = {cell};\n"
        );
        for i in 0..n {
            let word = if i == 0 { "    choose" } else { "    or" };
            let next = if i == 0 { 1 } else { (i + 1) % n };
            let _ = writeln!(out, "{word} {{ assume(r == {i}); {cell} = {next}; }}");
        }
        let _ = write!(out, "    seen = {other};\n    assume(!seen);\n  goal:\n    skip;\n}}\n");
    }
    out + "forbid t1 at goal and t2 at goal;\n"
}

/// Figure 9: stores in a loop of length `n` that has to be gone through twice.
pub fn long_loop(n: u32) -> String {
    format!(
        "const N = {n};
shared 0..N x;
shared bool y;
thread t1 {{
    0..N r;
    bool seen;
    while (true) {{
        if (r < N) {{
            x = r;
            r = r + 1;
        }} else {{
            choose {{
                r = 0;
            }} or {{
                seen = y;
                assume(!seen);
              goal:
                skip;
                return;
            }}
        }}
    }}
}}
thread t2 {{
    0..N r;
    y = true;
    r = x;
    assume(r == 1);
    r = x;
    assume(r == 0);
  goal:
    skip;
}}
forbid t1 at goal and t2 at goal;
"
    )
}

/// A thread in Trencher's language, of transitions as in `q0 q1 write 1 0`.
fn automaton(name: &str, last: &str, transitions: &[String]) -> String {
    let lines: Vec<_> = transitions.iter().map(|t| format!("transition {t}\n")).collect();
    format!("thread {name}\ninitial q0\nfinal {last}\n{}end\n", lines.concat())
}

/// [`lamport`] with `x` at address 0 and `y` at address 1.
pub fn lamport_automata(n: u32) -> String {
    let thread = |i: u32| {
        let transitions = [
            format!("q0 q1 write {i} 0"),
            "q1 q2 read ry 1".to_string(),
            "q2 q0 check != ry 0".to_string(),
            "q2 q3 check == ry 0".to_string(),
            format!("q3 q4 write {i} 1"),
            "q4 q5 read rx 0".to_string(),
            format!("q5 critical check == rx {i}"),
            "critical q0 write 0 1".to_string(),
            format!("q5 q6 check != rx {i}"),
            "q6 q7 read ry 1".to_string(),
            format!("q7 q0 check != ry {i}"),
        ];
        automaton(&format!("t{i}"), "critical", &transitions)
    };
    (1..=n).map(thread).collect()
}

/// [`diamond`] with `x`, `y`, `a` and `b` at addresses 0 to 3.
pub fn diamond_automata(n: u32) -> String {
    let thread = |name, own: u32, other: u32, cell: u32| {
        let mut transitions = vec![format!("q0 q1 write 1 {own}"), format!("q1 q2 read r {cell}")];
        for i in 0..n {
            let next = if i == 0 { 1 } else { (i + 1) % n };
            transitions.push(format!("q2 b{i} check == r {i}"));
            transitions.push(format!("b{i} q3 write {next} {cell}"));
        }
        transitions.push(format!("q3 q4 read seen {other}"));
        transitions.push("q4 goal check == seen 0".to_string());
        automaton(name, "goal", &transitions)
    };
    thread("t1", 0, 1, 2) + &thread("t2", 1, 0, 3)
}

/// [`long_loop`] with `x` and `y` at addresses 0 and 1.
pub fn long_loop_automata(n: u32) -> String {
    let first = [
        format!("q0 q1 check < r {n}"),
        "q1 q2 write r 0".to_string(),
        "q2 q0 local r + r 1".to_string(),
        format!("q0 q3 check == r {n}"),
        "q3 q0 local r 0".to_string(),
        "q3 q4 read seen 1".to_string(),
        "q4 goal check == seen 0".to_string(),
    ];
    let second = [
        "q0 q1 write 1 1".to_string(),
        "q1 q2 read r 0".to_string(),
        "q2 q3 check == r 1".to_string(),
        "q3 q4 read r 0".to_string(),
        "q4 goal check == r 0".to_string(),
    ];
    automaton("t1", "goal", &first) + &automaton("t2", "goal", &second)
}

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

//! Trees print as `.fp` that reads back to the same tree; graphs print as text that parses back
//! to the same graph. On every example and on random programs.

use fencepost_ir::{Sources, cfg, tree};
use fencepost_models::fp;
use fencepost_passes::pipeline::{self, Options, Stage};
use fencepost_samples::random::{Config, program};

fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "fp") {
            texts.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(texts.len() >= 10, "the examples are there");
    let config = Config { statements: 9, threads: 4, storing_loops: true };
    texts.extend((0..400).map(|seed| (format!("seed {seed}"), program(seed, config).to_string())));
    texts.push(("types".into(), TYPES.into()));
    texts
}

const TYPES: &str = "
const N = 3;
shared u64 big = 18446744073709551615, choice = any(0, 9223372036854775806..9223372036854775809);
shared i8 small[2][N] = {{1, -1, any(-3..3)}, {0, 0, 0}};
shared 1..4 from_one, two = any(1, 3..4);
shared integer wide = -5;
shared thread_id handle;
mutex locks[2];
shared integer heap[*];
local 0..2 mine[2];
void nothing() { return; }
u8 sum(u8 a, i32 b) { return a + (u8) b; }
process p(bool flag, 0..N n) {
    u8 a = 255;
    i32 b;
    bool c = a == 3 ? b < 2 : !flag;
    thread_id t = spawn nodrain p(true, 1), u = none;
    a += 1; b++; b = -(b - 1) * ~2 - 3 << 1;
    from_one, small[n % 2][0] = 2, 1;
    if (t != u && (c || b)) { nothing(); } else if (sum(a, b) > 2) handle = t;
    do { mine[1] = any(0..1); if (any) break; continue; } while (mine[0] == 0);
    again:
    choose { goto again; } or { skip; } or { atomic nodrain { big = (u64) b; } }
    lock(locks[1]); unlock(locks[n - 1]);
    while (!cas(small[1][2], 0, -1)) { fence store_store; fence; fence release; fence seq_cst; }
    b = (i32) exchange(small[0][1], 3) + (i32) fetch_xor(small[0][1], 1) + (i32) compare_exchange(small[0][0], 1, 2);
    atomic_begin nodrain; wide@release = wide@acquire + 1; wide@volatile = fetch_add(wide@acq_rel, 1); wide = compare_exchange(wide@acq_rel@relaxed, 0, 1); atomic_end;
    heap[b] = heap[-7] + 1; join(t); assume(b > 0 && a != 2); assert(c);
}
start p(true, 0), q = p[2](false, 3), p[*](true, 1);
forbid p at again and any at again;
at most 2 at again;
final forall (wide == 1 || small[1][2] < 3 && p(true, 0).b == 2 && heap[-7] != 3);
";

/// A tree without what its text does not say: places in the source.
fn printed(tree: &tree::Program) -> String {
    tree.to_string()
}

#[test]
fn trees_print_and_parse_back() {
    for (name, text) in texts() {
        let tree = fp::read(&name, &text).unwrap_or_else(|(_, d)| panic!("{name}: {d:?}"));
        let once = printed(&tree);
        let again = fp::read(&name, &once).unwrap_or_else(|(_, d)| panic!("{name}: {d:?}\n{once}"));
        assert_eq!(printed(&again), once, "{name}");
        // The same program, not just the same text: the graphs differ in places only.
        let graph = |tree| without_places(pipeline::lower(tree));
        assert_eq!(graph(again), graph(tree), "{name}\n{once}");
    }
}

fn without_places(mut program: cfg::Program) -> String {
    program.sources = Sources::default();
    let lines = program.to_string();
    lines.lines().map(|l| l.split(" @ ").next().unwrap_or(l).to_string() + "\n").collect()
}

#[test]
fn graphs_print_and_parse_back() {
    for (name, text) in texts() {
        let tree = fp::read(&name, &text).unwrap_or_else(|(_, d)| panic!("{name}: {d:?}"));
        pipeline::run(tree, Options { threads: Some(2) }, |pass, stage| {
            let Stage::Cfg(program) = stage else { return };
            let text = program.to_string();
            let mut parsed = cfg::parse(&text).unwrap_or_else(|e| panic!("{name} after {pass}: {e}\n{text}"));
            parsed.sources = program.sources.clone();
            assert_eq!(parsed, *program, "{name} after {pass}");
        });
    }
}

#[test]
fn a_broken_graph_text_is_an_error_with_its_line() {
    let error = |text: &str| cfg::parse(text).unwrap_err().to_string();
    assert_eq!(
        error("object x bool (0)\nnonsense"),
        "line 2: cannot read a line that starts with `nonsense`"
    );
    assert_eq!(error("object x u7 (0)"), "line 1: `u7` is not a fixed-width type");
    assert_eq!(error("procedure p void 0 2\n  0 -> 1 store (y 0) 1"), "line 2: no object `y`");
    assert_eq!(error("procedure p void 0 2\n  0 -> 1 assert ("), "line 2: unbalanced `(`");
    assert_eq!(error("procedure p void 0 2\n  0 -> 5 nop"), "line 2: an edge leaves the procedure's nodes");
}

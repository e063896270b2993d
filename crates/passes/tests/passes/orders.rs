//! The pass `orders`: what machines do for each order, seen by what the reference semantics reaches.

use fencepost_ir::Order;
use fencepost_memory::{Machine, Memory, Pso, Sc, Tso, reachable};
use fencepost_models::fp;
use fencepost_passes::pipeline;

/// Whether an assertion can fail under SC, TSO and PSO.
fn fails(text: &str) -> [bool; 3] {
    let tree = fp::read("orders.fp", text).unwrap_or_else(|(_, d)| panic!("{}: {text}", d[0].message));
    let program = pipeline::lower(tree);
    let machine = Machine::new(&program).expect("no templates");
    fn fails(machine: &Machine<'_>, memory: &impl Memory) -> bool {
        !reachable(machine, memory, 100_000).expect("few states").is_safe()
    }
    [fails(&machine, &Sc), fails(&machine, &Tso), fails(&machine, &Pso)]
}

fn store_buffering(store: &str, between: &str) -> [bool; 3] {
    let thread = |name: &str, own: &str, other: &str| {
        format!("thread {name} {{ {own}{store} = 1; {between} seen_{own} = {other}@relaxed; }}\n")
    };
    fails(&format!(
        "shared 0..1 x, y, seen_x = 1, seen_y = 1;\n{}{}final not exists (seen_x == 0 && seen_y == 0);\n",
        thread("a", "x", "y"),
        thread("b", "y", "x")
    ))
}

fn message_passing(flag: &str, between: &str) -> [bool; 3] {
    fails(&format!(
        "shared 0..1 data, ready;\nthread writer {{ data = 1; {between} ready{flag} = 1; }}\n\
         thread reader {{ 0..1 r; r = ready@acquire; if (r == 1) assert(data == 1); }}\n"
    ))
}

#[test]
fn stores() {
    for (order, buffering, passing) in [
        ("", true, true),
        ("@volatile", true, true),
        ("@relaxed", true, true),
        ("@release", true, false),
        ("@seq_cst", false, false),
    ] {
        assert_eq!(store_buffering(order, ""), [false, buffering, buffering], "{order}");
        assert_eq!(message_passing(order, ""), [false, false, passing], "{order}");
    }
}

#[test]
fn thread_fences() {
    for order in Order::ALL {
        let fence = format!("fence {order};");
        let full = order == Order::SeqCst;
        assert_eq!(store_buffering("", &fence), [false, !full, !full], "{order}");
        let ordered = matches!(order, Order::Release | Order::AcqRel | Order::SeqCst);
        assert_eq!(message_passing("", &fence), [false, false, !ordered], "{order}");
    }
}

#[test]
fn graphs_keep_orders() {
    let tree =
        fp::read("kept.fp", "shared int x; thread a { int r = x@acquire; x@seq_cst = r; assert(true); }");
    let text = pipeline::lower(tree.expect("a program")).to_string();
    for words in ["acquire", "seq_cst", "fence full", "fence store-store"] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
}

#[test]
fn graphs_for_the_language_have_its_fences_only() {
    let text = "shared int x; thread a { x@seq_cst = 1; fence acquire; int r = compare_exchange(x@acq_rel@relaxed, 0, 1); fence; }";
    let tree = fp::read("kept.fp", text).expect("a program");
    let text = pipeline::for_language(tree, pipeline::Options::default()).to_string();
    let fences: Vec<&str> = text.lines().filter(|l| l.contains("fence")).collect();
    assert!(
        matches!(fences[..], [first, second] if first.ends_with(" acquire") && !second.ends_with(" seq_cst")),
        "{text}"
    );
    assert!(text.contains(" acq_rel@relaxed"), "{text}");
}

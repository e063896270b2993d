//! Every two features of the modelling language in one small program: one inside the other where the outer one has
//! room for statements, else one after the other. Mistakes sit where two features meet, and random programs
//! rarely bring just those two together.
//!
//! Around the pair is store buffering, so that under TSO and PSO it matters whether the pair empties the buffer.

/// A feature: what it adds to the file and to the thread under test.
///
/// `@` stands for the statements of the other feature, and `#` for a number, so that a feature can meet itself.
#[derive(Clone, Copy, Debug)]
struct Feature {
    name: &'static str,
    /// Declarations.
    items: &'static str,
    /// Statements.
    body: &'static str,
    /// How many threads of the kind there are: `[2]`, `[*]`.
    count: &'static str,
    /// The initial value of `x`.
    init: &'static str,
}

const NOTHING: Feature = Feature { name: "", items: "", body: "", count: "", init: "" };

const fn statement(name: &'static str, body: &'static str) -> Feature {
    Feature { name, body, ..NOTHING }
}

const fn with_items(name: &'static str, items: &'static str, body: &'static str) -> Feature {
    Feature { name, items, body, ..NOTHING }
}

/// What every procedure declares.
const LOCALS: &str = "0..2 r; 0..2 s; 0..2 k; bool b; thread_id c;";

const FEATURES: &[Feature] = &[
    statement("store", "x = 1;"),
    statement("load", "r = y;"),
    statement("assert", "assert(x == 0);"),
    statement("assume", "assume(x == 0);"),
    statement("fence", "fence;"),
    statement("store-store fence", "z = 1; fence store_store; x = 1;"),
    statement("exchange", "r = exchange(x, 1);"),
    statement("cas", "b = cas(x, 0, 1); assert(b);"),
    statement("fault", "r = 1; r = r / z;"),
    statement("out of range", "fetch_add(z, 1);"),
    with_items("array", "shared 0..2 a#[2];", "a#[r] = 1; s = a#[1 - r];"),
    with_items("array without end", "shared integer heap#[*];", "heap#[r - 1] = 1; assert(heap#[0] == 0);"),
    statement("local array", "0..2 v[2]; v[r] = 1; assert(v[1] == 0);"),
    with_items("thread's own", "local 0..2 g#;", "g# = x; @ assert(g# == 0);"),
    statement("lock", "lock(m); @ unlock(m);"),
    statement("lock only", "lock(m);"),
    statement("unlock only", "unlock(m);"),
    statement("atomic", "atomic { x = 1; @ z = 0; }"),
    statement("empty atomic", "atomic { @ }"),
    statement("nodrain atomic", "atomic nodrain { x = 1; @ z = 0; }"),
    statement("atomic begin", "atomic_begin; @ atomic_end;"),
    statement("open atomic", "atomic_begin; x = 1;"),
    statement("atomic end", "atomic_end;"),
    statement("return", "return;"),
    statement("if", "if (x == 0) { @ } else { z = 1; }"),
    statement("choose", "choose { @ } or { z = 1; }"),
    statement("any", "r = any(0..1); if (r == 1) { @ }"),
    statement("counting loop", "while (k < 2) { k++; @ }"),
    statement("spinning loop", "while (x == 0) { @ }"),
    statement("goto", "again#: @ if (x == 0) { goto again#; }"),
    with_items("call", "void call#(0..2 n) { LOCALS z = n; @ }", "call#(1);"),
    with_items("result", "0..2 result#() { LOCALS @ return x; }", "r = result#(); assert(r == 0);"),
    with_items(
        "recursion",
        "void recursion#(0..2 n) { LOCALS if (n > 0) { recursion#(n - 1); @ } }",
        "recursion#(2);",
    ),
    with_items("spawn", "process child#(0..2 n) { LOCALS z = n; @ }", "spawn child#(1);"),
    with_items("spawn of nothing", "process nothing#() { }", "spawn nothing#();"),
    with_items("nodrain spawn", "process late#() { LOCALS @ }", "spawn nodrain late#();"),
    with_items("join", "process joined#() { LOCALS @ }", "c = spawn joined#(); join(c); r = z;"),
    with_items("join late", "process later#() { z = 1; }", "c = spawn later#(); @ join(c);"),
    with_items("join twice", "process twice#() { x = 1; }", "c = spawn twice#(); join(c); join(c);"),
    statement("join of none", "join(c);"),
    with_items("at most", "at most 0 at here#;", "here#: skip;"),
    with_items("forbid", "forbid any at one# and any at other;", "one#: x = 1;"),
    with_items("at most, inside", "at most 1 at within#;", "z = 1; within#: @ skip;"),
    with_items("forall", "final forall (z == 0);", ""),
    with_items("exists", "final exists (x == 1 && y == 1);", ""),
    Feature { name: "two threads", count: "[2]", ..NOTHING },
    Feature { name: "template", count: "[*]", ..NOTHING },
    Feature { name: "any initial value", init: " = any", ..NOTHING },
    Feature { name: "two initial values", init: " = any(0, 2)", ..NOTHING },
    with_items("anything", "shared u32 w# = any;", "assert(w# != 7);"),
];

/// A program and the features that it is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The outer or first feature.
    pub first: &'static str,
    /// The inner or second one.
    pub second: &'static str,
    /// The program.
    pub text: String,
}

/// All pairs, in order. Some are refused by the language, such as a `return` out of an `atomic` block.
pub fn all() -> Vec<Pair> {
    let pairs = FEATURES.iter().flat_map(|first| FEATURES.iter().map(move |second| (first, second)));
    pairs.map(|(first, second)| pair(first, second)).collect()
}

fn pair(first: &Feature, second: &Feature) -> Pair {
    // The inner one has a statement of its own inside.
    let fill = |text: &str, number: &str, inside: &str| {
        text.replace('#', number).replace('@', inside).replace("LOCALS", LOCALS)
    };
    let inner = fill(second.body, "2", "y = 1;");
    let holds = first.items.contains('@') || first.body.contains('@');
    let mut body = fill(first.body, "1", &inner);
    if !holds {
        body = format!("{body} {inner}");
    }
    let items = [fill(first.items, "1", &inner), fill(second.items, "2", "y = 1;")].join("\n");
    let init = if first.init.is_empty() { second.init } else { first.init };
    let count = if first.count.is_empty() { second.count } else { first.count };
    let text = format!(
        "shared 0..2 x{init}; shared 0..2 y; shared 0..1 z; shared bool p; shared bool q; mutex m;
{items}
thread t{count} {{ {LOCALS} y = 1; {body} if (x == 0) {{ p = true; }} }}
thread u {{ x = 1; other: if (y == 0) {{ q = true; }} }}
final not exists (p && q);
"
    );
    Pair { first: first.name, second: second.name, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_two_features_meet_in_both_orders() {
        let all = all();
        assert_eq!(all.len(), FEATURES.len() * FEATURES.len());
        let find = |a: &str, b: &str| &all.iter().find(|p| p.first == a && p.second == b).unwrap().text;
        assert!(find("empty atomic", "spawn of nothing").contains("atomic { spawn nothing2(); }"));
        assert!(find("spawn", "atomic").contains("z = n; atomic { x = 1; y = 1; z = 0; } }"));
        assert!(all.iter().all(|p| !p.text.contains(['@', '#'])));
    }
}

//! No thread accesses what another one has made and only that one can reach.

use crate::names::{Names, pointed};
use fencepost_analysis::escape::kinds::Kept;
use fencepost_analysis::escape::variables::Escape;
use fencepost_analysis::points_to::Object;
use fencepost_c::{Options, read};
use fencepost_ir::cfg::ObjectId;
use fencepost_ir::tree::{LocalId, ProcedureId, VarRef};
use fencepost_memory::{Machine, Sc};
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort::seeds;
use fencepost_task::Action;
use std::collections::HashMap;

/// Runs of each program.
const RUNS: usize = 4;

const BEGINNING: &str = "
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct S { int v; int *p; struct S *next; };
struct S g; int *gp; struct S *head; long number; char bytes[8];
void set(int *at, int v) { *at = v; }
int *same(int *at) { return at; }
void keep(struct S *s, int *at) { s->p = at; }
";

/// A statement of a thread; `@` is its number. Most do not give anything away.
fn statement(rng: &mut Rng) -> &'static str {
    const OWN: [&str; 14] = [
        "p@ = &x@;",
        "p@ = &y@;",
        "set(p@, 1);",
        "set(&x@, 2);",
        "p@ = same(&y@);",
        "p@ = same(p@);",
        "keep(&a@, p@);",
        "a@.p = &x@;",
        "*a@.p = 3;",
        "a@.next = &b@; a@.next->v = 4;",
        "b@.p = p@;",
        "q@ = &p@; *q@ = &y@;",
        "*p@ = 5;",
        "memcpy(&b@, &a@, sizeof a@);",
    ];
    const GIVEN: [&str; 10] = [
        "gp = p@;",
        "head = &b@;",
        "head = &a@;",
        "g.p = &x@;",
        "number = (long)p@;",
        "memcpy(bytes, &p@, 8);",
        "keep(&g, &y@);",
        "p@ = (int *)((long)p@ * 1); gp = p@;",
        "__atomic_exchange_n(&gp, &y@, 5);",
        "head = malloc(sizeof *head); memset(head, 0, sizeof *head); head->p = p@;",
    ];
    const TAKEN: [&str; 8] = [
        "if (gp) *gp = 1;",
        "if (head) head->v = 2;",
        "if (head && head->p) *head->p = 3;",
        "if (head && head->next) head->next->v = 4;",
        "if (g.p) *g.p = 5;",
        "if (number) *(int *)number = 6;",
        "{ int *r; memcpy(&r, bytes, 8); if (r) *r = 7; }",
        "if (arg@) { struct S *s = arg@; s->v = 8; if (s->p) *s->p = 9; }",
    ];
    match rng.below(8) {
        0 | 1 => rng.pick(&GIVEN),
        2..=4 => rng.pick(&TAKEN),
        _ => rng.pick(&OWN),
    }
}

fn program(rng: &mut Rng) -> String {
    let mut body = |count: usize, number: &str| -> String {
        (0..count).map(|_| format!("    {}\n", statement(rng).replace('@', number))).collect()
    };
    let (before, after, other) = (body(5, "0"), body(5, "0"), body(8, "1"));
    let locals = |n: &str| {
        "    struct S a@ = {0}, b@ = {0}; int x@ = 0, y@ = 0; int *p@ = &x@; int **q@ = &p@; a@.p = &y@;\n"
            .replace('@', n)
    };
    let given = rng.pick(&["0", "0", "&g", "&a0", "&b0", "head"]);
    let result = rng.pick(&["0", "0", "&g", "head", "&b1"]);
    format!(
        "{BEGINNING}\nvoid *other(void *arg1) {{\n{}{other}    return {result};\n}}\n\
         int main(void) {{\n{}    void *arg0 = 0; pthread_t t;\n{before}    pthread_create(&t, 0, other, {given});\n\
         {after}    pthread_join(t, &arg0);\n    if (arg0) ((struct S *)arg0)->v = 1;\n    return 0;\n}}\n",
        locals("1"),
        locals("0")
    )
}

/// Runs a program at random, some times; gives the number of accesses to what others made, and of those to what nobody else
/// can reach by either analysis.
fn check(text: &str, rng: &mut Rng) -> [usize; 3] {
    let tree = read(&[("random.c", text)], &Options::default());
    let tree = tree.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{text}"));
    let graph = pipeline::lower(tree.clone());
    let (escape, kept) = (Escape::new(&tree), Kept::new(&graph));
    let mut names = Names::new(&tree, &graph);
    let machine = Machine::new(&graph).expect("there is no template");
    let mut counts = [0; 3];
    for _ in 0..RUNS {
        let mut state = machine.initial(&[]);
        let mut makers: HashMap<u32, u32> = HashMap::new();
        loop {
            let mut steps = Vec::new();
            machine.steps(&Sc, &state, &mut steps);
            if steps.is_empty() {
                break;
            }
            let step = rng.pick(&steps);
            let Action::Edge(id, _) = step.action else { continue };
            let thread = &state.threads[step.thread as usize];
            let edge = machine.edge(thread, id);
            let target = pointed(&edge.instr, thread);
            if machine.apply(&Sc, &mut state, step).is_err() {
                break;
            }
            if let Some(number) = names.made(edge, &state.threads[step.thread as usize]) {
                makers.insert(number, step.thread);
            }
            let Some((number, _)) = target else { continue };
            let known = names.objects(&state, number);
            let heap = state.heap_object(ObjectId(number));
            // Variables of the first thread may be there from the beginning.
            let maker = match heap {
                Some(_) => makers.get(&number).copied(),
                None => known.iter().all(is_local).then_some(0),
            };
            let Some(maker) = maker else { continue };
            let by_others = maker != step.thread;
            let is_reached = known.iter().any(|object| escape.is_reached(*object));
            let is_kept = heap.is_some_and(|object| kept.contains(object.ty));
            assert!(
                !by_others || is_reached && !is_kept,
                "line {}: {known:?} is reached: {is_reached}, kept: {is_kept}\n{text}",
                edge.span.line
            );
            counts[0] += usize::from(by_others);
            counts[1] += usize::from(!is_reached);
            counts[2] += usize::from(is_kept);
        }
    }
    counts
}

fn is_local(object: &Object) -> bool {
    matches!(object, Object::Variable(_, VarRef::Local(_)))
}

/// Which of the variables `x`, `y` and `a` of the first thread others may reach.
#[test]
fn what_is_given_away_is_reached() {
    let cases = [
        ("set(&x, 1); a.p = same(&y); *a.p = 2;", ""),
        ("struct S *s = &a; s->p = &x; s->next = &a; *s->next->p = 1;", ""),
        ("pthread_create(&t, 0, other, &x);", "x"),
        ("a.p = &y; pthread_create(&t, 0, other, &a);", "ya"),
        ("gp = &x;", "x"),
        ("head = &a; a.p = &x;", "xa"),
        ("keep(&g, &y);", "y"),
        ("number = (long)&y; a.v = 1;", "y"),
        ("head = malloc(sizeof *head); head->p = &y;", "y"),
        ("struct S *s = malloc(sizeof *s); s->p = &y;", ""),
        ("if (gp) pthread_exit(&x);", "x"),
        ("number = (long)&x % 64;", "x"),
        ("number = (long)&x == (long)&y;", ""),
        ("int **to = (int **)((long)&gp * 1); *to = &x;", "x"),
        ("int **to = (int **)__VERIFIER_nondet_long(); *to = &x;", "x"),
        ("int **to = &a.p; *to = &x; memcpy(&g, &a, sizeof a);", "x"),
    ];
    for (body, expected) in cases {
        let text = format!(
            "{BEGINNING}long __VERIFIER_nondet_long(void);\nvoid *other(void *arg) {{ set(arg, 1); return 0; }}\n\
             int main(void) {{ int x = 0, y = 0; struct S a = {{0}}; pthread_t t; {body} return x + y + a.v; }}\n"
        );
        let tree = read(&[("case.c", &text)], &Options::default());
        let tree = tree.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{text}"));
        let escape = Escape::new(&tree);
        let main = tree.procedures.iter().position(|p| p.name == "main").expect("there is main");
        let reached = |name: &&str| {
            let local = tree.procedures[main].locals.iter().position(|v| v.name == **name);
            let local = VarRef::Local(LocalId(local.expect("it is a local")));
            escape.is_reached(Object::Variable(Some(ProcedureId(main)), local))
        };
        let found: String = ["x", "y", "a"].into_iter().filter(reached).collect();
        assert_eq!(found, expected, "{body}");
    }
}

/// A thread gives back the address of its own variable.
#[test]
fn what_a_thread_ends_with_is_reached() {
    for (ending, expected) in [("return &z;", true), ("pthread_exit(&z);", true), ("return 0;", false)] {
        let text = format!(
            "{BEGINNING}\nvoid *other(void *arg) {{ int z = 1; set(&z, 2); {ending} }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); void *r; pthread_join(t, &r); return 0; }}\n"
        );
        let tree = read(&[("case.c", &text)], &Options::default());
        let tree = tree.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{text}"));
        let escape = Escape::new(&tree);
        let locals = tree.procedures.iter().enumerate().flat_map(|(p, procedure)| {
            let named = procedure.locals.iter().enumerate().filter(|(_, v)| v.name == "z");
            named.map(move |(i, _)| Object::Variable(Some(ProcedureId(p)), VarRef::Local(LocalId(i))))
        });
        let reached: Vec<bool> = locals.map(|object| escape.is_reached(object)).collect();
        assert_eq!(reached, [expected], "{ending}");
    }
}

#[test]
fn nobody_comes_to_what_is_not_reached() {
    let mut all = [0; 3];
    for seed in 0..seeds(120) {
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        let counts = check(&text, &mut rng);
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    }
    assert!(all.into_iter().all(|count| count as u64 >= seeds(120) / 4), "{all:?}");
}

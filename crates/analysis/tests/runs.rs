//! Nothing that happens in a run may be denied: random C programs with pointers of all kinds run on the reference semantics,
//! and every access through a pointer is to an object and a byte that the analysis knows of.

use fencepost_analysis::points_to::{Object, PointedAccess, PointsTo, each_site};
use fencepost_c::{Options, read};
use fencepost_ir::cfg::{Address, Dest, Instr};
use fencepost_ir::pointer::{self, Target};
use fencepost_ir::{cfg, eval::eval, tree};
use fencepost_memory::{Machine, Sc};
use fencepost_passes::pipeline;
use fencepost_samples::Rng;
use fencepost_samples::effort;
use fencepost_task::Action;
use std::collections::HashMap;

/// Runs of each program.
const RUNS: usize = 3;

/// Types and variables, with their addresses in many places.
const BEGINNING: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
struct N { int a; char c[3]; short h; struct N *next; int v[4]; union { long w; int half[2]; char b[8]; } u;
           struct { int x; char *q; } in[2]; };
struct N g0, g1; int arr[6]; char text[40]; long words[3]; struct N *head; int *ip; char *cp; long num; void *vp;
int **ipp; short *sp; struct N table[3]; struct N **slot; struct N *links[4];
struct N *same(struct N *n) { return n; }
int *inside(struct N *n, int i) { return &n->v[i]; }
void put(void *to, void *what) { *(void **)to = what; }
"#;

fn statement(rng: &mut Rng) -> String {
    let node =
        |rng: &mut Rng| rng.pick(&["&g0", "&g1", "np", "&l0", "same(np)", "&table[k % 3]", "&table[1]"]);
    let pointer = |rng: &mut Rng| rng.pick(&["ip", "lp", "*ipp"]);
    let n = rng.below(4);
    match rng.below(44) {
        0 => format!("ip = &arr[{n}];"),
        1 => format!("{} = &({})->v[{n}];", pointer(rng), node(rng)),
        2 => format!("ip = &({})->a;", node(rng)),
        3 => format!("lp = &({})->u.half[k & 1];", node(rng)),
        4 => format!("{} = {};", pointer(rng), pointer(rng)),
        5 => format!("*{} = {n};", pointer(rng)),
        6 => format!("k = *{};", pointer(rng)),
        7 => format!("np = {};", node(rng)),
        8 => format!("({})->next = {};", node(rng), node(rng)),
        9 => "if (np->next) np = np->next;".to_string(),
        10 => format!("({})->v[k & 3] = {n};", node(rng)),
        11 => "np = malloc(sizeof(struct N)); memset(np, 0, sizeof *np);".to_string(),
        12 => format!("cp = (char *){} + {};", node(rng), n * 9),
        13 => format!("cp = text + {n}; cp++;"),
        14 => format!("*cp = {n};"),
        15 => "k = *cp;".to_string(),
        16 => format!("cp = ({})->c + k % 3;", node(rng)),
        17 => format!("vp = {};", pointer(rng)),
        18 => "ip = vp;".to_string(),
        19 => format!("num = (long){};", pointer(rng)),
        20 => "if (num) lp = (int *)num;".to_string(),
        21 => format!("num = (long)np | 1; np = (struct N *)(num & ~1L); np->a = {n};"),
        22 => format!("*{} = g1;", rng.pick(&["np", "&g0", "&l0"])),
        23 => format!("memcpy({}, &g1, sizeof(struct N));", node(rng)),
        24 => "for (int i = 0; i < 8; i++) ((char *)&head)[i] = ((char *)&np)[i];".to_string(),
        25 => {
            "for (int i = 0; i < 8; i++) { int c = ((char *)&ip)[i]; ((char *)&lp)[i] = c; }".to_string()
        }
        26 => format!("ipp = {};", rng.pick(&["&ip", "&lp"])),
        27 => format!("ip = inside({}, {n});", node(rng)),
        28 => format!("num = (long)ip ^ (long)np; np = (struct N *)(num ^ (long)ip); np->h = {n};"),
        29 => "{ unsigned lo = (unsigned)(long)ip, hi = (unsigned)((unsigned long)ip >> 32); \
               ip = (int *)(((unsigned long)hi << 32) | lo); }"
            .to_string(),
        30 => format!("np->v[0] = 7; ip = np->v; lp = ip + {n}; *lp = 4; lp--;"),
        31 => "ip = np->v; np = (struct N *)((char *)ip - offsetof(struct N, v)); np->a = 3;".to_string(),
        32 => format!("put(&head, {}); head->in[k & 1].x = {n};", node(rng)),
        33 => format!("({})->in[{}].q = &text[{n}]; cp = np->in[1].q; if (!cp) cp = text;", node(rng), n % 2),
        34 => format!("sp = (short *)&words[{}]; sp[k & 3] = 5; num = words[0]; num = 0;", n % 3),
        35 => format!("links[k & 3] = {}; slot = &links[{n}]; if (*slot) np = *slot;", node(rng)),
        36 => format!("words[{}] = (long){}; if (words[k % 3]) ip = (int *)words[k % 3];", n % 3, pointer(rng)),
        37 => "np->u.w = (long)head; if (head) { np->u.b[k & 7] = 1; } np->u.w = 0;".to_string(),
        38 => format!("{} += {n} - 1;", pointer(rng)),
        39 => format!("{}++;", pointer(rng)),
        40 => "slot = realloc(0, 3 * sizeof *slot); slot[1] = np; slot = realloc(slot, 5 * sizeof *slot); np = slot[1];"
            .to_string(),
        41 => format!("{{ struct N inner = *np; lp = &inner.v[{n}]; np->a = *lp; lp = &inner.a; *lp = 2; lp = arr; }}"),
        42 => format!("__atomic_store_n(&head, {}, 5); np = __atomic_load_n(&head, 5); np->a++;", node(rng)),
        _ => format!("{{ struct N *old = np; __atomic_compare_exchange_n(&head, &old, {}, 0, 5, 5); if (old) np = old; }}", node(rng)),
    }
}

fn program(rng: &mut Rng) -> String {
    let mut body =
        |count: usize| -> String { (0..count).map(|_| format!("    {}\n", statement(rng))).collect() };
    let (first, second, third) = (body(14), body(8), body(6));
    format!(
        "{BEGINNING}\nvoid *other(void *arg) {{\n    struct N l0 = {{0}}; struct N *np = arg; int *lp = &l0.a; int k = 1;\n\
         {second}    return np;\n}}\n\
         int main(void) {{\n    struct N l0 = {{0}}; struct N *np = &l0; int *lp = arr; int k = 0; pthread_t t; void *r;\n\
         ip = &arr[2]; cp = text; ipp = &ip; head = &g0;\n{first}\
         pthread_create(&t, 0, other, {});\n    pthread_join(t, &r); np = r;\n    for (int j = 0; j < 2; j++) {{\n{third}    }}\n    return 0;\n}}\n",
        rng.pick(&["&g0", "np", "head", "&table[2]"])
    )
}

/// What the program calls an object.
struct Names<'p> {
    tree: &'p tree::Program,
    graph: &'p cfg::Program,
    /// Sites by their lines, and the lines of allocated objects.
    sites: HashMap<u32, Vec<Object>>,
    lines: HashMap<u32, u32>,
}

impl Names<'_> {
    fn objects(&self, number: u32, heap_name: Option<&str>) -> Vec<Object> {
        let name = match heap_name {
            Some(name) => name,
            None => &self.graph.objects[number as usize].name,
        };
        let is = |v: &tree::Variable| {
            let own: &str = name.rsplit('.').next().unwrap_or(name);
            v.name == name || v.name == own
        };
        let mut found = Vec::new();
        for (i, v) in self.tree.shared.iter().enumerate() {
            if is(v) {
                found.push(Object::Variable(None, tree::VarRef::Shared(tree::SharedId(i))));
            }
        }
        for (p, procedure) in self.tree.procedures.iter().enumerate() {
            for (i, v) in procedure.locals.iter().enumerate() {
                if is(v) {
                    let id = Some(tree::ProcedureId(p));
                    found.push(Object::Variable(id, tree::VarRef::Local(tree::LocalId(i))));
                }
            }
        }
        if let Some(line) = self.lines.get(&number) {
            found.extend(self.sites.get(line).into_iter().flatten());
        }
        found
    }
}

/// Runs a program at random, some times; gives the number of accesses.
fn check(text: &str, rng: &mut Rng) -> usize {
    let tree = read(&[("random.c", text)], &Options::default());
    let tree = tree.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{text}"));
    let graph = pipeline::lower(tree.clone());
    let points_to = PointsTo::new(&tree);
    let mut accesses: HashMap<u32, Vec<PointedAccess>> = HashMap::new();
    for access in points_to.accesses() {
        accesses.entry(access.span.line).or_default().push(access);
    }
    let mut sites: HashMap<u32, Vec<Object>> = HashMap::new();
    for (p, procedure) in tree.procedures.iter().enumerate() {
        each_site(procedure, &mut |n, e, _| {
            sites.entry(e.span.line).or_default().push(Object::Site(tree::ProcedureId(p), n));
        });
    }
    let mut names = Names { tree: &tree, graph: &graph, sites, lines: HashMap::new() };
    let machine = Machine::new(&graph).expect("there is no template");
    let mut count = 0;
    let mut state = machine.initial(&[]);
    let mut runs = 0;
    while runs < RUNS {
        let mut steps = Vec::new();
        machine.steps(&Sc, &state, &mut steps);
        if steps.is_empty() {
            (state, runs) = (machine.initial(&[]), runs + 1);
            continue;
        }
        let step = steps[rng.below(steps.len())];
        let Action::Edge(id, _) = step.action else { continue };
        let thread = &state.threads[step.thread as usize];
        let edge = machine.edge(thread, id);
        let pointer = match &edge.instr {
            Instr::Load(_, Address::Pointed { pointer, .. })
            | Instr::Store(Address::Pointed { pointer, .. }, _)
            | Instr::Rmw(_, Address::Pointed { pointer, .. }, _) => Some(pointer),
            _ => None,
        };
        let target = pointer.and_then(|pointer| eval(pointer, thread).ok()).map(pointer::target);
        // A run ends with its first error.
        if machine.apply(&Sc, &mut state, step).is_err() {
            (state, runs) = (machine.initial(&[]), runs + 1);
            continue;
        }
        if let Some(Target::Object(number, byte)) = target {
            let heap = state.heap_object(cfg::ObjectId(number));
            let heap_name = heap.map(|o| graph.heap_types[o.ty.index()].name.clone());
            let objects = names.objects(number, heap_name.as_deref());
            let line = edge.span.line;
            let known = accesses.get(&line).map_or(&[][..], |known| known);
            let found = known.iter().any(|access| {
                objects.iter().any(|object| points_to.contains(&access.targets, *object, byte))
            });
            assert!(
                found || is_named(&tree, text, line, &objects),
                "line {line}: byte {byte} of {objects:?} ({heap_name:?}), known {known:#?}\n{text}"
            );
            count += 1;
        }
        if let Instr::Allocate { dest: Dest::Reg(dest), .. }
        | Instr::Reallocate { dest: Dest::Reg(dest), .. } = &edge.instr
        {
            let thread = &state.threads[step.thread as usize];
            if let Target::Object(number, _) = pointer::target(thread.registers[thread.slot(*dest)]) {
                names.lines.insert(number, edge.span.line);
            }
        }
    }
    count
}

/// Whether a line of the text names a variable among the objects: it may be kept behind a pointer of our own.
fn is_named(tree: &tree::Program, text: &str, line: u32, objects: &[Object]) -> bool {
    let line = text.lines().nth(line as usize - 1).unwrap_or_default();
    objects.iter().any(|object| match object {
        Object::Variable(procedure, variable) => {
            let procedure = procedure.map(|id| tree.procedure(id));
            tree.variable(procedure, *variable).is_some_and(|v| line.contains(&v.name))
        }
        _ => false,
    })
}

#[test]
fn nothing_that_happens_is_denied() {
    let programs = effort::seeds(40);
    let mut accesses = 0;
    for seed in 0..programs {
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        accesses += check(&text, &mut rng);
    }
    assert!(accesses as u64 > programs * 20, "{accesses} accesses");
}

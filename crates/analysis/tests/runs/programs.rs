//! Random C programs with pointers of all kinds.

use fencepost_samples::Rng;

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
    match rng.below(46) {
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
        43 => "{ struct N *q = &g0; *(unsigned *)((char *)&q + 4) = *(unsigned *)((char *)&head + 4); \
               if (head) q->a = 1; }"
            .to_string(),
        44 => format!(
            "{{ union {{ struct N *p; unsigned half[2]; }} both = {{0}}; both.half[1] = (unsigned)((unsigned long){} >> 32); \
             both.p->a = 2; }}",
            rng.pick(&["&g0", "np"])
        ),
        _ => format!("{{ struct N *old = np; __atomic_compare_exchange_n(&head, &old, {}, 0, 5, 5); if (old) np = old; }}", node(rng)),
    }
}

/// A program.
pub fn program(rng: &mut Rng) -> String {
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

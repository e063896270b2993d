//! Random C programs in which two threads access shared memory through pointers: to variables, elements, members and
//! allocated nodes, which are stored, loaded, compared and freed, too.

use crate::Rng;

/// A program but for what it asserts at its end of `out0` and `out1`.
pub struct CPointers {
    threads: [String; 2],
}

const BEGINNING: &str = "
    typedef unsigned long pthread_t;
    typedef unsigned long size_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void *malloc(size_t);
    void free(void *);
    void __assert_fail(const char *, const char *, unsigned int, const char *);
    struct node { int value; struct node *next; short small[2]; };
    int x, y, array[3];
    struct node nodes[2];
    int *p = &x, *q = &y;
    struct node *list = &nodes[0], *spare;
    int out0, out1;
    static void set(int *where, int what) { *where = what; }
    static int get(int *where) { int *copy = where; return *copy; }
";

/// What can be stored to and loaded from several cells, each in several ways.
const CELLS: [(&[&str], &[&str]); 7] = [
    (
        &["x = 1;", "*p = 1;", "set(&x, 4);", "set(p, 5);"],
        &["r += x;", "r += *p;", "r += get(&x);", "r += get(p);"],
    ),
    (&["y = 2;", "*q = 3;", "set(q, r + 1);", "*(q + 0) = 6;"], &["r += y;", "r += *q;", "r += get(q);"]),
    (&["p = &y;", "p = q;", "p = &array[r & 1];"], &["r += p == &y;", "r += *p;", "if (p != q) r++;"]),
    (
        &["list->value = 6;", "nodes[0].value = 7;", "nodes[r & 1].value = 8;", "set(&list->value, 9);"],
        &["r += list->value;", "r += nodes[0].value;", "r += nodes[r & 1].value;"],
    ),
    (
        &["list = &nodes[1];", "list->next = &nodes[1];", "list->next = list;", "nodes[r & 1].next = list;"],
        &["r += list->next == &nodes[1];", "if (list->next) r += list->next->value;", "r += list == nodes;"],
    ),
    (
        &["spare->value = 1;", "set(&spare->value, 2);", "spare->small[r & 1] = 3;", "spare->next = list;"],
        &["r += spare->value;", "r += spare->small[0];", "if (spare->next) r += spare->next->value;"],
    ),
    (
        &["nodes[1].small[r & 1] = 1;", "*(int *)nodes[1].small = 0x20002;", "nodes[1].small[0] = 3;"],
        &["r += nodes[1].small[0];", "r += *(int *)nodes[1].small;", "r += nodes[1].small[r & 1];"],
    ),
];

const OTHERS: [&str; 8] = [
    "__sync_synchronize();",
    "__sync_fetch_and_add(p, 1);",
    "local = &other;",
    "mine = r; *local += 1; r += mine;",
    "free(spare);",
    "{ int inner = 1; int *in = &inner; set(in, r + 2); r += get(in); }",
    "{ struct node *n = malloc(sizeof *n); n->value = 8; n->next = 0; list = n; }",
    "{ struct node *n = malloc(sizeof *n); n->value = 9; n->next = list; list = n; r += n->value; }",
];

impl CPointers {
    /// Each thread stores to a cell that the other one loads from, and does up to three things more.
    pub fn new(seed: u64) -> CPointers {
        let mut rng = Rng::new(seed);
        let (first, second) = (rng.pick(&CELLS), rng.pick(&CELLS));
        let mut thread = |stores: &[&'static str], loads: &[&'static str]| {
            let mut body = vec![rng.pick(stores), rng.pick(loads)];
            for _ in 0..rng.below(4) {
                let (stores, loads) = rng.pick(&CELLS);
                let kind = match rng.below(5) {
                    0 => stores,
                    1 | 2 => loads,
                    _ => &OTHERS,
                };
                let at = rng.below(body.len() + 1);
                body.insert(at, rng.pick(kind));
            }
            body.join(" ")
        };
        CPointers { threads: [thread(first.0, second.1), thread(second.0, first.1)] }
    }

    /// The program, in which both values together are an error.
    pub fn source(&self, out0: i64, out1: i64) -> String {
        let [a, b] = &self.threads;
        let begin = "int r = 0, mine = 0, other = 0, *local = &mine;";
        format!(
            "{BEGINNING}
    void *t0(void *arg) {{ {begin} {a} out0 = r; return 0; }}
    void *t1(void *arg) {{ {begin} {b} out1 = r; return 0; }}
    int main(void) {{
        pthread_t a, b;
        spare = malloc(sizeof *spare);
        spare->value = 0; spare->next = 0; spare->small[0] = 0; spare->small[1] = 0;
        pthread_create(&a, 0, t0, 0);
        pthread_create(&b, 0, t1, 0);
        pthread_join(a, 0);
        pthread_join(b, 0);
        if (out0 == {out0} && out1 == {out1}) __assert_fail(\"\", \"\", 0, \"\");
        return 0;
    }}
"
        )
    }
}

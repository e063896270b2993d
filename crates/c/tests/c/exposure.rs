//! Which programs turn addresses of allocated objects into integers, so that their numbers must stay what they are.

use fencepost_c::{Options, read};
use fencepost_passes::pipeline;

const BEGINNING: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void *malloc(unsigned long);
    struct node { int v; struct node *next; void *any; };
    struct node *head, first;
    void *table[4], **slot;
    long number;
";

/// A program whose second thread is started with `arg` and does `body`; main has `after` at its end.
fn exposes(functions: &str, arg: &str, body: &str, after: &str) -> bool {
    let text = format!(
        "{BEGINNING}{functions}
         void *second(void *arg) {{ {body} return 0; }}
         int main(void) {{
             pthread_t t;
             void *result = 0;
             struct node *n = malloc(sizeof *n);
             pthread_create(&t, 0, second, {arg});
             pthread_join(t, &result);
             {after}
             return 0;
         }}"
    );
    let tree = read(&[("exposure.i", &text)], &Options::default());
    let mut tree = tree.unwrap_or_else(|(_, diagnostics)| panic!("{diagnostics:?}\n{text}"));
    pipeline::on_tree(&mut tree, pipeline::Options::default());
    tree.exposes_pointers
}

#[test]
fn numbers_that_were_carried_as_pointers_are_no_addresses() {
    assert!(!exposes("", "(void *)7L", "number = (long)arg;", ""));
    assert!(!exposes("", "(void *)(number + 1)", "int i = (int)(long)arg; number = i;", "head = n;"));
    assert!(!exposes("", "&first", "number = (long)arg;", "head = n;"), "variables keep their numbers");
    assert!(!exposes("", "0", "return (void *)number;", "number = (long)result;"));
    assert!(!exposes("long f(void *p) { return (long)p; }", "0", "number = f((void *)3);", "head = n;"));
    assert!(!exposes("", "n", "struct node *m = arg; m->v = 1;", ""), "nothing is cast");
    assert!(!exposes("", "n", "struct node *m = arg; number = m == head;", ""));
    assert!(!exposes("", "n", "struct node *m = arg; number = &m->v - (int *)m;", ""), "a distance");
}

#[test]
fn addresses_are_followed() {
    assert!(exposes("", "n", "number = (long)arg;", ""), "an argument of a thread");
    assert!(exposes("", "0", "number = (long)head;", "head = n;"), "a variable");
    assert!(exposes("", "0", "number = (long)head->next;", "n->next = n; head = n;"), "a member");
    assert!(exposes("", "0", "number = (long)table[number & 3];", "table[1] = n;"), "an element");
    assert!(
        exposes("", "0", "slot = &table[0]; number = (long)*slot;", "table[1] = n;"),
        "through a pointer"
    );
    assert!(exposes("", "0", "number = (long)table[0];", "slot = &table[1]; *slot = n;"), "and back");
    assert!(
        exposes("", "&number", "struct node *m = malloc(8); return m;", "number = (long)result;"),
        "a result"
    );
    assert!(exposes("long f(void *p) { return (long)p; }", "n", "number = f(arg);", ""), "a call");
    assert!(exposes("void *f(void *p) { return p; }", "n", "number = (long)f(arg);", ""), "its result");
    assert!(exposes("", "0", "int local; number = (long)&local;", ""), "a local variable's");
    assert!(exposes("", "0", "number = (long)(number ? &first : head);", "head = n;"), "a choice");
    assert!(exposes("", "n", "struct node *m = arg; number = (unsigned long)(m + 1) & 15;", ""), "moved");
    assert!(
        exposes("", "0", "number = (long)__atomic_load_n(&head, 5);", "__atomic_store_n(&head, n, 5);"),
        "atomic accesses"
    );
    assert!(
        exposes("", "0", "number = (long)__sync_val_compare_and_swap(&head, 0, 0);", "head = n;"),
        "read-modify-writes"
    );
    assert!(
        exposes("", "0", "number = (long)head;", "__sync_bool_compare_and_swap(&head, 0, n);"),
        "what they write"
    );
}

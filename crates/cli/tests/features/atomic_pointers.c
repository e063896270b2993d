#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
struct node { int v; struct node *next; }; static _Atomic(struct node *) top; static struct node *_Atomic top2; static struct node n[3] = {{1}, {2}, {3}}; static int arr[4] = {1, 2, 3, 4}; static _Atomic(int *) ap = arr; static atomic_uintptr_t up; struct link { int v; _Atomic(struct link *) next; };
static void push(struct node *x) { struct node *old = atomic_load(&top); do x->next = old; while (!atomic_compare_exchange_weak(&top, &old, x)); } static struct node *pop(void) { struct node *old = atomic_load(&top); while (old && !atomic_compare_exchange_weak(&top, &old, old->next)) ; return old; }
void test(void) { out(top == NULL); push(&n[0]); push(&n[1]); push(&n[2]);
    out(pop()->v);
    out(pop()->v);
    out(atomic_load(&top)->v);
    out(top->v);
    out(pop() == &n[0]);
    out(pop() == NULL); top2 = &n[1];
    out(top2->v);
    out(atomic_exchange(&top2, &n[2]) == &n[1]);
    out(top2->v);
    out(*ap);
    out(*ap++);
    out(*ap); ap += 2;
    out(*ap);
    out(*--ap); atomic_store(&up, (uintptr_t)&n[0]);
    out(((struct node *)atomic_load(&up))->v); struct link a = {1}, b = {2}; atomic_init(&a.next, &b); atomic_store_explicit(&b.next, NULL, memory_order_relaxed);
    out(a.next->v);
    out(atomic_load(&a.next)->next == NULL); struct link *nul = NULL;
    out(atomic_compare_exchange_strong(&b.next, &nul, &a));
    out(b.next->v);
    out(atomic_compare_exchange_strong(&b.next, &nul, &b));
    out(nul == &a); }

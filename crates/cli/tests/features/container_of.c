#include <stddef.h>
#define container_of(p, t, m) ((t *)((char *)(p) - offsetof(t, m)))
#define container_of2(ptr, type, member) ({ const __typeof__(((type *)0)->member) *mptr = (ptr); (type *)((char *)mptr - offsetof(type, member)); })
struct list { struct list *next, *prev; }; struct item { int v; struct list l; int w; };
static struct list head = {&head, &head};
static void add(struct list *n) { n->next = head.next; n->prev = &head; head.next->prev = n; head.next = n; }
static void del(struct list *n) { n->prev->next = n->next; n->next->prev = n->prev; }
void test(void)
{
    struct item a = {1}, b = {.v = 2}, c = {.v = 3, .w = 9}; add(&a.l); add(&b.l); add(&c.l);
    for (struct list *p = head.next; p != &head; p = p->next) out(container_of(p, struct item, l)->v);
    del(&b.l); for (struct list *p = head.prev; p != &head; p = p->prev) out(container_of2(p, struct item, l)->v);
    out(container_of(&c.w, struct item, w) == &c); out(container_of(head.next, struct item, l)->w);
}

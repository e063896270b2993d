#include <stdlib.h>
struct node { int value; struct node *next; };
struct pair { long a; char b; };
static void *checked(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
static void *zeroed(size_t count, size_t size) { return calloc(count, size); }
static void *outer(size_t n) { return checked(n); }
void test(void)
{
    struct node *n = checked(sizeof *n); n->value = 3; n->next = 0; out(n->value);
    struct pair *p = outer(sizeof(struct pair)); p->a = 5; p->b = 'c'; out(p->a + p->b);
    int *v = checked(4 * sizeof(int)); v[3] = 9; out(v[3]);
    struct node *z = zeroed(2, sizeof(struct node)); out(z[1].value); out(z[1].next == 0);
    void *raw = malloc(sizeof(long) * 2); ((long *)raw)[1] = 7; out(((long *)raw)[1]);
    long *again = raw; out(again[1]);
    free(n); free(p); free(v); free(z); free(raw);
}

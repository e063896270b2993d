#include <stdlib.h>
struct fl { int n; int data[]; }; struct fz { char k; struct { int a, b; } it[]; };
static struct fl *mk(int n) { struct fl *f = malloc(sizeof *f + n * sizeof f->data[0]); if (!f) abort(); f->n = n; for (int i = 0; i < n; i++) f->data[i] = i * i; return f; }
void test(void) { struct fl *f = mk(4);
    out(f->n);
    out(f->data[3]); f->data[0]--;
    out(f->data[0]);
    out(sizeof(struct fl)); int s = 0; for (int *p = f->data; p < f->data + f->n; p++) s += *p;
    out(s); free(f); struct fz *z = malloc(sizeof(struct fz) + 2 * sizeof(z->it[0])); z->k = 3; z->it[1].b = 9; z->it[0].a = 4;
    out(z->it[1].b + z->it[0].a + z->k);
    out(sizeof *z); free(z); }

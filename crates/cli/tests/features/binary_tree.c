#include <stdlib.h>
typedef struct tree { int k; struct tree *l, *r; } tree; static int freed;
static tree *ins(tree *t, int k) { if (!t) { t = calloc(1, sizeof *t); t->k = k; return t; } if (k < t->k) t->l = ins(t->l, k); else if (k > t->k) t->r = ins(t->r, k); return t; } static int depth(tree *t) { if (!t) return 0; int a = depth(t->l), b = depth(t->r); return 1 + (a > b ? a : b); } static long sum(const tree *t) { return t ? t->k + sum(t->l) + sum(t->r) : 0; } static void walk(tree *t, void (*f)(int)) { if (t) { walk(t->l, f); f(t->k); walk(t->r, f); } } static void drop(tree *t) { if (t) { drop(t->l); drop(t->r); free(t); freed++; } } static int seq; static void note(int k) { seq = seq * 10 + k; }
void test(void) { tree *t = 0; static const int ks[] = {5, 2, 8, 1, 3, 9, 5}; for (unsigned i = 0; i < sizeof ks / sizeof *ks; i++) t = ins(t, ks[i]);
    out(depth(t));
    out(sum(t)); walk(t, note);
    out(seq);
    out(t->l->r->k); drop(t);
    out(freed); }

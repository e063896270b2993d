struct b; struct a { struct b *b; int v; }; struct b { struct a *a; int w; }; struct self { struct self *me; struct self **pp; int n; struct { struct self *in; } s; int (*f)(struct self *); }; typedef struct opaque opaque; static opaque *mk(void); static int rd(opaque *); struct opaque { int secret; }; static opaque the = {42}; static opaque *mk(void) { return &the; } static int rd(opaque *o) { return o->secret; } static int fself(struct self *s) { return s->n * 2; } static struct self cyc1, cyc2 = {&cyc1}, cyc1 = {&cyc2, .n = 4};
void test(void) { struct a a = {.v = 1}; struct b b = {&a, 2}; a.b = &b;
    out(a.b->w);
    out(b.a->b->a->v); struct self s = {.n = 3, .f = fself}; s.me = &s; s.pp = &s.me; s.s.in = s.me;
    out(s.me->me->me->n);
    out((*s.pp)->n);
    out(s.s.in->s.in->n);
    out(s.f(&s));
    out(s.me->f(s.me));
    out(rd(mk()));
    out(cyc2.me->n);
    out(cyc1.me->me->n); struct { int a; struct { int b; } c; } anon = {1, {2}}, other; other = anon;
    out(other.c.b); struct local; struct local { int q; } l = {5};
    out(l.q); }

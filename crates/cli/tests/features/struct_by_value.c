struct v { int x; long y; char c[3]; }; struct w { struct v a; struct v b; };
static struct v make(int x) { struct v r = {x, x * 10L, {1, 2, 3}}; return r; }
static struct v add(struct v a, struct v b) { a.x += b.x; a.y += b.y; a.c[1] += b.c[1]; return a; }
static struct w pair(struct v a, struct v b) { struct w w; w.a = a; w.b = b; return w; }
static int mutate(struct v a) { a.x = 999; a.c[0] = 9; return a.x + a.c[0]; }
static struct v pick(int k, struct v a, struct v b) { return k ? a : b; }
void test(void)
{
    struct v a = make(3), b = make(4), c; c = add(a, b);
    out(c.x);
    out(c.y);
    out(c.c[1]);
    out(a.x);
    out(mutate(a));
    out(a.x);
    out(a.c[0]);
    out(make(7).x);
    out(make(7).c[2]);
    out(add(make(1), make(2)).y); struct w w = pair(a, make(9));
    out(w.b.x);
    out(pair(b, a).a.x); w.a = w.b;
    out(w.a.y);
    c = b = a;
    out(c.x); a.x = 1;
    out(b.x);
    out(pick(1, a, b).x);
    out(pick(0, a, make(6)).x);
    out((a.x ? b : c).y);
    out((c = make(12), c).x); struct v arr[2]; arr[0] = make(5); arr[1] = arr[0]; arr[1].c[0] = 8;
    out(arr[0].c[0]);
    out(arr[1].c[0]); struct v *p = &arr[1]; *p = add(*p, arr[0]);
    out(p->x); make(3); (void)make(3);
    out((make(8), 1));
}

struct in { int a, b; }; struct s { int x; struct in i; int arr[4]; struct in m[2]; union { int u; char c; }; };
static struct s g = {.arr = {[2] = 5, 6}, .x = 1, .i.b = 3, .m[1] = {.b = 9}, .m[0].a = 4};
static int r[10] = {[2 ... 5] = 7, [4] = 1, [8] = 3, 4}; static int o[] = {[5] = 1, [1] = 2, 3, 4}; static int m[3][3] = {[1][1] = 5, [2] = {1, 2}, [0][2] = 8};
static struct in t[] = {[3].b = 2, [1] = {1, 2}}; enum { A, B, C }; static const int byname[] = {[C] = 30, [A] = 10, [B] = 20};
static struct s ov = {.x = 1, .x = 2, .i = {1, 2}, .i.a = 5};
void test(void)
{
    out(g.x);
    out(g.i.a);
    out(g.i.b); for (int i = 0; i < 4; i++) out(g.arr[i]);
    out(g.m[0].a);
    out(g.m[1].b);
    out(g.u); for (int i = 0; i < 10; i++) out(r[i]);
    out(sizeof o / sizeof *o); for (int i = 0; i < 6; i++) out(o[i]); for (int i = 0; i < 9; i++) out(m[i / 3][i % 3]);
    out(sizeof t / sizeof *t);
    out(t[3].b);
    out(t[1].a);
    out(t[2].a);
    out(byname[B]);
    out(ov.x);
    out(ov.i.a);
    out(ov.i.b);
    int k = 3; struct s l = {k, .arr[1] = k + 1, k + 2, .u = k * 2};
    out(l.x);
    out(l.arr[0]);
    out(l.arr[1]);
    out(l.arr[2]);
    out(l.u);
    out(l.i.b); struct s c = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    out(c.i.a);
    out(c.arr[3]);
    out(c.m[0].b);
    out(c.m[1].a); struct in old = {a: 3, b: 4};
    out(old.a * old.b); struct { int q[2][2]; } n = {.q[1] = {1}, .q[0][1] = 5};
    out(n.q[1][0] * 10 + n.q[0][1]);
}

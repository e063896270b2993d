struct v { int x, y; }; struct w { struct v a, b; int t; }; static struct v mk(int x) { return (struct v){x, x + 1}; } static struct w pair(struct v a, struct v b) { return (struct w){a, b, 5}; }
void test(void) { struct v a = {1, 2}; struct w w = {a, mk(7)};
    out(w.b.y);
    out(w.a.y);
    out(w.t);
    out(pair(a, mk(3)).b.x); struct v arr[3] = {a, {4, 5}, mk(9)};
    out(arr[0].y);
    out(arr[2].y); struct w d = {.b = a, .a = mk(2)};
    out(d.b.x * 10 + d.a.x); struct w e = {.b = mk(5), 6};
    out(e.b.x + e.t); struct w *p = &w; struct w f = *p;
    out(f.b.x); struct w g = {p->b, p->a, .t = 3};
    out(g.a.x + g.t); struct v c[2][2] = {{a, a}, {mk(1), mk(2)}};
    out(c[1][1].x); }

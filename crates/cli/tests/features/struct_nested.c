struct p { int x, y; }; struct line { struct p a, b; }; struct shape { struct line l[2]; int n; struct { struct p c; int r; } circ; };
static struct shape g = {{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, 2, {{9, 10}, 11}};
static int sum(const struct shape *s) { int t = 0; for (int i = 0; i < s->n; i++) t += s->l[i].a.x + s->l[i].a.y + s->l[i].b.x + s->l[i].b.y; return t + s->circ.r * s->circ.c.x; }
void test(void)
{
    out(sum(&g)); g.l[1].b.y = 100;
    out(sum(&g)); struct shape h = g; h.l[0].a.x = 50;
    out(sum(&h));
    out(sum(&g));
    struct p *q = &h.l[1].a; q->x += 3; q[1].y++;
    out(h.l[1].a.x);
    out(h.l[1].b.y); struct line *l = h.l; l++;
    out(l->b.y);
    out(l - h.l); h.l[0] = h.l[1];
    out(h.l[0].a.x); h.circ.c = h.l[0].b;
    out(h.circ.c.y);
    struct shape arr[2]; arr[0] = g; arr[1] = h;
    out(sum(&arr[0]) - sum(arr + 1)); arr[0].circ = arr[1].circ;
    out(arr[0].circ.r); int *ip = &arr[1].circ.c.x; *ip = 5;
    out(arr[1].circ.c.x); (&arr[1])->circ.c.y = 6;
    out((*(arr + 1)).circ.c.y);
}

struct s { int k; char n[4]; struct { int a, b; } in[2]; };
static struct s t[3] = {{1, "ab", {{1, 2}, {3, 4}}}, {.k = 2, .in[1].b = 7}, {3}};
static struct s *find(int k) { for (struct s *p = t; p < t + sizeof t / sizeof *t; p++) if (p->k == k) return p; return 0; }
void test(void)
{
    out(t[0].n[1]);
    out(t[0].n[2]);
    out(t[1].in[1].b);
    out(t[2].k);
    out(find(2) - t);
    out(find(9) == 0); find(3)->in[0].a = 5;
    out(t[2].in->a); struct s *p = t; p++->k = 10;
    out(t[0].k);
    out(p->k); (++p)->k += 4;
    out(t[2].k);
    out((p - 1)->k);
    out(p[-2].in[1].a); struct s tmp = t[0]; t[0] = t[2]; t[2] = tmp;
    out(t[0].k);
    out(t[2].k); int total = 0; for (int i = 2; i >= 0; --i) total = total * 10 + t[i].k;
    out(total);
    out(sizeof t[0].in / sizeof t[0].in[0]);
    out((char *)&t[1] - (char *)&t[0] == sizeof(struct s));
}

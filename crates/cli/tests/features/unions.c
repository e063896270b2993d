union u { int i; unsigned char c; long l; }; struct tagged { enum { INT, PTR, STR } tag; union { int i; int *p; const char *s; } u; }; struct an { int t; union { int a; long b; }; };
static int get(const struct tagged *t) { switch (t->tag) { case INT: return t->u.i; case PTR: return *t->u.p; case STR: return t->u.s[0]; } return -1; } union q { struct { int a, b; } s; int arr[2]; };
void test(void) { union u a; a.i = 5;
    out(a.i); a.i++;
    out(a.i); union u b; b.l = 1l << 40;
    out(b.l); union u c = {7};
    out(c.i); union u d = {.c = 200};
    out(d.c); int x = 33; struct tagged t[] = {{INT, {.i = 4}}, {PTR, {.p = &x}}, {STR, {.s = "z"}}}; for (int i = 0; i < 3; i++) out(get(&t[i])); struct an n = {.t = 1, .b = 9};
    out(n.b); struct an m; m.a = 3;
    out(m.a);
    out(sizeof(union u)); union u *p = &a; p->i = 12;
    out(a.i); union { int z; } an; an.z = 1;
    out(an.z); union q qq; qq.s.a = 1; qq.s.b = 2;
    out(qq.s.a + qq.s.b); }

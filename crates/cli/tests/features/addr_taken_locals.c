static void set(int *p, int v) { *p = v; } static int sum(int *a, int n) { return n ? *a + sum(a + 1, n - 1) : 0; } static int *keep; static int esc(void) { int x = 3; keep = &x; *keep = 5; return x; } static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; } struct p { int x, y; }; static void mv(struct p *p) { p->x++; p->y--; } static int rec(int n, int *acc) { int mine = n; if (n) rec(n - 1, &mine); *acc += mine; return mine; }
void test(void) { int x; set(&x, 4);
    out(x); int a[3]; for (int i = 0; i < 3; i++) set(&a[i], i + 1);
    out(sum(a, 3));
    out(esc()); int y = 9; swap(&x, &y);
    out(x * 10 + y); struct p p = {1, 2}; mv(&p);
    out(p.x * 10 + p.y); set(&p.y, 30);
    out(p.y); int acc = 0; rec(4, &acc);
    out(acc); for (int i = 0; i < 3; i++) { int z = i; int *q = &z; *q += 10;
    out(z); } int *pp[2] = {&x, &y}; *pp[0] = *pp[1];
    out(x); int v = 1, *pv = &v; v = 2;
    out(*pv); *pv = 3;
    out(v); v++;
    out(*pv); (*pv)--;
    out(v); char c; char *pc = &c; *pc = 300;
    out(c); long l; *(&l) = -1;
    out(l); int **h = &pv; **h = 8;
    out(v); { int inner = 4; pv = &inner;
    out(*pv); } pv = &v;
    out(*pv); swap(&a[0], &a[2]);
    out(a[0] * 100 + a[1] * 10 + a[2]); }

static int tr; static int t(int k) { tr = tr * 10 + k; return k; } static int add(int a, int b) { return a + b; } static int add3(int a, int b, int c) { return a * 100 + b * 10 + c; } static void vo(int *p) { *p += 1; } static int many(int a, char b, short c, long d, unsigned char e, _Bool f, int *g, long long h) { return a + b + c + d + e + f + *g + h; } static int cnt(void) { static int n; return ++n; }
void test(void) { out(add(add(1, 2), add(3, add(4, 5))));
    out(add3(1, 2, 3)); int x = 0; vo(&x); vo(&x);
    out(x);
    out(many(1, 300, 70000, 1l << 3, 257, 5, &x, -1));
    out(t(1) + 0 * t(1) == 1); if (t(2)) out(tr);
    out(add(cnt(), 0));
    out(add(cnt(), 0) * cnt());
    out(!add(1, -1)); int y = add(x, x) ? add(x, 1) : add(x, 2);
    out(y); for (int i = add(0, 0); i < add(1, 2); i = add(i, 1)) out(i); while (cnt() < 8) ;
    out(cnt()); switch (add(1, 1)) { case 2: out(2); } int a[3] = {cnt(), 5, 6};
    out(a[0]);
    out(a[add(1, 1)]); a[t(1)] = t(4);
    out(a[1]); return vo(&x); }

static int n; static int f(int v) { n++; return v; } static int x = 5;
void test(void) { out(f(3) ?: f(4));
    out(n);
    out(f(0) ?: f(4));
    out(n); int *p = 0; int *q = p ?: &x;
    out(*q);
    out((0 ?: 0) ?: 7);
    out(f(-1) ?: 1);
    out((p ?: q) == &x);
    out((unsigned char)256 ?: 9); long l = 1l << 40;
    out(l ?: 3); int i = 3;
    out(i++ ?: 100);
    out(i);
    out(-1 ?: 1u); }

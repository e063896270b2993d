int add(a, b) int a, b; { return a + b; } static int chr(c) char c; { return c; } int noargs() { return 5; } static implicit_ret(int x) { return x + 1; } int ptr(p, n) int *p; unsigned char n; { return p[0] + n; } int old(); int mixed(a, f) int (*f)(); int a; { return f(a); }
void test(void) { out(add(1, 2));
    out(chr(65));
    out(noargs());
    out(implicit_ret(3)); int x = 7;
    out(ptr(&x, 2));
    out(old(4));
    out(mixed(3, old)); }
int old(x) int x; { return x * 10; }

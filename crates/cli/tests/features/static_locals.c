static int counter(void) { static int n; return ++n; } static int counter2(void) { static int n = 100; n += 10; return n; } static int *cell(void) { static int c[2] = {5, 6}; return c; }
static int rec(int d) { static int depth, max; depth++; if (depth > max) max = depth; if (d) rec(d - 1); depth--; return max; }
static int two(int w) { if (w) { static int n = 1; return n *= 2; } else { static int n = 3; return n *= 3; } } static int addr; static int *ptr(void) { static int *p = &addr; return p; }
static const char *name(int i) { static const char *const t[] = {"aa", "b"}; return t[i]; }
void test(void)
{
    out(counter());
    out(counter());
    out(counter2());
    out(counter() + counter2()); cell()[1]++;
    out(cell()[1]);
    out(*cell());
    out(rec(4));
    out(rec(2));
    out(two(1));
    out(two(0));
    out(two(1));
    out(two(0)); *ptr() = 9;
    out(addr);
    out(name(0)[1]); for (int i = 0; i < 3; i++) { static int s = 10; int a = 1; s += a++;
    out(s); } static struct { int a, b; } st = {.b = 4}; st.a += st.b;
    out(st.a); static int arr[3];
    out(arr[1]++ + arr[1] * 0);
    out(arr[1]);
}

static int sz(int a[10]) { return sizeof(a) == sizeof(int *); } static int s2(int a[2][3]) { return sizeof(*a); } static int first(const char s[]) { return s[0]; } static int fn(int f(void)) { return f(); } static int five(void) { return 5; } static void inc(int a[const]) { a[0]++; } static int mod(int *a) { a++; return *a; } static int three(int a[restrict static 1]) { return *a; }
void test(void) { int a[10] = {1, 2};
    out(sz(a)); int b[2][3] = {0};
    out(s2(b));
    out(first("q"));
    out(fn(five)); inc(a);
    out(a[0]);
    out(mod(a));
    out(a[0]);
    out(three(a)); }

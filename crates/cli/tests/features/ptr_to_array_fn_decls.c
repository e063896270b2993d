static int arr[2][3] = {{1, 2, 3}, {4, 5, 6}}; static int (*pa(void))[3] { return arr; } static int (*(*pf)(void))[3] = pa; static int f1(int x) { return x + 1; } static int (*(*ret(int k))(int))[1]; static int one[1] = {7}; static int (*inner(int x))[1] { one[0] = x; return &one; } static int (*(*ret(int k))(int))[1] { return k ? inner : 0; } static int *(*fpa[2])(void); static int *gp(void) { return arr[1]; } static int (*nested(int (*g)(int), int x))(int) { return g(x) > 3 ? g : f1; } typedef int (*(*deep)(int (*)(int), int))(int);
void test(void) { out(pa()[1][2]);
    out((*pf())[1]);
    out((*ret(1)(9))[0]); fpa[0] = gp;
    out(fpa[0]()[2]);
    out(*(*fpa[0])());
    out(nested(f1, 5)(6)); deep d = nested;
    out(d(f1, 1)(2)); int *(*p)[3]; int *q[3] = {&one[0], arr[0], arr[1]}; p = &q;
    out(*(*p)[2]);
    out((*p)[1][1]); int (*r)[3] = arr + 1;
    out(r[0][0]);
    out((*(r - 1))[2]);
    out(sizeof *r); int (*(*pp))[3] = &r;
    out((**pp)[1]); char (*ps)[4] = &"abc";
    out((*ps)[2]); }

int a = 1, *b = &a, c[2] = {3, 4}, (*d)(void), e(void); unsigned long int uli = 5; long unsigned luu = 6; int long ll2 = 7; short int si = 8; signed s = -9; unsigned un = 10; long long int lli = 11; const char static cc = 'c'; int volatile const vc = 12; char signed csg = -1; ; extern int xx[2][2]; int xx[2][2] = {{1, 2}, {3, 4}};
int e(void) { return 13; } static void v(void) { return; } static int unused_label(void) { unused: return 1; } int f(void), g(int); int f(void) { return g(1); } int g(int z) { ; ; { } return z; }
#define CAT(x, y) x##y
#define STR(x) #x
#define VA(f, ...) f(__VA_ARGS__)
#if defined(FOO) || __STDC_VERSION__ < 201112L
#error no
#elif 1 + 1 == 2
#define OK 1
#endif
void test(void) { out(*b);
    out(c[1]); d = e;
    out(d());
    out(uli + luu + ll2 + si + s + un + lli);
    out(cc);
    out(vc);
    out(csg);
    out(xx[1][0]); v();
    out(unused_label());
    out(f()); int CAT(fo, o) = 3;
    out(foo);
    out(STR(abc)[1]);
    out(VA(g, 4));
    out(OK);
    out(__LINE__ > 0);
    out(sizeof(__FILE__) > 1); int \
cont = 5; out(cont); out(1 /* c */ + /* // */ 2); // tail
    out(- -3);
    out(!!-1);
    out(~-1);
    out(+-+3);
    out(-1 - -1);
    out((((5))));
    out(3 - 2 - 1);
    out(2 + 3 * 4 % 5 - 6 / 2 << 1 & 0xff ^ 3 | 8);
    out(1 == 1 != 0);
    out(5 & 3 == 3);
    out(1 | 2 ^ 3 & 4);
    out(10 - 4 >> 1);
    out(1 << 2 + 1);
    out(6 & -6);
    out(!1 == 0);
    out(-2 * -3 - -4); int i = 3;
    out(i-- - --i);
    out(c[0] ^ c[1]);
    out(i = 4, i + 1);
    out(*&i);
    out(*&*b);
    out((&c[1])[-1]);
    return; }

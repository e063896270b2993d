struct s { int a; };
#define kind(x) _Generic((x), _Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, unsigned short: 6, int: 7, unsigned: 8, long: 9, unsigned long: 10, long long: 11, unsigned long long: 12, char *: 13, const char *: 14, int *: 15, void *: 16, struct s: 17, struct s *: 18, int (*)(int): 19, default: 99)
static int f(int x) { return x; }
void test(void)
{
    char c = 1; short s = 1; unsigned short us = 1; struct s st = {0}; int arr[2]; const int ci = 1; _Bool b = 1; signed char sc = 0; unsigned char uc = 0;
    out(kind(c));
    out(kind(s));
    out(kind(us));
    out(kind(st));
    out(kind(&st));
    out(kind(arr));
    out(kind(ci));
    out(kind(b));
    out(kind(sc));
    out(kind(uc));
    out(kind(1));
    out(kind(1u));
    out(kind(1l));
    out(kind(1ul));
    out(kind(1ll));
    out(kind(1ull));
    out(kind('a'));
    out(kind("a"));
    out(kind((const char *)"a"));
    out(kind((void *)0));
    out(kind(f));
    out(kind(&f));
    out(kind(c + c));
    out(kind(us + us));
    out(kind(1u + 1));
    out(kind(1l + 1u));
    out(kind(1ll + 1ul));
    out(kind(uc << 1ll));
    out(kind(1 ? 1 : 1ul));
    out(kind(b && b));
    out(kind(!1l));
    out(kind(~us));
    out(kind(+c));
    out(kind(c++));
    out(kind(uc += 1));
    out(kind(sizeof 1));
    out(kind(&arr[1] - arr));
    out(kind((short)1));
    out(kind(&ci));
    out(kind(st.a));
    out(kind(&arr));
    out(_Generic(1, default: 5, int: 6)); int n = 0;
    out(_Generic(n++, int: 3));
    out(n);
    out(_Generic(1, int: f)(8));
    out(kind(1 ? &arr[0] : (void *)0));
    out(kind(1 ? &arr[0] : 0));
    out(kind((1, c)));
    out(kind(-us));
    out(kind(1 < 2ul));
}

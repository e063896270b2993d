#include <limits.h>
void test(void) { int x = 5; if (__builtin_expect(x == 5, 1)) out(1);
    out(__builtin_expect(x, 0));
    out(__builtin_constant_p(3));
    out(__builtin_types_compatible_p(int, int));
    out(__builtin_types_compatible_p(int, long));
    out(__builtin_choose_expr(1, 4, 5)); __builtin_prefetch(&x); if (x == 6) __builtin_unreachable();
    out(__builtin_offsetof(struct { char c; int i; }, i));
    out(INT_MAX);
    out(INT_MIN);
    out(UINT_MAX);
    out(LONG_MAX);
    out(CHAR_MAX);
    out(CHAR_MIN);
    out(SHRT_MIN);
    out(ULONG_MAX == -1ul);
    out(CHAR_BIT);
    out(UCHAR_MAX);
    out(USHRT_MAX);
    out(SCHAR_MIN);
    out(LLONG_MIN); }

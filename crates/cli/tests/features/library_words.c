/* More of strings, characters, and arithmetic that tells of overflow. */
#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int n) { return (n > 0) - (n < 0); }

void test(void)
{
    out(strspn("aabc", "ab"));
    out(strcspn("hello, world", ", "));
    out(strpbrk("hello", "lo")[1]);
    out(strpbrk("hello", "xyz") == 0);
    out(sign(strcasecmp("HeLLo", "hEllO")));
    out(sign(strcasecmp("abc", "ABD")));
    out(sign(strncasecmp("abcX", "ABCY", 3)));
    out(sign(strcoll("a", "b")));
    char text[] = "a,b;c";
    char *rest = text, *token;
    while ((token = strsep(&rest, ",;")))
        out(*token);
    out(*index("xyz", 'y'));
    out(rindex("xyxz", 'x') - "xyxz" == 2 || 1);
    out(atol("-12"));
    out(atoll("123456789012"));
    for (int c = 0; c < 128; c += 7)
        out(!!isxdigit(c) + 2 * !!ispunct(c) + 4 * !!isprint(c) + 8 * !!isblank(c) + 16 * !!iscntrl(c));

    static const unsigned long us[] = { 0, 1, 7, 1ul << 32, 1ul << 63, ULONG_MAX };
    static const long ss[] = { 0, 1, -1, 7, -7, 1l << 32, LONG_MAX, LONG_MIN };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            unsigned long r;
            out(__builtin_add_overflow(us[i], us[j], &r));
            out(r);
            out(__builtin_sub_overflow(us[i], us[j], &r));
            out(r);
            out(__builtin_mul_overflow(us[i], us[j], &r));
            out(r);
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            long r;
            out(__builtin_add_overflow(ss[i], ss[j], &r));
            out(__builtin_sub_overflow(ss[i], ss[j], &r));
            out(__builtin_mul_overflow(ss[i], ss[j], &r));
            out(r);
        }
}

#include <string.h>
struct s { int a; int b[2]; };
void test(void)
{
        int a[4] = {1, 2, 3, 4}, c[4]; memcpy(c, a, sizeof a);
    out(c[3]); memset(c, 0, sizeof c);
    out(c[3]);
    out(memcmp(a, a, sizeof a));
    out(memcmp(a, c, sizeof a) != 0); struct s x = {1, {2, 3}}, y; memcpy(&y, &x, sizeof y);
    out(y.b[1]); memset(&x, 0, sizeof(struct s));
    out(x.a + x.b[1]); memset(a, -1, sizeof a);
    out(a[2]); char z[4]; memset(z, 'q', 4);
    out(z[3]); memmove(c, y.b, sizeof y.b);
    out(c[1]);
    out(memcpy(c, a, sizeof c) == c);
}

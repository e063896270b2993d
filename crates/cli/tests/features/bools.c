#include <stdbool.h>
static bool g; struct s { bool a, b; } st;
static bool neg(bool x) { return !x; }
static _Bool from(int x) { return x; }
void test(void)
{
    bool b = 5; out(b); b = 0x100; out(b); b = -1; out(b); b = 0; out(b);
    b++; out(b); b++; out(b); b--; out(b); b--; out(b);
    b = 2; b += 3;
    out(b); b -= 1;
    out(b); b |= 4;
    out(b); b ^= 1;
    out(b); b = b + b;
    out(b); b = true; b &= 2;
    out(b); b = 1; b <<= 5;
    out(b); b *= 0;
    out(b);
    out(neg(7));
    out(neg(0));
    out(from(256));
    out(from(-0));
    out((_Bool)65536);
    out((unsigned char)256 == (bool)256);
    out(sizeof(bool)); out(true + true); out(!!42); out(!b == true); out(g); g = &g; out(g);
    int *p = 0;
    out((bool)p);
    out(!p); p = (int *)&st;
    out((bool)p); st.a = 3; st.b = st.a;
    out(st.b);
    out(st.a == st.b);
    out((3 > 2) == true);
    out(-(1 == 1));
    out((1 < 2) + (2 < 3));
    out(1 < 2 < 3);
    out(3 > 2 > 1);
    out(!0 << 2); bool arr[3] = {9, 0, 256};
    out(arr[0] + arr[1] * 2 + arr[2] * 4);
}

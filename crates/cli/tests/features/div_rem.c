#include <limits.h>
void test(void)
{
    out(7 / 2); out(-7 / 2); out(7 / -2); out(-7 / -2);
    out(7 % 2); out(-7 % 2); out(7 % -2); out(-7 % -2); out(-6 % 3);
    int a = -13, b = 4; out(a / b); out(a % b); out(a / b * b + a % b); out(b / a); out(b % a);
    unsigned u = -13; out(u / 4); out(u % 4); out(u / b); out(a / 4u);
    long long x = LLONG_MIN;
    out(x / 2);
    out(x % 10);
    out(x / 1);
    out(x / 10);
    out((x + 1) / -1);
    out(x % 3);
    unsigned long long y = ULLONG_MAX;
    out(y / 10);
    out(y % 10);
    out(y / y);
    out((y - 1) / y);
    out(y % 1000);
    signed char c = -128; out(c / -1); c /= -1; out(c); c %= 3; out(c);
    short s = -32768; s /= -1; out(s); s = -7; s %= 4; out(s);
    unsigned char uc = 250; uc /= 7; out(uc); uc %= 8; out(uc);
    out(INT_MIN / 3); out(INT_MIN % 7); out(INT_MAX / -5); out(1 / 2 * 2); out(100 - 100 / 3 * 3);
}

void test(void)
{
    unsigned char a = 255, b = 1;
    out(a + b); out(~a); out(-a); out(!a); out(a << 4); out(~(unsigned char)0 == -1);
    unsigned short us = 65535; out(us + 1 > us); out(us << 1);
    signed char sc = -128; out(-sc); out(sc - 1); out(+sc);
    _Bool t = 1; out(t + t); out(~t); out(-t); out(t << 3);
    out(sizeof(a + b));
    out(sizeof(+sc));
    out(sizeof(-t));
    out(sizeof('a'));
    out(sizeof(us << 1ll));
    out(sizeof(a)); out(sizeof(a++)); out(sizeof(a += 1000ll)); out(a);
    out((a & 0xf0) >> 4); out((a ^ 0xf) == 0xf0);
    unsigned u = 1; out(u - 2 > 0); out((u - 2) / 2); out(a - 256 < 0);
    out((unsigned char)~a == 0);
}

void test(void)
{
    out(1 << 10); out(1u << 31); out(1ll << 40); out(1ul << 63 >> 63);
    out(-8 >> 1); out(-1 >> 31); out(-1ll >> 63); out((unsigned)-8 >> 1); out(-9 >> 2);
    unsigned char uc = 0x81; out(uc << 1); out(uc >> 7); uc <<= 1; out(uc); uc >>= 1; out(uc);
    signed char sc = -128; out(sc >> 3); sc >>= 2; out(sc);
    short s = -32768; s >>= 15; out(s);
    int n = 5; out(1 << n); out(0x80000000u >> n); out(1 << n << 2); out(256 >> n >> 1);
    long l = 1; l <<= 62; out(l); l >>= 60; out(l);
    unsigned u = 0xdeadbeef;
    out(u << 16);
    out(u << 16 >> 16);
    out((unsigned short)(u >> 8));
    out((u << 8) | (u >> 24));
    out(1u << 31ll); out(sizeof(1 << 31ll)); out(0xffu << 24 >> 24);
    unsigned short us = 0xffff; out(us >> 3 << 3); us <<= 9; out(us);
}

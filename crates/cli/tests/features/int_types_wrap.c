#include <stdint.h>
void test(void)
{
    unsigned char uc = 255; uc++; out(uc);
    uc = 0; uc--; out(uc);
    signed char sc = 127; sc = sc + 1; out(sc);
    unsigned short us = 65535; us += 2; out(us);
    short s = -32768; s = s - 1; out(s);
    unsigned u = 0; u--; out(u); out(u == 4294967295u);
    unsigned long ul = 0; ul -= 1; out(ul == 18446744073709551615ul); out((long)ul);
    uint8_t a = 200, b = 100; out(a + b); out((uint8_t)(a + b)); out((int8_t)(a + b));
    uint32_t x = 0x80000000u; out(x * 2); out(x + x - 1);
    uint64_t y = 1ull << 63; out(y * 2); out((y - 1) >> 1);
    int8_t neg = -128; out(-neg); out((int8_t)-neg);
    uc = 300; out(uc);
    sc = 200; out(sc);
    us = -1; out(us);
}

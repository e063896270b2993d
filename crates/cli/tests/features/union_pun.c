#include <stdint.h>
union u { int i; unsigned u; }; union w { uint32_t word; uint8_t bytes[4]; struct { uint16_t lo, hi; }; };
void test(void) { union u a; a.i = -1; out(a.u); a.u = 5; out(a.i); }

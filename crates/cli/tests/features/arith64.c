#include <stdint.h>
static uint64_t xs(uint64_t x) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; return x; } static uint64_t fnv(const char *s) { uint64_t h = 14695981039346656037ull; while (*s) { h ^= (unsigned char)*s++; h *= 1099511628211ull; } return h; } static uint32_t lcg(uint32_t x) { return x * 1664525u + 1013904223u; } static int pop(uint64_t x) { int n = 0; while (x) { x &= x - 1; n++; } return n; } static uint64_t mulhi(uint64_t a, uint64_t b) { uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32; uint64_t m = ah * bl + (al * bl >> 32); uint64_t m2 = al * bh + (uint32_t)m; return ah * bh + (m >> 32) + (m2 >> 32); }
void test(void) { out(xs(0x123456789abcdef));
    out(xs(xs(88172645463325252ull)));
    out(fnv("fencepost"));
    out(lcg(lcg(42)));
    out(pop(0xdeadbeefcafebabeull));
    out(mulhi(0xfedcba9876543210ull, 0x123456789abcdef0ull)); int64_t a = INT64_MIN;
    out(a);
    out(a + 1);
    out((uint64_t)a >> 1);
    out(a >> 62);
    out((int64_t)((uint64_t)a - 1));
    out(INT64_MAX / 3 * 2);
    out((int32_t)INT64_MAX);
    out((uint32_t)INT64_MIN);
    out(0x7fffffffffffffffll % 1000000007);
    out(UINT64_MAX / 3);
    out(UINT64_MAX % 7);
    out((int64_t)(UINT64_MAX - 5));
    out(-1ll * 0x7fffffffffffffffll);
    out(1000000007ll * 998244353ll);
    out((1ll << 40) * (1 << 20));
    out((int)(1ll << 40));
    out((uint64_t)-1 == UINT64_MAX);
    out((1ull << 63) / 10); long l = 1l << 33; int i = l;
    out(i); i = l >> 2;
    out(i); }

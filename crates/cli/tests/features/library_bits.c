void test(void)
{
    volatile unsigned u = 0xf0f0; volatile unsigned long long w = 0x8000000000000001ull; volatile int i = 0x7fffffff;
    out(__builtin_popcount(u)); out(__builtin_popcountll(w)); out(__builtin_parity(7));
    out(__builtin_ctz(u)); out(__builtin_clz(u)); out(__builtin_clzll(w >> 1)); out(__builtin_ffs(0)); out(__builtin_ffs(12));
    out(__builtin_bswap16(0x1234)); out(__builtin_bswap32(0x12345678)); out((long long)__builtin_bswap64(w));
    int r; out(__builtin_add_overflow(i, 1, &r)); out(r); out(__builtin_mul_overflow(3, 4, &r)); out(r);
    unsigned v; out(__builtin_sub_overflow(1u, 2u, &v)); out(v);
    out(__builtin_expect(i > 0, 1));
}

/* Whether results fit, for operands and results of any types. */
#include <limits.h>
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

/* What all functions give is put together to one number. */
#define put(x) (sum = sum * 1000003 + (uint64_t)(x))
#define put_wide(x) (put(x), put((u128)(x) >> 64))
#define all(a, b, type) do { \
    type result = 0; \
    put(__builtin_add_overflow(a, b, &result)); put_wide(result); \
    put(__builtin_sub_overflow(a, b, &result)); put_wide(result); \
    put(__builtin_mul_overflow(a, b, &result)); put_wide(result); \
    put(__builtin_mul_overflow_p(a, b, (type)0)); \
} while (0)

static uint64_t words(uint64_t a, int64_t b)
{
    uint64_t sum = 0;
    all(a, b, int);
    all(b, a, unsigned);
    all(a, a, uint64_t);
    all(b, b, int64_t);
    all(a, b, uint64_t);
    all(b, a, int64_t);
    all(a, a, int64_t);
    all(b, b, uint64_t);
    all(a, b, int8_t);
    return sum;
}

static uint64_t halves(uint32_t a, int b)
{
    uint64_t sum = 0;
    all(a, b, int);
    all(b, a, uint16_t);
    all(a, b, uint64_t);
    all(b, b, uint64_t);
    all(a, (int64_t)b, uint32_t);
    return sum;
}

static uint64_t doubles(u128 a, i128 b)
{
    uint64_t sum = 0;
    all(a, b, i128);
    all(b, a, u128);
    all(a, a, u128);
    all(b, b, i128);
    all(a, (int64_t)b, int);
    all((uint64_t)a, b, uint64_t);
    all((uint64_t)a, (uint64_t)a, i128);
    all((int64_t)b, (uint64_t)a, u128);
    return sum;
}

void test(void)
{
    static const int64_t some[] = { 0, 1, -1, 3000000000, INT64_MAX, INT64_MIN };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            out(words(some[i], some[j]));
    out(halves(5, 7));
    out(halves(UINT_MAX, INT_MIN));
    out(halves(0, -1));
    out(halves(70000, 70000));
    i128 top = (i128)1 << 126;
    out(doubles(3, -5));
    out(doubles(top, top));
    out(doubles((u128)-1, -1));
    out(doubles((u128)1 << 127, -(top - 1 + top) - 1));
    out(doubles((u128)1 << 64, (i128)1 << 63));
    out(doubles((u128)1 << 64, -((i128)1 << 63)));
    int row[2] = { 5, 6 }, *p = row;
    out(__builtin_add_overflow(1L, INT_MAX, p++));
    out(row[0]);
    out(*p);
    int sum;
    out(__builtin_sadd_overflow(INT_MAX, 1, &sum));
    unsigned long product;
    out(__builtin_umull_overflow(ULONG_MAX, 2, &product));
    out(product);
}

/* Whether results fit, for operands and results of any types. */
#include <limits.h>
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

#define wide(x) do { u128 shown = (x); out((long long)(uint64_t)shown); out((long long)(uint64_t)(shown >> 64)); } while (0)
#define all(a, b, type) do { \
    type result = 0; \
    out(__builtin_add_overflow(a, b, &result)); wide(result); \
    out(__builtin_sub_overflow(a, b, &result)); wide(result); \
    out(__builtin_mul_overflow(a, b, &result)); wide(result); \
    out(__builtin_mul_overflow_p(a, b, (type)0)); \
} while (0)

static void words(uint64_t a, int64_t b)
{
    all(a, b, int);
    all(b, a, unsigned);
    all(a, a, uint64_t);
    all(b, b, int64_t);
    all(a, b, uint64_t);
    all(b, a, int64_t);
    all(a, a, int64_t);
    all(b, b, uint64_t);
    all(a, b, int8_t);
}

static void halves(uint32_t a, int b)
{
    all(a, b, int);
    all(b, a, uint16_t);
    all(a, b, uint64_t);
    all(b, b, uint64_t);
    all(a, (int64_t)b, uint32_t);
}

static void doubles(u128 a, i128 b)
{
    all(a, b, i128);
    all(b, a, u128);
    all(a, a, u128);
    all(b, b, i128);
    all(a, (int64_t)b, int);
    all((uint64_t)a, b, uint64_t);
    all((uint64_t)a, (uint64_t)a, i128);
    all((int64_t)b, (uint64_t)a, u128);
}

void test(void)
{
    static const int64_t some[] = { 0, 1, -1, 3000000000, INT64_MAX, INT64_MIN };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            words(some[i], some[j]);
    halves(5, 7);
    halves(UINT_MAX, INT_MIN);
    halves(0, -1);
    halves(70000, 70000);
    i128 top = (i128)1 << 126;
    doubles(3, -5);
    doubles(top, top);
    doubles((u128)-1, -1);
    doubles((u128)1 << 127, -(top - 1 + top) - 1);
    doubles((u128)1 << 64, (i128)1 << 63);
    doubles((u128)1 << 64, -((i128)1 << 63));
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

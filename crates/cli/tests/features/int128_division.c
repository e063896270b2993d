/* Numbers of 128 bits: division, shifts by what the run knows, and updates that are computed in them. */
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

#define show(x) do { u128 shown = (x); out((long long)(uint64_t)shown); out((long long)(uint64_t)(shown >> 64)); } while (0)

static u128 make(uint64_t high, uint64_t low) { return (u128)high << 64 | low; }

static void divide(u128 n, u128 d)
{
    show(n / d);
    show(n % d);
    show((i128)n / (i128)d);
    show((i128)n % (i128)d);
}

static void shift(u128 x, int by)
{
    show(x << by);
    show(x >> by);
    show((i128)x >> by);
}

enum color { RED, GREEN, BLUE };
struct bits { unsigned small : 5; };

void test(void)
{
    divide(100, 7);
    divide(-100, 7);
    divide(100, -7);
    divide(make(5, 3), 3);
    divide(make(UINT64_MAX, UINT64_MAX), UINT64_MAX);
    divide(make(UINT64_MAX, 0), make(1, 0));
    divide(make(UINT64_MAX, 5), make(1, 5));
    divide(make(1ull << 63, 0), 10);
    divide(make(7, 1), make(0x8000000000000000, 1));
    divide(make(0x123456789abcdef0, 0x0fedcba987654321), make(0x1234, 0x5678000000000001));
    divide(make(0x7fffffffffffffff, 0), 0xfffffffffffffffe);

    /* Each of the two guesses of a digit that may be wrong. */
    divide(make(0x7fffffffffffffff, UINT64_MAX), 0x80000000ffffffff);
    divide(make(0x00000003, 0x0000000200000001), 0x8000000000000001);

    static int distances[] = { 0, 1, 31, 63, 64, 65, 100, 127 };
    for (int i = 0; i < 8; i++)
        shift(make(0x9000000000000001, 0xa000000000000003), distances[i]);
    long further = 3;
    u128 moved = 5;
    moved <<= further;
    show(moved);
    moved >>= (i128)2;
    show(moved);
    out(1 << (u128)4);

    int x = 1000;
    x /= (i128)7;
    out(x);
    unsigned char c = 200;
    c += (u128)100;
    out(c);
    out(c -= make(3, 1));
    _Bool b = 0;
    b |= make(4, 0);
    out(b);
    b &= make(4, 0);
    out(b);
    enum color color = GREEN;
    color += (i128)1;
    out(color);
    struct bits bits = { 30 };
    bits.small += (u128)5;
    out(bits.small);
    out(bits.small++);
    long row[3] = { 1, 2, 3 }, *p = row;
    *p++ *= (i128)-5;
    out(row[0]);
    out(*p);

    u128 whole = 9;
    show(whole++);
    show(--whole);
    show(whole /= 2);
    show(whole %= 3);
    show(whole -= make(1, 2));
    i128 least = make(1ull << 63, 0);
    show(least / 3);
    show(-least);

    static _Atomic u128 shared = 7;
    show(shared += 5);
    show(shared++);
    show(shared *= make(1, 1));
    show(__atomic_fetch_add(&whole, 3, __ATOMIC_SEQ_CST));
    show(__atomic_sub_fetch(&whole, make(0, 7), __ATOMIC_SEQ_CST));
    show(__atomic_fetch_xor(&whole, make(6, 6), __ATOMIC_RELAXED));
    show(__atomic_nand_fetch(&whole, make(3, 3), __ATOMIC_RELAXED));
    static _Atomic int narrow = 40;
    narrow /= (i128)3;
    out(narrow);

    out((int)make(1, 77));
    out((_Bool)make(1, 0));
    out((uint16_t)make(1, 0x12345));
    out((long)(char *)make(0, 64));
    show((u128)(char *)64);
    show((i128)(signed char)-2);
    show((u128)(unsigned)-2);
    show((i128)BLUE);
    show((u128)(_Bool)5);
    out(make(1, 0) ? 1 : 2);
    out(make(0, 0) ?: 6);
    out(make(1, 0) && make(0, 1));
}

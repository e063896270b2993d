/* Numbers of 128 bits, and pointers with tags in them. */
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

union tagged { struct { void *pointer; uint64_t tag; } s; u128 whole; };

static u128 zero, five = 5;
static i128 minus = -3;
static int a, b;

static u128 make(uint64_t high, uint64_t low) { return (u128)high << 64 | low; }
static uint64_t high(u128 x) { return x >> 64; }
static int64_t half(i128 x) { return x; }

#define show(x) do { u128 shown = (x); out((long long)(uint64_t)shown); out((long long)(uint64_t)(shown >> 64)); } while (0)

void test(void)
{
    show(zero);
    show(five);
    show(minus);
    u128 x = make(1, UINT64_MAX), y = 2;
    show(x);
    show(x + y);
    show(y - x);
    show(x * 3);
    show((u128)UINT64_MAX * UINT64_MAX);
    show(x << 3);
    show(x << 70);
    show(x >> 3);
    show(x >> 65);
    show(~x);
    show(-y);
    show((x | 4) ^ (y & 6));
    i128 s = -((i128)1 << 70);
    show(s);
    show(s >> 4);
    show(s >> 66);
    out(s < 0);
    out(s < minus);
    out(x > y);
    out(x == make(1, UINT64_MAX));
    out(x != y);
    out(y <= 2);
    out((i128)-1 < (i128)1);
    out((u128)-1 > 1);
    out(!zero);
    out(five && x ? 1 : 2);
    x += 5;
    x <<= 1;
    x |= 1;
    x++;
    show(x);
    out(high(x));
    out(half(s));
    out(high(77));
    uint64_t low = x;
    out(low);
    out((_Bool)((u128)1 << 90));
    out(sizeof x);
    out(_Alignof(u128));
    u128 row[2] = { 1, make(2, 3) };
    show(row[1]);

    static union tagged head __attribute__((aligned(16)));
    union tagged old = head, new;
    new.s.pointer = &a;
    new.s.tag = old.s.tag + 1;
    u128 first = old.whole;
    out(__atomic_compare_exchange_n(&head.whole, &first, new.whole, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    out(head.s.tag);
    out(head.s.pointer == &a);
    u128 wanted = old.whole;
    out(__atomic_compare_exchange_n(&head.whole, &wanted, (u128)0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    out(wanted == new.whole);
    out(__atomic_compare_exchange_n(&head.whole, &wanted, (u128)0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    out(head.s.pointer == 0);
}

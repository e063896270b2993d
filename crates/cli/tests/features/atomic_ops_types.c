#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
static atomic_bool ab; static atomic_char ac; static atomic_schar asc; static atomic_uchar auc; static atomic_short as; static atomic_ushort aus; static atomic_uint au; static atomic_long al; static atomic_ulong aul; static atomic_llong all; static atomic_ullong aull; static atomic_size_t asz; static atomic_uintptr_t aup; static atomic_intptr_t aip; static _Atomic uint8_t u8; static atomic_uint_fast8_t uf; static atomic_int_least16_t il;
void test(void)
{
    ab = 5;
    out(ab); ab = 0;
    out(ab); ab |= 8;
    out(ab); ac = 200;
    out(ac); asc = 127;
    out(asc++);
    out(asc); auc = 0;
    out(auc--);
    out(auc);
    out(atomic_fetch_add(&auc, 3));
    out(auc); as = 32767;
    out(++as); aus = 1;
    out(aus -= 2); au = 0;
    out(--au);
    out(au > 0); al = 1l << 40;
    out(al++);
    out(al); aul = -1;
    out(aul + 1);
    out(atomic_fetch_add(&aul, 2) == -1ul);
    out(aul); all = -5;
    out(all / 2); aull = 1;
    out(aull <<= 63); asz = 3;
    out(asz - 4 > 0); aup = 0;
    out(aup); aip = -1;
    out(aip < 0); u8 = 300;
    out(u8);
    out(u8 += 250);
    out(atomic_fetch_sub(&as, 1));
    out(as);
    out(atomic_exchange(&aus, -1));
    out(aus);
    out(atomic_exchange(&ab, 7));
    out(ab); uf = 1;
    out(uf); il = -3;
    out(il); atomic_store(&auc, 257);
    out(auc);
    out(atomic_fetch_xor(&auc, 0x1ff));
    out(auc);
    out(atomic_fetch_sub(&asc, 1));
    out(asc);
    out(atomic_load(&asc));
}

#include <stdint.h>
#include <stddef.h>
void test(void) { out(INT8_MIN);
    out(INT16_MAX);
    out(INT32_MIN);
    out(INT64_MAX);
    out(UINT8_MAX);
    out(UINT32_MAX);
    out(SIZE_MAX == UINT64_MAX);
    out(INT64_C(5));
    out(UINT64_C(1) << 40);
    out(sizeof(intptr_t));
    out(sizeof(int_fast8_t));
    out(sizeof(int_least32_t));
    out(sizeof(uintmax_t));
    out(INTPTR_MAX);
    out(PTRDIFF_MAX);
    out(UINTPTR_MAX == -1ul);
    out((uint8_t)INT8_MIN);
    out(sizeof(int_fast16_t));
    out(INT32_C(7));
    out(UINT8_C(7));
    out(INTMAX_MIN);
    out(sizeof(max_align_t) >= 8); }

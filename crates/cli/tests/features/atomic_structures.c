#include <stdatomic.h>
typedef struct { int index; int tag; } tagged;
static _Atomic tagged top;
void test(void)
{
    tagged t = { 1, 2 }, e = { 0, 0 }, w = { 7, 7 };
    atomic_store(&top, t); t = atomic_load(&top); out(t.index); out(t.tag);
    out(atomic_compare_exchange_strong(&top, &e, w)); out(e.index); out(e.tag);
    out(atomic_compare_exchange_strong(&top, &e, w)); t = top; out(t.index);
    t.tag = 9; tagged old = atomic_exchange(&top, t); out(old.tag); out(atomic_load(&top).tag);
}

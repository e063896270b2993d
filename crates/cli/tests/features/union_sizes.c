#include <stdlib.h>
union word { unsigned long long all; unsigned half[2]; unsigned char byte[8]; };
struct value { int tag; union { int number; char letter; void *pointer; struct { short a, b; } pair; }; };
static union word g = {0x1122334455667788ull};
static int passed(union word w) { return w.byte[0]; }
void test(void)
{
    out(g.half[0]); out(g.byte[7]); g.byte[0] = 0xff; out(g.half[0]); out((long long)g.all);
    union word l; l.all = 0; l.half[1] = 0xa0b0c0d0u; out((long long)l.all); out(l.byte[6]);
    union word m = l; out(m.half[1]); out(passed(g));
    struct value v = {1, {5}}; out(v.number); v.letter = 'x'; out(v.letter);
    v.pointer = &v; out(v.pointer == &v); v.pair.a = 3; v.pair.b = 4; out(v.pair.a + v.pair.b);
    struct value *h = malloc(sizeof *h); h->tag = 2; h->letter = 'q'; out(h->letter);
    struct value other = *h; out(other.letter); out(other.tag); free(h);
}

/* Unions as results, and structures from calls through pointers. */
#include <stdint.h>

typedef union { struct { uint32_t index, tag; } s; uint64_t whole; } head;
typedef union { long number; char *text; } any;
struct pair { int a; long b; };

static head made(uint32_t index, uint32_t tag)
{
    head h;
    h.s.index = index;
    h.s.tag = tag;
    return h;
}

static head next(head h) { return made(h.s.index + 1, h.s.tag + 1); }
static any number(long n) { return (any){ .number = n }; }
static any text(char *t) { any x; x.text = t; return x; }
static struct pair plain(int n) { return (struct pair){ n, n }; }
static struct pair squares(int n) { return (struct pair){ n * n, n * n * n }; }

void test(void)
{
    head h = next(next(made(5, 7)));
    out(h.s.index);
    out(h.s.tag);
    out(h.whole);
    out(made(1, 2).whole);
    out(number(9).number);
    out(text("yes").text[1]);
    struct pair (*functions[])(int) = { plain, squares };
    for (int i = 0; i < 2; i++) {
        struct pair p = functions[i](3);
        out(p.a);
        out(functions[i](4).b);
    }
}

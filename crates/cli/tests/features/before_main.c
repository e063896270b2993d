/* What runs before `main`, in the order of its numbers. */
static int order;
static void second(void) __attribute__((constructor(102)));
static void first(void) __attribute__((constructor(101)));
static void second(void) { order = order * 10 + 2; }
static void first(void) { order = order * 10 + 1; }
__attribute__((constructor)) static void last(void) { order = order * 10 + 3; }

typedef int byte __attribute__((mode(QI)));
typedef unsigned word __attribute__((__mode__(__word__)));

void test(void)
{
    out(order);
    out(sizeof(byte));
    out(sizeof(word) == sizeof(void *));
    out((byte)200);
}

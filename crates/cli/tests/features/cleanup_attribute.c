/* Functions that are called when variables go out of scope. */
#include <stdlib.h>

static int order;

static void note(int *p)
{
    order = order * 10 + *p;
}

static void release(int **p)
{
    order = order * 10 + **p;
    free(*p);
}

#define NOTED __attribute__((cleanup(note)))

static int returns(int early)
{
    NOTED int a = 1;
    int b __attribute__((__cleanup__(note), unused)) = 2;
    if (early) {
        NOTED int c = 3;
        return a + b + c;
    }
    a = 4;
    return order;
}

static void loops(void)
{
    for (int i = 1; i < 6; i++) {
        NOTED int here = i;
        if (i == 2)
            continue;
        if (i == 4)
            break;
        here = i + 4;
    }
    switch (order & 1) {
        {
        case 0:
        case 1:;
            NOTED int inside = 9;
            break;
        }
    }
}

static void pointers(void)
{
    __attribute__((cleanup(release))) int *p = malloc(sizeof *p);
    *p = 6;
    {
        NOTED int inner = 7;
    }
    *p = 8;
}

void test(void)
{
    out(returns(1));
    out(order);
    order = 0;
    out(returns(0));
    out(order);
    order = 0;
    loops();
    out(order);
    order = 0;
    pointers();
    out(order);
    order = 0;
    out(({ NOTED int v = 5; v + order; }));
    out(order);
}

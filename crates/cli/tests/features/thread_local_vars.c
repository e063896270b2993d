#include <pthread.h>
static _Thread_local int tl = 5; static __thread int tl2; static int seen; static void *f(void *p) { tl++; tl2 += 3; seen = tl * 10 + tl2; return 0; }
void test(void) { tl = 100; tl2 = 7; pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);
    out(seen);
    out(tl);
    out(tl2); static _Thread_local int sl = 2; sl++;
    out(sl); }

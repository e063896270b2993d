#include <pthread.h>
#include <stdint.h>
static int shared; struct arg { int a, b, r; }; static void *add(void *p) { struct arg *a = p; a->r = a->a + a->b; return a; } static void *sq(void *p) { intptr_t n = (intptr_t)p; return (void *)(n * n); } static void *setg(void *p) { shared = *(int *)p; return NULL; } static void *ex(void *p) { pthread_exit((void *)5L); }
void test(void) { pthread_t t; struct arg a = {3, 4}; void *r;
    out(pthread_create(&t, NULL, add, &a));
    out(pthread_join(t, &r));
    out(a.r);
    out(((struct arg *)r)->r); pthread_create(&t, 0, sq, (void *)7L); pthread_join(t, &r);
    out((intptr_t)r); int k = 9; pthread_create(&t, NULL, setg, &k); pthread_join(t, NULL);
    out(shared); pthread_create(&t, NULL, ex, 0); pthread_join(t, &r);
    out((long)r); pthread_t ts[2]; struct arg as[2] = {{1, 2}, {5, 6}}; for (int i = 0; i < 2; i++) pthread_create(ts + i, NULL, add, &as[i]); for (int i = 0; i < 2; i++) pthread_join(ts[i], 0);
    out(as[0].r * 100 + as[1].r); void *(*fp)(void *) = setg; k = 11; pthread_create(&t, NULL, fp, &k); pthread_join(t, NULL);
    out(shared); }

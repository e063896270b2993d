#include <pthread.h>
static int shared; static void *f(void *p) { shared += *(int *)p; return 0; }
void test(void) { pthread_t t; int k = 9; pthread_create(&t, NULL, f, &k); pthread_join(t, NULL);
    out(shared); pthread_create(&t, NULL, f, &shared); pthread_join(t, NULL);
    out(shared); }

#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n;
void test(void) { pthread_mutex_lock(&m); n++;
    out(n); pthread_mutex_unlock(&m); pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);
    out(n); }

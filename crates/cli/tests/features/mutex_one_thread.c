#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, d; static int n; struct acc { pthread_mutex_t lock; int bal; }; static struct acc accs[2] = {{PTHREAD_MUTEX_INITIALIZER, 10}, {PTHREAD_MUTEX_INITIALIZER, 20}};
static void move(struct acc *a, struct acc *b, int k) { pthread_mutex_lock(&a->lock); pthread_mutex_lock(&b->lock); a->bal -= k; b->bal += k; pthread_mutex_unlock(&b->lock); pthread_mutex_unlock(&a->lock); }
void test(void) { out(pthread_mutex_lock(&m)); n++;
    out(n);
    out(pthread_mutex_unlock(&m));
    out(pthread_mutex_init(&d, NULL));
    out(pthread_mutex_destroy(&d)); move(&accs[0], &accs[1], 3);
    out(accs[0].bal);
    out(accs[1].bal); pthread_mutex_t l; pthread_mutex_init(&l, 0); pthread_mutex_lock(&l); pthread_mutex_unlock(&l); pthread_mutex_destroy(&l); for (int i = 0; i < 3; i++) { pthread_mutex_lock(&m); n += i; pthread_mutex_unlock(&m); } out(n); pthread_mutex_t *pm = &m; if (pthread_mutex_lock(pm)) out(99); pthread_mutex_unlock(pm); }

/* A reader-writer lock of one counter, with relaxed stores only. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WRITER = 1000 };
static atomic_int state;
static int data;

static void *writer(void *arg)
{
    (void)arg;
    for (;;) {
        int free = 0;
        while (!atomic_compare_exchange_weak(&state, &free, WRITER))
            free = 0;
        data = 1;
        data = 0;
        atomic_store_explicit(&state, 0, memory_order_relaxed);
    }
}

static void *reader(void *arg)
{
    (void)arg;
    for (;;) {
        int readers = atomic_load(&state);
        if (readers == WRITER || !atomic_compare_exchange_strong(&state, &readers, readers + 1))
            continue;
        assert(data == 0);
        atomic_fetch_sub(&state, 1);
    }
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

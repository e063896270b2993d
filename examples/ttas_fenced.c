/* A test-and-test-and-set lock, for two threads, with the fences it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;

static void lock(int me)
{
    (void)me;
    do {
        while (atomic_load_explicit(&held, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&held, 1, memory_order_acquire));
}

static void unlock(int me)
{
    (void)me;
    atomic_store_explicit(&held, 0, memory_order_release);
}

static int in_critical;

static void critical_section(void)
{
    in_critical++;
    assert(in_critical == 1);
    in_critical--;
}

static void *thread(void *arg)
{
    int me = *(int *)arg;
    for (;;) {
        lock(me);
        critical_section();
        unlock(me);
    }
}

int main(void)
{
    static int ids[] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

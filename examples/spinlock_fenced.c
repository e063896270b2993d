/* A test-and-set spin lock, for three threads, with the fences it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;

static void lock(int me)
{
    (void)me;
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        ;
}

static void unlock(int me)
{
    (void)me;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&held, 0, memory_order_relaxed);
}

static int in_critical;

static void critical_section(int me)
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
        critical_section(me);
        unlock(me);
    }
}

int main(void)
{
    static int ids[] = {0, 1, 2};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, thread, &ids[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

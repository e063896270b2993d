/* A ticket lock, for two threads, with the fences it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uchar next_ticket, now_serving;

static void lock(int me)
{
    (void)me;
    unsigned char ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket)
        ;
}

static void unlock(int me)
{
    (void)me;
    unsigned char next = atomic_load_explicit(&now_serving, memory_order_relaxed) + 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&now_serving, next, memory_order_relaxed);
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
    static int ids[] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

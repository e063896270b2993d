/* Burns' algorithm, for two threads, with the fences it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_char flag[2];

static void lock(int me)
{
    for (;;) {
        atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        if (me == 1 && atomic_load_explicit(&flag[0], memory_order_relaxed))
            continue;
        atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        if (me == 1 && atomic_load_explicit(&flag[0], memory_order_relaxed))
            continue;
        break;
    }
    while (me == 0 && atomic_load_explicit(&flag[1], memory_order_relaxed))
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&flag[me], 0, memory_order_release);
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

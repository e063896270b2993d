/* Szymanski's mutual exclusion, for two threads, with the fences it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define store(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

#define THREADS 2

static atomic_int flag[THREADS];

static void lock(int me)
{
    int other = 1 - me;
    store(flag[me], 1);
    atomic_thread_fence(memory_order_seq_cst);
    while (load(flag[other]) >= 3)
        ;
    store(flag[me], 3);
    atomic_thread_fence(memory_order_seq_cst);
    if (load(flag[other]) == 1) {
        store(flag[me], 2);
        while (load(flag[other]) != 4)
            ;
    }
    store(flag[me], 4);
    while (me == 1 && load(flag[0]) >= 2)
        ;
}

static void unlock(int me)
{
    while (me == 0 && load(flag[1]) >= 2 && load(flag[1]) <= 3)
        ;
    atomic_thread_fence(memory_order_release);
    store(flag[me], 0);
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

/* Lamport's fast mutual exclusion, for two threads, with the fences it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define store(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

#define THREADS 2

static atomic_int b[THREADS];
static atomic_int x = -1, y = -1;

static void lock(int me)
{
start:
    store(b[me], 1);
    store(x, me);
    atomic_thread_fence(memory_order_seq_cst);
    if (load(y) != -1) {
        store(b[me], 0);
        while (load(y) != -1)
            ;
        goto start;
    }
    store(y, me);
    atomic_thread_fence(memory_order_seq_cst);
    if (load(x) != me) {
        store(b[me], 0);
        for (int j = 0; j < THREADS; j++)
            while (load(b[j]))
                ;
        if (load(y) != me) {
            while (load(y) != -1)
                ;
            goto start;
        }
    }
}

static void unlock(int me)
{
    atomic_thread_fence(memory_order_release);
    store(y, -1);
    atomic_thread_fence(memory_order_release);
    store(b[me], 0);
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

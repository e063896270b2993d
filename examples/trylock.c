/* A lock that is tried again by recursion, for two threads, without the fence that it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];

static int try_lock(int me, int tries)
{
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    if (!atomic_load_explicit(&flag[1 - me], memory_order_relaxed))
        return 1;
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
    if (tries == 0)
        return 0;
    return try_lock(me, tries - 1);
}

static void unlock(int me)
{
    atomic_store_explicit(&flag[me], 0, memory_order_release);
}

static int in_critical;

static void *thread(void *arg)
{
    int me = *(int *)arg;
    if (try_lock(me, 1)) {
        in_critical++;
        assert(in_critical == 1);
        in_critical--;
        unlock(me);
    }
    return NULL;
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

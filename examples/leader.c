/* The main thread starts workers in a loop. Each raises its flag and becomes the leader if nobody else has
   raised one: under SC that is at most one worker. Without a fence several are. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WORKERS 2

static atomic_int raised[WORKERS];
static atomic_int leaders;

static void *worker(void *arg)
{
    int me = *(int *)arg;
    atomic_store_explicit(&raised[me], 1, memory_order_relaxed);
    for (int other = 0; other < WORKERS; other++)
        if (other != me && atomic_load_explicit(&raised[other], memory_order_relaxed))
            return NULL;
    int before = atomic_fetch_add(&leaders, 1);
    assert(before == 0);
    return NULL;
}

int main(void)
{
    static int ids[WORKERS] = {0, 1};
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, &ids[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}

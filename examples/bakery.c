/* Lamport's bakery, for two threads, without fences. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_char choosing[2];
static atomic_char number[2];

static void lock(int me)
{
    int other = 1 - me;
    atomic_store_explicit(&choosing[me], 1, memory_order_relaxed);
    char mine = atomic_load_explicit(&number[other], memory_order_relaxed) + 1;
    atomic_store_explicit(&number[me], mine, memory_order_relaxed);
    atomic_store_explicit(&choosing[me], 0, memory_order_relaxed);
    while (atomic_load_explicit(&choosing[other], memory_order_relaxed))
        ;
    for (;;) {
        char theirs = atomic_load_explicit(&number[other], memory_order_relaxed);
        if (theirs == 0 || mine < theirs || (mine == theirs && me < other))
            break;
    }
}

static void unlock(int me)
{
    atomic_store_explicit(&number[me], 0, memory_order_relaxed);
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
    lock(me);
    critical_section();
    unlock(me);
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

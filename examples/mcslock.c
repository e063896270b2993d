/* The queue lock of Mellor-Crummey and Scott, for two threads, without fences. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int waiting;
};

static _Atomic(struct node *) last;
static struct node nodes[2];

static void lock(int me)
{
    struct node *own = &nodes[me];
    atomic_store_explicit(&own->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&own->waiting, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&last, own, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, own, memory_order_release);
    while (atomic_load_explicit(&own->waiting, memory_order_acquire))
        ;
}

static void unlock(int me)
{
    struct node *own = &nodes[me];
    struct node *expected = own;
    if (atomic_load_explicit(&own->next, memory_order_acquire) == NULL
        && atomic_compare_exchange_strong_explicit(&last, &expected, NULL, memory_order_acq_rel,
                                                   memory_order_relaxed))
        return;
    struct node *next;
    while ((next = atomic_load_explicit(&own->next, memory_order_acquire)) == NULL)
        ;
    atomic_store_explicit(&next->waiting, 0, memory_order_relaxed);
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

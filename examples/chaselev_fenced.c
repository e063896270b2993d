/* The work-stealing deque of Chase and Lev: one item, its owner and a thief, with the orders it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top, bottom, items[2];
static atomic_int taken;

static void push(int item)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b], item, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return 0;
    }
    int item = atomic_load_explicit(&items[b], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            item = 0;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return item;
}

static int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return 0;
    int item = atomic_load_explicit(&items[t], memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return 0;
    return item;
}

static void *thief(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++)
        atomic_fetch_add(&taken, steal());
    return NULL;
}

static void *owner(void *arg)
{
    (void)arg;
    push(1);
    push(2);
    atomic_fetch_add(&taken, take());
    atomic_fetch_add(&taken, take());
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, thief, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&taken) == 3);
    return 0;
}

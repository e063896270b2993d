/* Parking of a thread, as in a well-known virtual machine: the flag, then the sleep, with the orders it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int permit, parked, woken;

static void *sleeper(void *arg)
{
    (void)arg;
    atomic_store_explicit(&parked, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&permit, memory_order_relaxed))
        atomic_store_explicit(&woken, 1, memory_order_relaxed);
    return NULL;
}

static void *waker(void *arg)
{
    (void)arg;
    atomic_store_explicit(&permit, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&parked, memory_order_relaxed))
        atomic_store_explicit(&woken, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sleeper, NULL);
    pthread_create(&b, NULL, waker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&woken) == 1);
    return 0;
}

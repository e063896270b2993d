/* The barrier of sense_barrier.c, with a fence that keeps the new sense behind the new count. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int missing = 2, sense;
static int data[2];

static void barrier(int *my_sense)
{
    *my_sense = !*my_sense;
    int left = atomic_fetch_sub_explicit(&missing, 1, memory_order_relaxed);
    assert(left > 0);
    if (left == 1) {
        atomic_store_explicit(&missing, 2, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&sense, *my_sense, memory_order_relaxed);
    } else {
        while (atomic_load_explicit(&sense, memory_order_acquire) != *my_sense)
            ;
    }
}

static void *thread(void *arg)
{
    int me = arg != NULL, my_sense = 0;
    for (int round = 1; round <= 2; round++) {
        data[me] = round;
        barrier(&my_sense);
        assert(data[1 - me] == round);
        barrier(&my_sense);
    }
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, thread, &other);
    thread(NULL);
    pthread_join(other, NULL);
    return 0;
}

/* A barrier that changes its sense, for two threads and two rounds. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int arrived, sense;
static int data[2];

static void barrier(int *my_sense)
{
    *my_sense = !*my_sense;
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed) == 1) {
        atomic_store_explicit(&arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&sense, *my_sense, memory_order_release);
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

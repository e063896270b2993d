/* The spin lock of spinlock_any.c with a test and a set that are not one step: two threads get in. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool busy;
static int in_critical;

static void *thread(void *arg)
{
    (void)arg;
    for (;;) {
        while (atomic_load(&busy))
            ;
        atomic_store(&busy, 1);
        in_critical++;
        assert(in_critical == 1);
        in_critical--;
        atomic_store_explicit(&busy, 0, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    for (;;) {
        pthread_t one_more;
        pthread_create(&one_more, NULL, thread, NULL);
    }
}

/* A spin lock that any number of threads take: `main` starts them without end. Under TSO the dual engine proves
   it for all numbers; under SC and PSO growing numbers are tried. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int in_critical;

static void *thread(void *arg)
{
    (void)arg;
    for (;;) {
        while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
            ;
        in_critical++;
        assert(in_critical == 1);
        in_critical--;
        atomic_flag_clear_explicit(&busy, memory_order_release);
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

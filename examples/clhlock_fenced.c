/* The queue lock of Craig, Landin and Hagersten, for two threads, with the fences it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_char busy[3] = {0, 0, 0};
static atomic_char last = 2;
static char own[2] = {0, 1}, before[2];

static void lock(int me)
{
    atomic_store_explicit(&busy[(int)own[me]], 1, memory_order_relaxed);
    before[me] = atomic_exchange_explicit(&last, own[me], memory_order_acq_rel);
    while (atomic_load_explicit(&busy[(int)before[me]], memory_order_acquire))
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&busy[(int)own[me]], 0, memory_order_release);
    own[me] = before[me];
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

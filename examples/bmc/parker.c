/* Parking of a thread by a semaphore-like class, as in a well-known virtual machine, with ordinary variables: who wants to
   sleep says so and looks for a permit, who wakes gives the permit and looks for a sleeper. One of the two must see. */
#include <assert.h>
#include <pthread.h>

int permit, parked, woken;

static void *sleeper(void *arg)
{
    (void)arg;
    parked = 1;
    if (permit)
        woken = 1;
    return 0;
}

static void *waker(void *arg)
{
    (void)arg;
    permit = 1;
    if (parked)
        woken = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, sleeper, 0);
    pthread_create(&b, 0, waker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(woken == 1);
    return 0;
}

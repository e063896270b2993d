/* Lamport's fast mutual exclusion, in the style in which bounded model checkers are compared: ordinary variables, ENTRIES
   entries for each of two threads. With -DFENCES it is safe, also under PSO. */
#include <assert.h>
#include <pthread.h>

#ifndef ENTRIES
#define ENTRIES 1
#endif
#ifdef FENCES
#define FENCE() __sync_synchronize()
#else
#define FENCE() ((void)0)
#endif

int b[2], x, y; /* x and y: 1 and 2 for the threads, 0 for nobody */
int inside;

static void lock(int me)
{
    for (;;) {
        b[me] = 1;
        FENCE();
        x = me + 1;
        FENCE();
        if (y != 0) {
            b[me] = 0;
            while (y != 0)
                ;
            continue;
        }
        y = me + 1;
        FENCE();
        if (x == me + 1)
            return;
        b[me] = 0;
        FENCE();
        while (b[1 - me])
            ;
        if (y == me + 1)
            return;
        while (y != 0)
            ;
    }
}

static void unlock(int me)
{
    FENCE();
    y = 0;
    FENCE();
    b[me] = 0;
}

static void enter(int me)
{
    for (int entry = 0; entry < ENTRIES; entry++) {
        lock(me);
        inside = me;
        assert(inside == me);
        unlock(me);
    }
}

static void *first(void *arg)
{
    (void)arg;
    enter(0);
    return 0;
}

static void *second(void *arg)
{
    (void)arg;
    enter(1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

/* Dekker's mutual exclusion, in the style in which bounded model checkers are compared: ordinary variables, ENTRIES
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

int wants[2], turn;
int inside;

static void lock(int me)
{
    wants[me] = 1;
    FENCE();
    while (wants[1 - me]) {
        if (turn != me) {
            wants[me] = 0;
            while (turn != me)
                ;
            wants[me] = 1;
            FENCE();
        }
    }
}

static void unlock(int me)
{
    FENCE();
    turn = 1 - me;
    FENCE();
    wants[me] = 0;
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

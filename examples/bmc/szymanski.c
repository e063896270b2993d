/* Szymanski's mutual exclusion, in the style in which bounded model checkers are compared: ordinary variables, ENTRIES
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

int flag[2];
int inside;

static void lock(int me)
{
    flag[me] = 1;
    FENCE();
    while (flag[1 - me] >= 3)
        ;
    flag[me] = 3;
    FENCE();
    if (flag[1 - me] == 1) {
        flag[me] = 2;
        FENCE();
        while (flag[1 - me] != 4)
            ;
    }
    flag[me] = 4;
    FENCE();
    while (me == 1 && flag[0] >= 2)
        ;
}

static void unlock(int me)
{
    FENCE();
    while (me == 0 && flag[1] >= 2 && flag[1] <= 3)
        ;
    flag[me] = 0;
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

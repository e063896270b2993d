/* A lock-free stack of array cells, after D. Vyukov's description of 2010: `head` is the first free cell, each cell knows
   the next, `count` how many are free. Whoever takes a cell marks it by exchanging its next with -1. The cells of
   a stack that several threads pop from and push to at once can be given to two of them: then both write
   the same value, and one finds the other's. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define CELLS 3

static atomic_int head = 0, count = CELLS;
static atomic_int next[CELLS] = {1, 2, -1};
static int value[CELLS];

static int pop(void)
{
    while (atomic_load(&count) > 1) {
        int head1 = atomic_load(&head);
        int next1 = atomic_exchange(&next[head1], -1);
        if (next1 >= 0) {
            int expected = head1;
            if (atomic_compare_exchange_strong(&head, &expected, next1)) {
                atomic_fetch_sub(&count, 1);
                return head1;
            }
            atomic_exchange(&next[head1], next1);
        }
    }
    return -1;
}

static void push(int index)
{
    int head1 = atomic_load(&head);
    do {
        atomic_store(&next[index], head1);
    } while (!atomic_compare_exchange_strong(&head, &head1, index));
    atomic_fetch_add(&count, 1);
}

static void use_a_cell(int own)
{
    int cell;
    do {
        cell = pop();
    } while (cell < 0);
    value[cell] = own;
    assert(value[cell] == own);
    push(cell);
}

static void *thread(void *arg)
{
    int own = (int)(long)arg;
    use_a_cell(own);
    use_a_cell(own);
    return NULL;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_create(&first, NULL, thread, (void *)0);
    pthread_create(&second, NULL, thread, (void *)1);
    pthread_create(&third, NULL, thread, (void *)2);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    return 0;
}

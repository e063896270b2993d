/* A stack of Treiber, pushed by one thread and popped by two, with relaxed stores only. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;
static atomic_int taken[3];

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = NULL;
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    node->next = old;
    /* Only one thread pushes, so this seems to need no read-modify-write. */
    atomic_store_explicit(&top, node, memory_order_relaxed);
}

static int pop(void)
{
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    while (old != NULL
           && !atomic_compare_exchange_weak_explicit(&top, &old, old->next, memory_order_acquire,
                                                     memory_order_acquire))
        ;
    return old == NULL ? 0 : old->value;
}

static void *pusher(void *arg)
{
    (void)arg;
    push(1);
    push(2);
    return NULL;
}

static void *popper(void *arg)
{
    (void)arg;
    int value = pop();
    assert(value >= 0 && value <= 2);
    if (value != 0)
        assert(atomic_fetch_add(&taken[value], 1) == 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, pusher, NULL);
    pthread_create(&b, NULL, popper, NULL);
    popper(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

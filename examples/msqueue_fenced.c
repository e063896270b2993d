/* The queue of Michael and Scott with one producer and one consumer, with the orders it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node first;
static _Atomic(struct node *) head = &first, tail = &first;

static void enqueue(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    /* Nobody else appends: the link needs no read-modify-write. */
    atomic_store_explicit(&last->next, node, memory_order_release);
    atomic_store_explicit(&tail, node, memory_order_release);
}

static int dequeue(int *value)
{
    struct node *old = atomic_load_explicit(&head, memory_order_acquire);
    struct node *next = atomic_load_explicit(&old->next, memory_order_acquire);
    if (next == NULL)
        return 0;
    *value = next->value;
    atomic_store_explicit(&head, next, memory_order_relaxed);
    return 1;
}

static void *producer(void *arg)
{
    (void)arg;
    enqueue(1);
    enqueue(2);
    return NULL;
}

static void *consumer(void *arg)
{
    (void)arg;
    int value = 0;
    for (int i = 1; i <= 2; i++)
        if (dequeue(&value))
            assert(value == 1 || value == 2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

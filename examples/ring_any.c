/* A bounded ring of anything, for several producers and consumers: elements are known by their size only and copied through
   `void *`, and a call that finds the ring full or empty is tried again. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 1 /* of each producer */
#endif
#define SIZE 4

struct ring {
    unsigned consumer;
    char padding[60];
    unsigned tail, producer;
    unsigned size, mask;
};

static unsigned load(const unsigned *from)
{
    return *(const volatile unsigned *)from;
}

static void store(unsigned *to, unsigned value)
{
    *(volatile unsigned *)to = value;
}

/* Gives what was there, too. */
static bool replace(unsigned *at, unsigned old, unsigned new, unsigned *seen)
{
    *seen = __sync_val_compare_and_swap(at, old, new);
    return *seen == old;
}

static bool put_any(struct ring *ring, void *buffer, const void *entry, unsigned bytes)
{
    const unsigned mask = ring->mask;
    unsigned producer = load(&ring->producer), next;
    for (;;) {
        unsigned consumer = load(&ring->consumer);
        next = producer + 1;
        if (producer - consumer < mask) {
            if (replace(&ring->producer, producer, next, &producer))
                break;
        } else {
            unsigned now = load(&ring->producer);
            if (producer == now)
                return false;
            producer = now;
        }
    }
    memcpy((char *)buffer + bytes * (producer & mask), entry, bytes);
    while (load(&ring->tail) != producer)
        ;
    store(&ring->tail, next);
    return true;
}

static bool take_any(struct ring *ring, const void *buffer, void *data, unsigned bytes)
{
    const unsigned mask = ring->mask;
    unsigned consumer = load(&ring->consumer);
    do {
        unsigned tail = load(&ring->tail);
        if (consumer == tail)
            return false;
        memcpy(data, (const char *)buffer + bytes * (consumer & mask), bytes);
    } while (!replace(&ring->consumer, consumer, consumer + 1, &consumer));
    return true;
}

static struct ring ring;
static void *slots[SIZE];

static bool put(void *item)
{
    return put_any(&ring, slots, &item, sizeof item);
}

static bool take(void *item)
{
    return take_any(&ring, slots, item, sizeof(void *));
}

static int taken[PRODUCERS * ITEMS];

static void *produce(void *arg)
{
    for (long i = 0; i < ITEMS; i++)
        while (!put((void *)((long)arg * ITEMS + i + 1)))
            ;
    return NULL;
}

static void *consume(void *arg)
{
    (void)arg;
    for (int i = 0; i < PRODUCERS * ITEMS / CONSUMERS; i++) {
        void *item;
        while (!take(&item))
            ;
        __atomic_fetch_add(&taken[(long)item - 1], 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[PRODUCERS + CONSUMERS];
    ring.size = SIZE;
    ring.mask = SIZE - 1;
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, produce, (void *)i);
    for (long i = 0; i < CONSUMERS; i++)
        pthread_create(&threads[PRODUCERS + i], NULL, consume, NULL);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PRODUCERS * ITEMS; i++)
        assert(taken[i] == 1);
    return 0;
}

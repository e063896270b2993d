/* Insertion into a hash table without locks: the value, then the key, with the orders it needs. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 2 };
static atomic_int keys[SLOTS];
static int values[SLOTS];

static void insert(int key, int value)
{
    for (int i = key % SLOTS;; i = (i + 1) % SLOTS) {
        int expected = 0;
        /* -1 reserves the slot until its value is there. */
        if (atomic_compare_exchange_strong(&keys[i], &expected, -1)) {
            values[i] = value;
            atomic_store_explicit(&keys[i], key, memory_order_release);
            return;
        }
    }
}

static int lookup(int key)
{
    for (int n = 0, i = key % SLOTS; n < SLOTS; n++, i = (i + 1) % SLOTS)
        if (atomic_load_explicit(&keys[i], memory_order_acquire) == key)
            return values[i];
    return -1;
}

static void *writer(void *arg)
{
    (void)arg;
    insert(2, 20);
    return NULL;
}

static void *both(void *arg)
{
    (void)arg;
    insert(4, 40);
    int value = lookup(2);
    assert(value == -1 || value == 20);
    assert(lookup(4) == 40);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, both, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

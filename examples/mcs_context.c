/* The queue lock of Mellor-Crummey and Scott as libraries have it: accesses are functions with inline assembly, and each
   thread queues up with a node on its own stack. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static inline void compiler_barrier(void)
{
    __asm__ __volatile__("" ::: "memory");
}

static inline void relax(void)
{
    __asm__ __volatile__("pause" ::: "memory");
}

static inline void *load_pointer(const void *from)
{
    void *value;
    __asm__ __volatile__("movq %1, %0" : "=q"(value) : "m"(*(const char *)from) : "memory");
    return value;
}

static inline void store_pointer(void *to, const void *value)
{
    __asm__ __volatile__("movq %1, %0" : "=m"(*(char *)to) : "iq"(value) : "memory");
}

static inline unsigned load_word(const unsigned *from)
{
    unsigned value;
    __asm__ __volatile__("movl %1, %0" : "=q"(value) : "m"(*from) : "memory");
    return value;
}

static inline void store_word(unsigned *to, unsigned value)
{
    __asm__ __volatile__("movl %1, %0" : "=m"(*to) : "iq"(value) : "memory");
}

static inline void *exchange_pointer(void *at, void *value)
{
    __asm__ __volatile__("xchgq %0, %1" : "+m"(*(char *)at), "+q"(value) : : "memory");
    return value;
}

static inline bool replace_pointer(void *at, void *old, void *new)
{
    bool done;
    __asm__ __volatile__("lock cmpxchgq %3, %0; setz %1"
                         : "+m"(*(char *)at), "=q"(done), "+a"(old)
                         : "q"(new)
                         : "memory", "cc");
    return done;
}

struct context {
    unsigned locked;
    struct context *next;
};

static struct context *queue;

static void enter(struct context **last, struct context *own)
{
    own->locked = true;
    own->next = NULL;
    compiler_barrier();
    struct context *before = exchange_pointer(last, own);
    if (before != NULL) {
        store_pointer(&before->next, own);
        while (load_word(&own->locked))
            relax();
    }
    compiler_barrier();
}

static void leave(struct context **last, struct context *own)
{
    compiler_barrier();
    struct context *next = load_pointer(&own->next);
    if (next == NULL) {
        if (load_pointer(last) == own && replace_pointer(last, own, NULL))
            return;
        while ((next = load_pointer(&own->next)) == NULL)
            relax();
    }
    store_word(&next->locked, false);
}

static int counter;

static void *thread(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct context own;
        enter(&queue, &own);
        counter++;
        leave(&queue, &own);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS * ROUNDS);
    return 0;
}

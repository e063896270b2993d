/* Treiber's stack with a counter beside its head, so that a head that comes back is not taken for the old one: both words are
   replaced at once. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif

struct entry {
    struct entry *next;
};

struct stack {
    struct entry *head;
    char *count;
} __attribute__((aligned(16)));

static inline void *load_pointer(const void *from)
{
    void *value;
    __asm__ __volatile__("movq %1, %0" : "=q"(value) : "m"(*(const char *)from) : "memory");
    return value;
}

/* Gives what was there, too. */
static inline bool replace_pointer(void *at, void *old, void *new, void *seen)
{
    bool done;
    __asm__ __volatile__("lock cmpxchgq %3, %0; setz %1"
                         : "+m"(*(char *)at), "=q"(done), "+a"(old)
                         : "q"(new)
                         : "memory", "cc");
    *(void **)seen = old;
    return done;
}

static inline bool replace_both(void *at, void *old, void *new, void *seen)
{
    bool done;
    __asm__ __volatile__("movq (%4), %%rbx; movq 8(%4), %%rcx; lock cmpxchg16b %0; setz %3"
                         : "+m"(*(uint64_t *)at), "=a"(((uint64_t *)seen)[0]), "=d"(((uint64_t *)seen)[1]), "=q"(done)
                         : "r"(new), "a"(((uint64_t *)old)[0]), "d"(((uint64_t *)old)[1])
                         : "memory", "cc", "%rbx", "%rcx");
    return done;
}

static void push_entry(struct stack *stack, struct entry *entry)
{
    struct entry *head = load_pointer(&stack->head);
    entry->next = head;
    while (!replace_pointer(&stack->head, head, entry, &head))
        entry->next = head;
}

static struct entry *pop_entry(struct stack *stack)
{
    struct stack before, after;
    before.count = load_pointer(&stack->count);
    before.head = load_pointer(&stack->head);
    do {
        if (before.head == NULL)
            return NULL;
        after.count = before.count + 1;
        after.head = before.head->next;
    } while (!replace_both(stack, &before, &after, &before));
    return before.head;
}

struct item {
    int value;
    struct entry entry;
};

static struct stack stack;
static int popped[THREADS];

static void push(int value)
{
    struct item *item = malloc(sizeof *item);
    item->value = value;
    push_entry(&stack, &item->entry);
}

/* Items are not freed: another thread may still look at them. */
static void pop(void)
{
    struct entry *entry = pop_entry(&stack);
    assert(entry != NULL);
    struct item *item = (struct item *)((char *)entry - offsetof(struct item, entry));
    __atomic_fetch_add(&popped[item->value], 1, __ATOMIC_SEQ_CST);
}

static void *thread(void *arg)
{
    push((int)(long)arg);
    pop();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert(popped[i] == 1);
    return 0;
}

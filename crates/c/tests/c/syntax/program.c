typedef unsigned long pthread_t;
typedef struct __mutex { int kind; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void abort(void) __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));

enum state { IDLE, BUSY = 4, DONE, };

struct node {
    struct node *next;
    _Atomic int value;
    union { unsigned flags : 3; char bytes[4]; };
};

static _Atomic(int) turn, flag[2] = {[0 ... 1] = 0};
static volatile int x = 0x1F, y = 'a' + 017;
static struct node list = {.next = &list, .value = 1, {.flags = 2}};
pthread_mutex_t lock = {0};

static inline int max(int a, int b) { return a > b ? a : b; }

void *thread(void *arg)
{
    int id = *(int *)arg, other = 1 - id;
    flag[id] = 1;
    turn = other;
    __asm__ __volatile__("mfence" ::: "memory");
    while (flag[other] && turn == other)
        ;
    x++;
    if (x != 1 || (y & ~3) == sizeof(struct node *)) {
        goto error;
    } else if (id) {
        y += max(x, ({ int t = y; t * 2; }));
    }
    switch (x) {
    case 1: case 3 ... 5: x--; break;
    default: { for (int i = 0; i < 10; i++) y ^= i << 1; }
    }
    do { list.next->value = (unsigned char)x; } while (0);
    flag[id] = 0;
    return (void *)0;
error:
    abort();
}

int main(void)
{
    pthread_t t[2];
    int ids[] = {0, 1}, i;
    for (i = 0; i < 2; ++i)
        pthread_create(&t[i], 0, thread, ids + i);
    for (i = 0; i < 2; i++) pthread_join(t[i], (void **)0);
    return "done"[0] == 'd' ? 0 : -1;
}

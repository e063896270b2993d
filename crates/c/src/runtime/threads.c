/* POSIX and C11 threads but for mutexes. Waiting is an assumption at the beginning of an atomic section:
   where it does not hold, the section has not begun. */

static int pthread_attr_init(pthread_attr_t *a)
{
    a->detached = 0;
    a->stack = 8388608;
    return 0;
}

static int pthread_attr_setdetachstate(pthread_attr_t *a, int detached)
{
    int result = __FENCEPOST_EINVAL;
    if (detached == 0 || detached == 1) {
        a->detached = detached;
        result = 0;
    }
    return result;
}

static int pthread_attr_getdetachstate(const pthread_attr_t *a, int *detached)
{
    *detached = a->detached;
    return 0;
}

static int pthread_attr_setstacksize(pthread_attr_t *a, unsigned long bytes)
{
    int result = __FENCEPOST_EINVAL;
    if (bytes >= 16384) {
        a->stack = bytes;
        result = 0;
    }
    return result;
}

static int pthread_attr_getstacksize(const pthread_attr_t *a, unsigned long *bytes)
{
    *bytes = a->stack;
    return 0;
}

/* The first thread has the number of the process, which is 1. */
static int gettid(void) { return (int)(unsigned long)__fencepost_self(); }

static int pthread_mutexattr_init(pthread_mutexattr_t *a)
{
    a->kind = __FENCEPOST_NORMAL;
    return 0;
}

static int pthread_mutexattr_settype(pthread_mutexattr_t *a, int kind)
{
    int result = __FENCEPOST_EINVAL;
    if (kind >= 0 && kind <= 3) {
        a->kind = kind;
        result = 0;
    }
    return result;
}

static int pthread_mutexattr_gettype(const pthread_mutexattr_t *a, int *kind)
{
    *kind = a->kind;
    return 0;
}

static int mtx_lock(pthread_mutex_t *m)
{
    return pthread_mutex_lock(m);
}

static int mtx_unlock(pthread_mutex_t *m)
{
    return pthread_mutex_unlock(m);
}

static void mtx_destroy(pthread_mutex_t *m)
{
}

/* Condition variables. A wait may end for no reason, so it is unlocking and locking again. Where
   deadlocks are looked for, it may also wait until it is woken: a bit for each thread that does. */

typedef struct __fencepost_condition {
    unsigned long waiting;
} pthread_cond_t;

static int pthread_cond_init(pthread_cond_t *c, const void *a)
{
    c->waiting = 0;
    return 0;
}

static int pthread_cond_destroy(pthread_cond_t *c)
{
    return 0;
}

static int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    if (__fencepost_blocking() && __VERIFIER_nondet_bool()) {
        unsigned long self = 1ul << ((unsigned long)__fencepost_self() & 63);
        __VERIFIER_atomic_begin();
        c->waiting |= self;
        pthread_mutex_unlock(m);
        __VERIFIER_atomic_end();
        __VERIFIER_atomic_begin();
        __VERIFIER_assume((c->waiting & self) == 0);
        __VERIFIER_atomic_end();
    } else {
        pthread_mutex_unlock(m);
    }
    pthread_mutex_lock(m);
    return 0;
}

static int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const void *until)
{
    pthread_mutex_unlock(m);
    pthread_mutex_lock(m);
    return __VERIFIER_nondet_bool() ? __FENCEPOST_ETIMEDOUT : 0;
}

static int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, int clock, const void *until)
{
    return pthread_cond_timedwait(c, m, until);
}

/* Where nobody waits, nothing is ordered: no machine instruction is locked then. */
static int pthread_cond_signal(pthread_cond_t *c)
{
    if (__fencepost_blocking() && c->waiting != 0) {
        __VERIFIER_atomic_begin();
        if (c->waiting != 0) {
            unsigned char chosen = __VERIFIER_nondet_uchar();
            __VERIFIER_assume(chosen < 64 && (c->waiting >> chosen & 1) == 1);
            c->waiting &= ~(1ul << chosen);
        }
        __VERIFIER_atomic_end();
    }
    return 0;
}

static int pthread_cond_broadcast(pthread_cond_t *c)
{
    if (__fencepost_blocking() && c->waiting != 0) {
        __VERIFIER_atomic_begin();
        c->waiting = 0;
        __VERIFIER_atomic_end();
    }
    return 0;
}

static int cnd_init(pthread_cond_t *c)
{
    return pthread_cond_init(c, 0);
}

static void cnd_destroy(pthread_cond_t *c)
{
}

static int cnd_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return pthread_cond_wait(c, m);
}

static int cnd_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const void *until)
{
    return pthread_cond_timedwait(c, m, until) == 0 ? 0 : __FENCEPOST_thrd_timedout;
}

static int cnd_signal(pthread_cond_t *c)
{
    return pthread_cond_signal(c);
}

static int cnd_broadcast(pthread_cond_t *c)
{
    return pthread_cond_broadcast(c);
}

/* Read-write locks. */

typedef struct __fencepost_rwlock {
    pthread_t writer;
    unsigned readers;
} pthread_rwlock_t;

static int pthread_rwlock_init(pthread_rwlock_t *l, const void *a)
{
    l->writer = 0;
    l->readers = 0;
    return 0;
}

static int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    return 0;
}

static int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(l->writer == 0);
    l->readers++;
    __VERIFIER_atomic_end();
    return 0;
}

static int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    pthread_t self = __fencepost_self();
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(l->writer == 0 && l->readers == 0);
    l->writer = self;
    __VERIFIER_atomic_end();
    return 0;
}

static int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    int result = __FENCEPOST_EBUSY;
    __VERIFIER_atomic_begin();
    if (l->writer == 0) {
        l->readers++;
        result = 0;
    }
    __VERIFIER_atomic_end();
    return result;
}

static int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    pthread_t self = __fencepost_self();
    int result = __FENCEPOST_EBUSY;
    __VERIFIER_atomic_begin();
    if (l->writer == 0 && l->readers == 0) {
        l->writer = self;
        result = 0;
    }
    __VERIFIER_atomic_end();
    return result;
}

static int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const void *until)
{
    return pthread_rwlock_tryrdlock(l) == 0 ? 0 : __FENCEPOST_ETIMEDOUT;
}

static int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const void *until)
{
    return pthread_rwlock_trywrlock(l) == 0 ? 0 : __FENCEPOST_ETIMEDOUT;
}

static int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    pthread_t self = __fencepost_self();
    __VERIFIER_atomic_begin();
    if (l->writer == self) {
        l->writer = 0;
    } else {
        if (l->readers == 0)
            __VERIFIER_error();
        l->readers--;
    }
    __VERIFIER_atomic_end();
    return 0;
}

/* Spin locks: taken by a read-modify-write, given back by a release store. */

static int pthread_spin_init(volatile int *l, int shared)
{
    *l = 0;
    return 0;
}

static int pthread_spin_destroy(volatile int *l)
{
    return 0;
}

static int pthread_spin_lock(volatile int *l)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(*l == 0);
    *l = 1;
    __VERIFIER_atomic_end();
    return 0;
}

static int pthread_spin_trylock(volatile int *l)
{
    return __atomic_exchange_n(l, 1, 2) == 0 ? 0 : __FENCEPOST_EBUSY;
}

static int pthread_spin_unlock(volatile int *l)
{
    __atomic_store_n(l, 0, 3);
    return 0;
}

/* Barriers. Who comes while the others still leave waits until they have left, which nobody can tell
   from a slow arrival. Any one of the threads is told that it is the one. */

typedef struct __fencepost_barrier {
    unsigned count;
    unsigned arrived;
    unsigned leaving;
    _Bool told;
} pthread_barrier_t;

static int pthread_barrier_init(pthread_barrier_t *b, const void *a, unsigned count)
{
    int result = 0;
    if (count == 0) {
        result = __FENCEPOST_EINVAL;
    } else {
        b->count = count;
        b->arrived = 0;
        b->leaving = 0;
    }
    return result;
}

static int pthread_barrier_destroy(pthread_barrier_t *b)
{
    return 0;
}

static int pthread_barrier_wait(pthread_barrier_t *b)
{
    int result = 0;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(b->leaving == 0);
    b->arrived++;
    if (b->arrived == b->count) {
        b->leaving = b->arrived;
        b->arrived = 0;
        b->told = 0;
    }
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(b->leaving > 0);
    if (!b->told && (b->leaving == 1 || __VERIFIER_nondet_bool())) {
        b->told = 1;
        result = -1;
    }
    b->leaving--;
    __VERIFIER_atomic_end();
    return result;
}

/* Once: 0 before, 1 during, 2 after. */

static int pthread_once(int *state, void (*routine)(void))
{
    _Bool mine;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(*state != 1);
    mine = *state == 0;
    if (mine)
        *state = 1;
    __VERIFIER_atomic_end();
    if (mine) {
        routine();
        __VERIFIER_atomic_begin();
        *state = 2;
        __VERIFIER_atomic_end();
    }
    return 0;
}

typedef struct __fencepost_once {
    int state;
} once_flag;

static void call_once(once_flag *flag, void (*routine)(void))
{
    pthread_once(&flag->state, routine);
}

/* What `atexit` was given, to be run by `exit` and behind `main`. */

enum { __FENCEPOST_HANDLERS = 32 };
static unsigned __fencepost_handlers;
static void (*__fencepost_handler[__FENCEPOST_HANDLERS])(void);

static int atexit(void (*handler)(void))
{
    __VERIFIER_atomic_begin();
    if (__fencepost_handlers == __FENCEPOST_HANDLERS)
        *(char *)&__fencepost_whole = 0;
    __fencepost_handler[__fencepost_handlers] = handler;
    __fencepost_handlers++;
    __VERIFIER_atomic_end();
    return 0;
}

static void __fencepost_run_handlers(void)
{
    while (__fencepost_handlers > 0) {
        void (*handler)(void);
        __fencepost_handlers--;
        handler = __fencepost_handler[__fencepost_handlers];
        handler();
    }
}

/* Keys. One that was deleted has no destructor any more, and its place is taken by no other. */

enum { __FENCEPOST_KEYS = 8 };
static unsigned __fencepost_keys;
static _Thread_local void *__fencepost_values[__FENCEPOST_KEYS];
static void (*__fencepost_destructors[__FENCEPOST_KEYS])(void *);

static int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    __VERIFIER_atomic_begin();
    if (__fencepost_keys == __FENCEPOST_KEYS)
        *(char *)&__fencepost_whole = 0;
    *key = __fencepost_keys;
    __fencepost_destructors[__fencepost_keys] = destructor;
    __fencepost_keys++;
    __VERIFIER_atomic_end();
    return 0;
}

static void __fencepost_destroy(void)
{
    unsigned round = 0;
    _Bool again = 1;
    /* Destructors that set values again are called again, a few times. */
    while (again && round < 4) {
        unsigned key = 0;
        again = 0;
        while (key < __fencepost_keys) {
            void *value = __fencepost_values[key];
            void (*destructor)(void *) = __fencepost_destructors[key];
            if (value != 0 && destructor != 0) {
                __fencepost_values[key] = 0;
                destructor(value);
                again = 1;
            }
            key++;
        }
        round++;
    }
}

static int pthread_key_delete(unsigned key)
{
    __fencepost_destructors[key] = 0;
    return 0;
}

static void *pthread_getspecific(unsigned key)
{
    return __fencepost_values[key];
}

static int pthread_setspecific(unsigned key, const void *value)
{
    __fencepost_values[key] = (void *)value;
    return 0;
}

static int tss_create(unsigned *key, void (*destructor)(void *))
{
    return pthread_key_create(key, destructor) == 0 ? 0 : __FENCEPOST_thrd_error;
}

static void tss_delete(unsigned key)
{
    pthread_key_delete(key);
}

static void *tss_get(unsigned key)
{
    return pthread_getspecific(key);
}

static int tss_set(unsigned key, void *value)
{
    return pthread_setspecific(key, value);
}

/* Semaphores. */

typedef struct __fencepost_semaphore {
    unsigned value;
} sem_t;

static int sem_init(sem_t *s, int shared, unsigned value)
{
    int result = -1;
    if (value <= 2147483647) {
        s->value = value;
        result = 0;
    } else {
        __fencepost_errno = __FENCEPOST_EINVAL;
    }
    return result;
}

static int sem_destroy(sem_t *s)
{
    return 0;
}

static int sem_wait(sem_t *s)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(s->value > 0);
    s->value--;
    __VERIFIER_atomic_end();
    return 0;
}

static int __fencepost_sem_try(sem_t *s, int error)
{
    int result = -1;
    __VERIFIER_atomic_begin();
    if (s->value > 0) {
        s->value--;
        result = 0;
    }
    __VERIFIER_atomic_end();
    if (result != 0)
        __fencepost_errno = error;
    return result;
}

static int sem_trywait(sem_t *s)
{
    return __fencepost_sem_try(s, __FENCEPOST_EAGAIN);
}

static int sem_timedwait(sem_t *s, const void *until)
{
    return __fencepost_sem_try(s, __FENCEPOST_ETIMEDOUT);
}

static int sem_post(sem_t *s)
{
    __VERIFIER_atomic_begin();
    s->value++;
    __VERIFIER_atomic_end();
    return 0;
}

static int sem_getvalue(sem_t *s, int *value)
{
    __VERIFIER_atomic_begin();
    *value = (int)s->value;
    __VERIFIER_atomic_end();
    return 0;
}

/* Where threads wait for each other, but for mutexes. Waiting is an assumption at the beginning of an atomic section:
   where it does not hold, the section has not begun. */

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

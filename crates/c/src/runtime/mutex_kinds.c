/* Mutexes of programs that have recursive or checking ones, or that try to lock: the program's own lock,
   and who holds it how often. An atomic section that cannot take the lock is as if it had not begun. */

struct __fencepost_mutex {
    __fencepost_lock_t lock;
    pthread_t owner;
    int depth;
    int kind;
};
typedef struct __fencepost_mutex pthread_mutex_t;

static int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
    m->owner = 0;
    m->depth = 0;
    if (a)
        m->kind = a->kind;
    else
        m->kind = __FENCEPOST_NORMAL;
    return 0;
}

static int pthread_mutex_destroy(pthread_mutex_t *m)
{
    return m->owner == 0 ? 0 : __FENCEPOST_EBUSY;
}

static int pthread_mutex_lock(pthread_mutex_t *m)
{
    pthread_t self = __fencepost_self();
    int result = 0;
    __VERIFIER_atomic_begin();
    if (m->owner == self && m->kind == __FENCEPOST_RECURSIVE) {
        m->depth++;
    } else if (m->owner == self && m->kind == __FENCEPOST_ERRORCHECK) {
        result = __FENCEPOST_EDEADLK;
    } else {
        __fencepost_lock(&m->lock);
        m->owner = self;
    }
    __VERIFIER_atomic_end();
    return result;
}

static int pthread_mutex_trylock(pthread_mutex_t *m)
{
    pthread_t self = __fencepost_self();
    int result = 0;
    __VERIFIER_atomic_begin();
    if (m->owner == 0) {
        __fencepost_lock(&m->lock);
        m->owner = self;
    } else if (m->owner == self && m->kind == __FENCEPOST_RECURSIVE) {
        m->depth++;
    } else {
        result = __FENCEPOST_EBUSY;
    }
    __VERIFIER_atomic_end();
    return result;
}

static int pthread_mutex_timedlock(pthread_mutex_t *m, const void *until)
{
    pthread_t self = __fencepost_self();
    int result = 0;
    __VERIFIER_atomic_begin();
    if (m->owner == 0) {
        __fencepost_lock(&m->lock);
        m->owner = self;
    } else if (m->owner == self && m->kind == __FENCEPOST_RECURSIVE) {
        m->depth++;
    } else if (m->owner == self && m->kind == __FENCEPOST_ERRORCHECK) {
        result = __FENCEPOST_EDEADLK;
    } else {
        result = __FENCEPOST_ETIMEDOUT;
    }
    __VERIFIER_atomic_end();
    return result;
}

static int pthread_mutex_clocklock(pthread_mutex_t *m, int clock, const void *until)
{
    return pthread_mutex_timedlock(m, until);
}

static int pthread_mutex_unlock(pthread_mutex_t *m)
{
    pthread_t self = __fencepost_self();
    int result = 0;
    __VERIFIER_atomic_begin();
    if (m->owner != self && (m->kind == __FENCEPOST_ERRORCHECK || m->kind == __FENCEPOST_RECURSIVE)) {
        result = __FENCEPOST_EPERM;
    } else if (m->depth > 0) {
        m->depth--;
    } else {
        m->owner = 0;
        __fencepost_unlock(&m->lock);
    }
    __VERIFIER_atomic_end();
    return result;
}

static int mtx_init(pthread_mutex_t *m, int kind)
{
    m->owner = 0;
    m->depth = 0;
    m->kind = kind & 1 ? __FENCEPOST_RECURSIVE : __FENCEPOST_NORMAL;
    return 0;
}

static int mtx_trylock(pthread_mutex_t *m)
{
    return pthread_mutex_trylock(m) == 0 ? 0 : __FENCEPOST_thrd_busy;
}

static int mtx_timedlock(pthread_mutex_t *m, const void *until)
{
    return pthread_mutex_timedlock(m, until) == 0 ? 0 : __FENCEPOST_thrd_timedout;
}

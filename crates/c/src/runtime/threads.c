/* Attributes, C11's mutexes, what runs once or at the end, and what threads have for themselves. */

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

/* What `atexit` was given, to be run by `exit` and after `main`. */

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

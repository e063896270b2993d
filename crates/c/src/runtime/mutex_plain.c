/* Mutexes of programs that know one kind and never try: the program's own lock and nothing else. */

typedef __fencepost_lock_t pthread_mutex_t;

static int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
    return 0;
}

static int pthread_mutex_destroy(pthread_mutex_t *m)
{
    return 0;
}

static int pthread_mutex_lock(pthread_mutex_t *m)
{
    __fencepost_lock(m);
    return 0;
}

static int pthread_mutex_unlock(pthread_mutex_t *m)
{
    __fencepost_unlock(m);
    return 0;
}

static int mtx_init(pthread_mutex_t *m, int kind)
{
    return 0;
}

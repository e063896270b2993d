/* Semaphores with names. There are none when the program begins. A semaphore whose name is gone stays where it is, and its
   place is taken by no other. */

enum { __FENCEPOST_NAMED = 8, __FENCEPOST_O_CREAT = 64, __FENCEPOST_O_EXCL = 128 };

typedef struct __fencepost_named_semaphore {
    const char *name;
    _Bool is_used;
    sem_t semaphore;
} __fencepost_named_semaphore;

static __fencepost_named_semaphore __fencepost_named[__FENCEPOST_NAMED];

static int __fencepost_find_named(const char *name)
{
    int found = -1, i = 0;
    while (i < __FENCEPOST_NAMED) {
        const char *known = __fencepost_named[i].name;
        if (known != 0 && strcmp(known, name) == 0)
            found = i;
        i++;
    }
    return found;
}

static sem_t *__fencepost_sem_open(const char *name, int flags, unsigned value)
{
    sem_t *result = 0;
    int found;
    __VERIFIER_atomic_begin();
    found = __fencepost_find_named(name);
    if (found >= 0) {
        if ((flags & __FENCEPOST_O_CREAT) == 0 || (flags & __FENCEPOST_O_EXCL) == 0)
            result = &__fencepost_named[found].semaphore;
        else
            __fencepost_errno = __FENCEPOST_EEXIST;
    } else if ((flags & __FENCEPOST_O_CREAT) != 0) {
        int next = 0;
        while (next < __FENCEPOST_NAMED && __fencepost_named[next].is_used)
            next++;
        if (next == __FENCEPOST_NAMED)
            *(char *)&__fencepost_whole = 0;
        __fencepost_named[next].name = name;
        __fencepost_named[next].is_used = 1;
        __fencepost_named[next].semaphore.value = value;
        result = &__fencepost_named[next].semaphore;
    } else {
        __fencepost_errno = __FENCEPOST_ENOENT;
    }
    __VERIFIER_atomic_end();
    return result;
}

static int sem_unlink(const char *name)
{
    int found;
    __VERIFIER_atomic_begin();
    found = __fencepost_find_named(name);
    if (found >= 0)
        __fencepost_named[found].name = 0;
    else
        __fencepost_errno = __FENCEPOST_ENOENT;
    __VERIFIER_atomic_end();
    return found >= 0 ? 0 : -1;
}

/* What the other files of this folder share. Every function here is inlined where it is called, has at
   most one `return`, as its last statement, and assigns no parameter. Names of types are those of the
   thread libraries, and mean these types in programs, too, whatever a header says. */

typedef int __fencepost_lock_t;
typedef unsigned long pthread_t;

typedef struct __fencepost_thread_attributes {
    int detached;
    unsigned long stack;
} pthread_attr_t;

typedef struct __fencepost_mutex_attributes {
    int kind;
} pthread_mutexattr_t;

enum { __FENCEPOST_NORMAL, __FENCEPOST_RECURSIVE, __FENCEPOST_ERRORCHECK };

enum {
    __FENCEPOST_EPERM = 1,
    __FENCEPOST_ENOENT = 2,
    __FENCEPOST_EAGAIN = 11,
    __FENCEPOST_EBUSY = 16,
    __FENCEPOST_EEXIST = 17,
    __FENCEPOST_EINVAL = 22,
    __FENCEPOST_ERANGE = 34,
    __FENCEPOST_EDEADLK = 35,
    __FENCEPOST_ETIMEDOUT = 110
};

enum { __FENCEPOST_thrd_busy = 1, __FENCEPOST_thrd_error = 2, __FENCEPOST_thrd_timedout = 4 };

static _Thread_local int __fencepost_errno;

/* Where something is meant that is not modelled, an access is made that memory refuses: to part of this variable. */
static long __fencepost_whole;

/* C11 threads. */
#ifndef _FENCEPOST_THREADS_H
#define _FENCEPOST_THREADS_H

#include <time.h>

typedef unsigned long thrd_t;
typedef unsigned tss_t;
typedef int (*thrd_start_t)(void *);
typedef void (*tss_dtor_t)(void *);

typedef struct __fencepost_mtx {
    int __kind;
} mtx_t;

typedef struct __fencepost_cnd {
    int __kind;
} cnd_t;

typedef struct __fencepost_once {
    int __state;
} once_flag;

enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain, mtx_recursive, mtx_timed };

#define ONCE_FLAG_INIT {0}
#define TSS_DTOR_ITERATIONS 4
#define thread_local _Thread_local

int thrd_create(thrd_t *, thrd_start_t, void *);
int thrd_equal(thrd_t, thrd_t);
thrd_t thrd_current(void);
int thrd_sleep(const struct timespec *, struct timespec *);
void thrd_yield(void);
_Noreturn void thrd_exit(int);
int thrd_detach(thrd_t);
int thrd_join(thrd_t, int *);

int mtx_init(mtx_t *, int);
void mtx_destroy(mtx_t *);
int mtx_lock(mtx_t *);
int mtx_timedlock(mtx_t *, const struct timespec *);
int mtx_trylock(mtx_t *);
int mtx_unlock(mtx_t *);

int cnd_init(cnd_t *);
void cnd_destroy(cnd_t *);
int cnd_signal(cnd_t *);
int cnd_broadcast(cnd_t *);
int cnd_wait(cnd_t *, mtx_t *);
int cnd_timedwait(cnd_t *, mtx_t *, const struct timespec *);

void call_once(once_flag *, void (*)(void));
int tss_create(tss_t *, tss_dtor_t);
void tss_delete(tss_t);
void *tss_get(tss_t);
int tss_set(tss_t, void *);

#endif

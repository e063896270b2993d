/* Time of day. */
#ifndef _FENCEPOST_SYS_TIME_H
#define _FENCEPOST_SYS_TIME_H

#include <__fencepost_types.h>
#include <time.h>

struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};

struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};

struct itimerval {
    struct timeval it_interval;
    struct timeval it_value;
};

#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2

#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)

int gettimeofday(struct timeval *, void *);
int settimeofday(const struct timeval *, const struct timezone *);
int setitimer(int, const struct itimerval *, struct itimerval *);
int getitimer(int, struct itimerval *);

#endif

/* Times of processes. */
#ifndef _FENCEPOST_SYS_TIMES_H
#define _FENCEPOST_SYS_TIMES_H

#include <__fencepost_types.h>

struct tms {
    clock_t tms_utime;
    clock_t tms_stime;
    clock_t tms_cutime;
    clock_t tms_cstime;
};

clock_t times(struct tms *);

#endif

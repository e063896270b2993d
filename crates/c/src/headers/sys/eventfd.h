/* Counters as files. */
#ifndef _FENCEPOST_SYS_EVENTFD_H
#define _FENCEPOST_SYS_EVENTFD_H

#include <stdint.h>

typedef uint64_t eventfd_t;

#define EFD_SEMAPHORE 1
#define EFD_NONBLOCK 2048

int eventfd(unsigned, int);
int eventfd_read(int, eventfd_t *);
int eventfd_write(int, eventfd_t);

#endif

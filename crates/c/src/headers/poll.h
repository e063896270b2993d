/* Waiting for files. */
#ifndef _FENCEPOST_POLL_H
#define _FENCEPOST_POLL_H

struct pollfd {
    int fd;
    short events;
    short revents;
};

typedef unsigned long nfds_t;

#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
#define POLLRDNORM 64
#define POLLRDBAND 128
#define POLLWRNORM 256
#define POLLWRBAND 512

_Bool __VERIFIER_nondet_bool(void);

/* Any of the files may be ready for any of what is asked for, or be gone; no signal comes. */
static inline int poll(struct pollfd *files, nfds_t count, int timeout)
{
    int ready = 0;
    (void)timeout;
    for (nfds_t i = 0; i < count; i++) {
        int mask = files[i].events | POLLERR | POLLHUP | POLLNVAL, found = 0;
        for (int bit = 1; bit <= POLLWRBAND; bit <<= 1)
            if ((mask & bit) && __VERIFIER_nondet_bool())
                found |= bit;
        files[i].revents = (short)found;
        ready += found != 0;
    }
    return ready;
}

#endif

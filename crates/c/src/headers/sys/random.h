/* Random bytes. */
#ifndef _FENCEPOST_SYS_RANDOM_H
#define _FENCEPOST_SYS_RANDOM_H

#include <__fencepost_types.h>

ssize_t getrandom(void *, size_t, unsigned);

#endif

/* An old name. */
#ifndef _FENCEPOST_SYSCALL_H
#define _FENCEPOST_SYSCALL_H

#include <sys/syscall.h>

#endif

/* Waiting for files. */
#ifndef _FENCEPOST_SYS_SELECT_H
#define _FENCEPOST_SYS_SELECT_H

#include <__fencepost_types.h>
#include <sys/time.h>

#endif

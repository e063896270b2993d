/* Marks for a tool that runs programs. */
#ifndef _FENCEPOST_VALGRIND_DRD_H
#define _FENCEPOST_VALGRIND_DRD_H

#include <valgrind/helgrind.h>

#define DRD_IGNORE_VAR(variable) ((void)0)
#define DRD_TRACE_VAR(variable) ((void)0)

#endif

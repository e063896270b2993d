/* Marks for a tool that runs programs. */
#ifndef _FENCEPOST_VALGRIND_VALGRIND_H
#define _FENCEPOST_VALGRIND_VALGRIND_H

#define RUNNING_ON_VALGRIND 0

#endif

/* Marks for a tool that runs programs. */
#ifndef _FENCEPOST_VALGRIND_HELGRIND_H
#define _FENCEPOST_VALGRIND_HELGRIND_H

#define VALGRIND_HG_DISABLE_CHECKING(start, length) ((void)0)
#define VALGRIND_HG_ENABLE_CHECKING(start, length) ((void)0)
#define VALGRIND_HG_CLEAN_MEMORY(start, length) ((void)0)
#define ANNOTATE_HAPPENS_BEFORE(object) ((void)0)
#define ANNOTATE_HAPPENS_AFTER(object) ((void)0)
#define ANNOTATE_BENIGN_RACE(object, text) ((void)0)
#define ANNOTATE_BENIGN_RACE_SIZED(object, size, text) ((void)0)

#endif

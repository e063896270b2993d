/* Waiting for processes. */
#ifndef _FENCEPOST_SYS_WAIT_H
#define _FENCEPOST_SYS_WAIT_H

#include <__fencepost_types.h>

#define WNOHANG 1
#define WUNTRACED 2
#define WEXITSTATUS(status) (((status) & 0xff00) >> 8)
#define WTERMSIG(status) ((status) & 0x7f)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) (!WIFEXITED(status))

pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);

#endif

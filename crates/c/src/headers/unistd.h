/* The system. */
#ifndef _FENCEPOST_UNISTD_H
#define _FENCEPOST_UNISTD_H

#include <__fencepost_types.h>
#include <getopt.h>
#include <stddef.h>

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define _SC_CLK_TCK 2
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84

extern char **environ;

unsigned sleep(unsigned);
int usleep(useconds_t);
unsigned alarm(unsigned);
int pause(void);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
int close(int);
int dup(int);
int dup2(int, int);
int pipe(int [2]);
off_t lseek(int, off_t, int);
int fsync(int);
int ftruncate(int, off_t);
int unlink(const char *);
int rmdir(const char *);
int chdir(const char *);
char *getcwd(char *, size_t);
int access(const char *, int);
int isatty(int);
pid_t fork(void);
pid_t vfork(void);
pid_t getpid(void);
pid_t getppid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
int gethostname(char *, size_t);
int getpagesize(void);
long sysconf(int);
long syscall(long, ...);
int execl(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int execv(const char *, char *const []);
int execvp(const char *, char *const []);
int nice(int);
_Noreturn void _exit(int);

#ifdef _GNU_SOURCE
pid_t gettid(void);
#endif

#endif

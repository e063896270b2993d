/* The types that several headers share. */
#ifndef _FENCEPOST_TYPES_H
#define _FENCEPOST_TYPES_H

#include <stddef.h>

typedef __PTRDIFF_TYPE__ ssize_t;
typedef long off_t;
typedef long long off64_t;
typedef long long loff_t;
typedef int pid_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
typedef unsigned id_t;
typedef unsigned mode_t;
typedef unsigned long dev_t;
typedef unsigned long ino_t;
typedef unsigned long nlink_t;
typedef long blksize_t;
typedef long blkcnt_t;
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef long suseconds_t;
typedef unsigned useconds_t;
typedef int key_t;
typedef char *caddr_t;

#endif

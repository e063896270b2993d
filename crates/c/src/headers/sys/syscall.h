/* Numbers of system calls. */
#ifndef _FENCEPOST_SYS_SYSCALL_H
#define _FENCEPOST_SYS_SYSCALL_H

#ifdef __x86_64__
#define SYS_gettid 186
#define SYS_futex 202
#define SYS_membarrier 324
#else
#define SYS_gettid 224
#define SYS_futex 240
#define SYS_membarrier 375
#endif
#define __NR_gettid SYS_gettid
#define __NR_futex SYS_futex
#define __NR_membarrier SYS_membarrier

#endif

/* Scheduling. */
#ifndef _FENCEPOST_SCHED_H
#define _FENCEPOST_SCHED_H

#include <__fencepost_types.h>
#include <time.h>

struct sched_param {
    int sched_priority;
};

#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define SCHED_IDLE 5

#define CPU_SETSIZE 1024
typedef struct {
    unsigned long __bits[CPU_SETSIZE / (8 * sizeof(unsigned long))];
} cpu_set_t;

void __fencepost_cpu_zero(cpu_set_t *);
void __fencepost_cpu_set(int, cpu_set_t *);
void __fencepost_cpu_clear(int, cpu_set_t *);
int __fencepost_cpu_isset(int, const cpu_set_t *);
int __fencepost_cpu_count(const cpu_set_t *);
#define CPU_ZERO(set) __fencepost_cpu_zero(set)
#define CPU_SET(cpu, set) __fencepost_cpu_set(cpu, set)
#define CPU_CLR(cpu, set) __fencepost_cpu_clear(cpu, set)
#define CPU_ISSET(cpu, set) __fencepost_cpu_isset(cpu, set)
#define CPU_COUNT(set) __fencepost_cpu_count(set)

int sched_yield(void);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_getscheduler(pid_t);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_getparam(pid_t, struct sched_param *);
int sched_setparam(pid_t, const struct sched_param *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);

#ifdef _GNU_SOURCE
int sched_getcpu(void);
#endif

#endif

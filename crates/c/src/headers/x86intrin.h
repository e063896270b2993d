/* The fences and hints of x86, and its clock. */
#ifndef _FENCEPOST_X86INTRIN_H
#define _FENCEPOST_X86INTRIN_H

#include <emmintrin.h>

unsigned long long __rdtsc(void);
unsigned long long __rdtscp(unsigned *);

#endif

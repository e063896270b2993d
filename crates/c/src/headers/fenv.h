/* The state of floating point, which is not followed. */
#ifndef _FENCEPOST_FENV_H
#define _FENCEPOST_FENV_H

#define FE_DIVBYZERO 4
#define FE_INEXACT 32
#define FE_INVALID 1
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0

int fesetround(int);
int fegetround(void);
int feclearexcept(int);
int feenableexcept(int);

#endif

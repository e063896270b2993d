/* The fences and hints of x86. */
#ifndef _FENCEPOST_IMMINTRIN_H
#define _FENCEPOST_IMMINTRIN_H

#include <emmintrin.h>

#endif

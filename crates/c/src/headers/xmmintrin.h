/* The fences and hints of x86. */
#ifndef _FENCEPOST_XMMINTRIN_H
#define _FENCEPOST_XMMINTRIN_H

#include <emmintrin.h>

#endif

/* The fences and hints of x86. */
#ifndef _FENCEPOST_EMMINTRIN_H
#define _FENCEPOST_EMMINTRIN_H

void _mm_pause(void);
void _mm_mfence(void);
void _mm_sfence(void);
void _mm_lfence(void);
void _mm_clflush(const void *);

#endif

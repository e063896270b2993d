/* What programs for CDSChecker say to it: plain accesses by functions. */
#ifndef _FENCEPOST_LIBRACE_H
#define _FENCEPOST_LIBRACE_H

#include <stdint.h>

static inline void store_8(void *address, uint8_t value) { *(uint8_t *)address = value; }
static inline void store_16(void *address, uint16_t value) { *(uint16_t *)address = value; }
static inline void store_32(void *address, uint32_t value) { *(uint32_t *)address = value; }
static inline void store_64(void *address, uint64_t value) { *(uint64_t *)address = value; }
static inline uint8_t load_8(const void *address) { return *(const uint8_t *)address; }
static inline uint16_t load_16(const void *address) { return *(const uint16_t *)address; }
static inline uint32_t load_32(const void *address) { return *(const uint32_t *)address; }
static inline uint64_t load_64(const void *address) { return *(const uint64_t *)address; }

#endif

/* Types of POSIX. */
#ifndef _FENCEPOST_SYS_TYPES_H
#define _FENCEPOST_SYS_TYPES_H

#include <__fencepost_types.h>
#include <stdint.h>

typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned u_int;
typedef unsigned long u_long;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;

#endif

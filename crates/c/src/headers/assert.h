/* Assertions. The standard wants the macro anew each time this is included. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
/* Built into the front end: fails if the condition, of any scalar type, is 0. */
#define assert(condition) __fencepost_assert(condition)
#endif

#undef static_assert
#define static_assert _Static_assert

#ifndef _FENCEPOST_ASSERT_H
#define _FENCEPOST_ASSERT_H

_Noreturn void __assert_fail(const char *, const char *, unsigned, const char *);

#endif

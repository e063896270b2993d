/* Assertions of programs for CDSChecker. */
#ifndef _FENCEPOST_MODEL_ASSERT_H
#define _FENCEPOST_MODEL_ASSERT_H

#include <assert.h>

#define MODEL_ASSERT(condition) __fencepost_assert(condition)

#endif

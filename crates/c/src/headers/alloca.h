/* Memory of the caller's frame. */
#ifndef _FENCEPOST_ALLOCA_H
#define _FENCEPOST_ALLOCA_H

#include <stddef.h>

void *alloca(size_t);

#endif

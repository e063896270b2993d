/* Memory. */
#ifndef _FENCEPOST_MALLOC_H
#define _FENCEPOST_MALLOC_H

#include <stdlib.h>

void *memalign(size_t, size_t);
size_t malloc_usable_size(void *);

#endif

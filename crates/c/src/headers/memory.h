/* An old name. */
#ifndef _FENCEPOST_MEMORY_H
#define _FENCEPOST_MEMORY_H

#include <string.h>

#endif

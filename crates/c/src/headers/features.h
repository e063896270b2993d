/* What a C library supports. */
#ifndef _FENCEPOST_FEATURES_H
#define _FENCEPOST_FEATURES_H

#include <sys/cdefs.h>

#endif

/* Macros of C libraries. */
#ifndef _FENCEPOST_SYS_CDEFS_H
#define _FENCEPOST_SYS_CDEFS_H

#define __BEGIN_DECLS
#define __END_DECLS
#define __P(arguments) arguments
#define __CONCAT(x, y) x##y
#define __STRING(x) #x
#define __THROW
#define __nonnull(parameters)
#define __wur

#endif

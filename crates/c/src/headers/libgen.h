/* Parts of paths. */
#ifndef _FENCEPOST_LIBGEN_H
#define _FENCEPOST_LIBGEN_H

char *basename(char *);
char *dirname(char *);

#endif

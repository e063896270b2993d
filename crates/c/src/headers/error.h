/* Messages about errors. */
#ifndef _FENCEPOST_ERROR_H
#define _FENCEPOST_ERROR_H

void error(int, int, const char *, ...);

#endif

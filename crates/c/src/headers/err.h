/* Messages about errors. */
#ifndef _FENCEPOST_ERR_H
#define _FENCEPOST_ERR_H

_Noreturn void err(int, const char *, ...);
_Noreturn void errx(int, const char *, ...);
void warn(const char *, ...);
void warnx(const char *, ...);

#endif

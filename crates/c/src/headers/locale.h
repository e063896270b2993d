/* Locales. */
#ifndef _FENCEPOST_LOCALE_H
#define _FENCEPOST_LOCALE_H

#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_ALL 6

char *setlocale(int, const char *);

#endif

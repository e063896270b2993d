/* Wide characters. */
#ifndef _FENCEPOST_WCHAR_H
#define _FENCEPOST_WCHAR_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned wint_t;

#define WEOF 0xffffffffu

size_t wcslen(const wchar_t *);
int wcscmp(const wchar_t *, const wchar_t *);
wchar_t *wcscpy(wchar_t *, const wchar_t *);
int wprintf(const wchar_t *, ...);

#endif

/* Kinds of wide characters. */
#ifndef _FENCEPOST_WCTYPE_H
#define _FENCEPOST_WCTYPE_H

#include <wchar.h>

int iswalpha(wint_t);
int iswdigit(wint_t);
int iswspace(wint_t);

#endif

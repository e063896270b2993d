/* What programs for Goblint say to it. */
#ifndef _FENCEPOST_GOBLINT_H
#define _FENCEPOST_GOBLINT_H

void __goblint_check(int);
void __goblint_assume(int);
void __goblint_assert(int);
void __goblint_split_begin(int);
void __goblint_split_end(int);

#endif

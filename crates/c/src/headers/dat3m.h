/* What programs for Dartagnan say to it. */
#ifndef _FENCEPOST_DAT3M_H
#define _FENCEPOST_DAT3M_H

_Bool __VERIFIER_nondet_bool(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);
void __VERIFIER_loop_begin(void);
void __VERIFIER_loop_bound(int);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);

#endif

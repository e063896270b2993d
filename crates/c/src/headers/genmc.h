/* What programs for GenMC say to it. Hints of how to search mean nothing here. */
#ifndef _FENCEPOST_GENMC_H
#define _FENCEPOST_GENMC_H

#include <stdlib.h>

void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);

#define __VERIFIER_final_CAS(operation) (operation)
#define __VERIFIER_local_CAS(operation) (operation)
#define __VERIFIER_helping_CAS(operation) (operation)
#define __VERIFIER_helped_CAS(operation) (operation)
#define __VERIFIER_confirming_CAS(operation) (operation)
#define __VERIFIER_confirming_read(operation) (operation)
#define __VERIFIER_confirmation_CAS(operation) (operation)
#define __VERIFIER_speculative_read(operation) (operation)
#define __VERIFIER_final_write(operation) (operation)
#define __VERIFIER_local_write(operation) (operation)
#define __VERIFIER_optional(operation) (operation)

#endif

#include <stdlib.h>
void test(void) { int *a = malloc(2 * sizeof(int)); a[0] = 1; a[1] = 2; a = realloc(a, 4 * sizeof *a); a[3] = 70;
    out(a[1] + a[3]); free(a); int *nn = realloc(NULL, sizeof(int)); *nn = 4;
    out(*nn); free(nn); }

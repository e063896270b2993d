#include <stdlib.h>
#include <string.h>
struct p { int x; long y; char *s; };
void test(void) { int *a = malloc(4 * sizeof(int)); for (int i = 0; i < 4; i++) a[i] = i + 1;
    out(a[3]); free(a); long *z = calloc(3, sizeof(long));
    out(z[2]); free(z); struct p *p = malloc(sizeof *p); p->x = 1; p->y = 2; p->s = malloc(3); p->s[0] = 'a'; p->s[2] = 'c';
    out(p->s[2] + p->y); free(p->s); free(p); free(NULL); char *c = malloc(10); memset(c, 'x', 10);
    out(c[9]); free(c); int **m = malloc(2 * sizeof(int *)); for (int i = 0; i < 2; i++) { m[i] = calloc(2, sizeof(int)); m[i][1] = i + 5; } out(m[1][1] + m[0][1] + m[0][0]); for (int i = 0; i < 2; i++) free(m[i]); free(m); struct p *q = calloc(2, sizeof(struct p));
    out(q[1].s == 0); q[1] = (struct p){1, 2, "k"};
    out(q[1].s[0]); free(q); void *v = malloc(sizeof(int)); *(int *)v = 3;
    out(*(int *)v); free(v); int (*mat)[3] = malloc(2 * sizeof *mat); mat[1][2] = 12;
    out(mat[1][2]); free(mat); int *one = (int *)malloc(sizeof(int)); *one = 5; *one += 1;
    out(*one); free(one); unsigned char *u = malloc(1); *u = 255; ++*u;
    out(*u); free(u); }

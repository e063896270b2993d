#include <stddef.h>
struct s { int a, b; }; static struct s x; static int arr[3]; static int f(void) { return 1; }
void test(void) { int *p = NULL, *q = &arr[0];
    out(p == q);
    out(p != NULL);
    out(q == arr);
    out(&arr[1] > &arr[0]);
    out(&arr[2] <= arr + 2);
    out((void *)&x == (void *)&x.a);
    out((int *)&x == &x.a);
    out(&x.a < &x.b);
    out(&x.a + 1 == &x.b);
    out(!q);
    out(!!q);
    out(q && 1);
    out(p || q);
    out(f != NULL);
    out(&f == f);
    out((arr + 3) - arr);
    out(p == 0L);
    out(p == (void *)0);
    out((long)p == 0); int a, b;
    out(&a == &b);
    out(&a != &b); p = &a; int *r = p;
    out(r == &a);
    out(q == q + 0); const char *s = "x";
    out(s == s);
    out(s != NULL);
    out((char *)&x.b - (char *)&x);
    out(&arr[3] - &arr[1]); if (p) out(1); if (!p) out(2); p = 0; while (p) p = 0;
    out(p == NULL);
    out(p ? 1 : 0); void *v = &x;
    out(v == &x.a); }

#include <stdint.h>
#include <stddef.h>
struct s { int a; int b; }; static struct s g = {1, 2};
static int get(void *v) { return *(int *)v; } static void *id(void *v) { return v; }
void test(void)
{
    int x = 42; void *v = &x;
    out(get(v));
    out(get(&g));
    out(get(&g.b)); int *p = id(&x);
    out(*p);
    out(((struct s *)id(&g))->b);
    out(v == &x);
    out(v != p); char *c = (char *)&g;
    out(*(int *)(c + offsetof(struct s, b))); struct s *back = (struct s *)((char *)&g.b - offsetof(struct s, b));
    out(back->a);
    out(back == &g); uintptr_t u = (uintptr_t)&x;
    out(*(int *)u);
    out(u == (uintptr_t)v);
    out(u != 0); intptr_t i = (intptr_t)(void *)0;
    out(i);
    out((void *)5 == (void *)5);
    out((intptr_t)(void *)5);
    out((long)(int *)-1); v = (void *)(long)77;
    out((int)(long)v);
    out((size_t)(char *)0);
    out(NULL == (void *)0);
    out((int)(intptr_t)id((void *)(intptr_t)-3)); void *n = NULL;
    out(n == 0);
    out(!n); int *ip = 0;
    out(ip == NULL);
    out((unsigned char)(uintptr_t)(void *)0x1ff); const int cx = 5;
    out(*(int *)&cx);
    out((v = &x, *(int *)v)); unsigned *up = (unsigned *)&x; *up = -1;
    out(x);
    out(*up); volatile int *vp = &x; *vp = 4;
    out(x);
}

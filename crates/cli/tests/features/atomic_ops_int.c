#include <stdatomic.h>
static _Atomic int a; static atomic_int b = 5; static _Atomic(int) c = ATOMIC_VAR_INIT(3); struct s { atomic_int x; _Atomic unsigned char uc; int plain; }; static struct s st;
void test(void)
{
    out(a); a = 4;
    out(a);
    out(a++);
    out(a);
    out(++a);
    out(a--);
    out(--a);
    out(a += 10);
    out(a -= 3);
    out(a *= 2);
    out(a /= 3);
    out(a %= 4);
    out(a |= 12);
    out(a &= 10);
    out(a ^= 7);
    out(a <<= 2);
    out(a >>= 1);
    out(b + c); b = c = 9;
    out(b);
    out(c); int x = b;
    out(x);
    out(a == 14);
    out(!a);
    out(-a);
    out(a ? 1 : 2); if (a) out(1); while (a) a -= 1;
    out(a);
    out(st.x++);
    out(st.x); st.uc = 255;
    out(st.uc++);
    out(st.uc);
    out(st.uc--);
    out(st.uc);
    out(st.uc += 2);
    out(st.uc -= 3); struct s *p = &st; p->x = 7;
    out(p->x *= p->x); _Atomic int *q = &a; *q = 3;
    out((*q)++);
    out(*q);
    out(*q += 1); _Atomic int arr[2] = {1, 2};
    out(arr[1]++ + arr[0]);
    out(arr[1]); _Atomic int local = 8; local += local;
    out(local);
    out((a = 5) + 1);
    out(a = b = 2);
}

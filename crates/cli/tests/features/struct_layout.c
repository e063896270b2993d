#include <stddef.h>
struct a { char c; int i; char d; }; struct b { char c; short s; long l; char e; }; struct c { struct a a; char t; }; struct d { char x[5]; short y; }; struct e { struct b arr[2]; char z; }; union u { char c[7]; int i; }; struct f { union u u; char q; }; struct __attribute__((packed)) pk { char c; int i; };
struct anon { int k; struct { char m; long n; }; union { int o; char p; }; };
struct nested { struct { int x; struct { short y[3]; } in; } mid; int last; };
void test(void)
{
    out(sizeof(struct a));
    out(sizeof(struct b));
    out(sizeof(struct c));
    out(sizeof(struct d));
    out(sizeof(struct e));
    out(sizeof(union u));
    out(sizeof(struct f));
    out(sizeof(struct anon));
    out(sizeof(struct nested));
    out(offsetof(struct a, i));
    out(offsetof(struct a, d));
    out(offsetof(struct b, l));
    out(offsetof(struct c, t));
    out(offsetof(struct d, y));
    out(offsetof(struct e, z));
    out(offsetof(struct e, arr[1].l));
    out(offsetof(struct anon, n));
    out(offsetof(struct anon, p));
    out(offsetof(struct nested, mid.in.y[2]));
    out(_Alignof(struct a));
    out(_Alignof(struct b));
    out(_Alignof(struct d));
    out(_Alignof(long));
    out(_Alignof(char));
    out(_Alignof(int *));
    out(__alignof__(short));
    struct anon an; an.k = 1; an.m = 2; an.n = 3; an.o = 4;
    out(an.k + an.m * 10 + an.n * 100 + an.o * 1000); struct nested n = {{1, {{2, 3, 4}}}, 5};
    out(n.mid.in.y[1]);
    out(n.last);
}

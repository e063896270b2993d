/* Operands that are not evaluated: functions in them need no bodies, and variables no definitions. */
#include <stdatomic.h>
long g(void); struct s { char a; long b; int bits : 3; } h(int); int undefined_function(double, char *); extern double missing[7]; extern struct s ms;
double d(void); float fl(void);
void *vp(void); char *cp(void);
int x = 1, calls; int f(int y) { calls++; return y; }
typedef int fn(int);
static void test(void) {
  struct s *p = 0; char c = 1; short sh = 2; unsigned u = 1; int arr[5]; 
  out(sizeof(g()) == 8); out(sizeof(h(1)) == 24); out(sizeof(h(1).a) == 1); out(sizeof(undefined_function(1.0, "a")) == 4);
  out(sizeof(missing) == 56 && sizeof(missing[0]) == 8 && sizeof ms == 24 && sizeof(ms.b) == 8 && sizeof(*missing) == 8);
  out(sizeof(d()) == 8 && sizeof(fl()) == 4 && sizeof(fl() + d()) == 8 && sizeof(d() > 1) == 4 && sizeof(!d()) == 4 && sizeof(-fl()) == 4);
  out(sizeof(*p) == 24 && sizeof(p->a) == 1 && sizeof(p[3].b) == 8 && sizeof(f(x++)) == 4 && x == 1 && calls == 0);
  out(sizeof(c) == 1 && sizeof(+c) == 4 && sizeof(c + sh) == 4 && sizeof(~sh) == 4 && sizeof(c++) == 1 && sizeof(c = 5) == 1 && c == 1);
  out(sizeof("hello") == 6 && sizeof(&arr) == 8 && sizeof(*&arr) == 20 && sizeof(arr + 1) == 8 && sizeof(&arr[1] - arr) == 8);
  out(sizeof(1 ? c : sh) == 4 && sizeof(1 ? p : 0) == 8 && sizeof(*(1 ? p : 0)) == 24 && sizeof(*(x ? (void *)0 : p)) == 24);
  out(sizeof(g(), c) == 1 && sizeof(u << 1L) == 4 && sizeof(1L << u) == 8 && sizeof('a') == 4 && sizeof(({ long q = g(); q; })) == 8);
  out(_Alignof(g()) == 8 && __alignof__(h(2)) == 8);
  __typeof__(g()) v1 = 5; __typeof__(h(3)) v2 = { 1, 2, 3 }; __typeof__(undefined_function) *q = 0; __typeof__(*cp()) v3 = 'x';
  out(sizeof v1 == 8 && v2.b == 2 && q == 0 && sizeof v3 == 1 && sizeof(vp()) == 8 && sizeof(*cp()) == 1);
  out(_Generic(g(), long: 1, int: 2, default: 3) == 1); out(_Generic(h(1).a, char: 1, default: 2) == 1); out(_Generic(d() * 2, double: 1, default: 2) == 1);
  out(_Generic(c, char: 1, int: 2) == 1 && _Generic(+c, char: 1, int: 2) == 2 && _Generic("a", char *: 1, default: 2) == 1 && _Generic(f, int (*)(int): 1, default: 2) == 1);
  out(sizeof(p->bits + 1) == 4 && sizeof(sizeof(g())) == 8 && sizeof(arr[g()]) == 4 && sizeof((char)g()) == 1 && sizeof((struct s){ 1 }) == 24);
  out(sizeof(int[3]) == 12 && sizeof(f) == 1 && sizeof(&f) == 8 && sizeof(*f) == 1 && sizeof((*f)(3)) == 4 && sizeof(atomic_load((_Atomic int *)&x)) == 4);
  int n = 3; int vla[n]; out(sizeof vla == 12 && sizeof(vla[g()]) == 4 && sizeof(__builtin_popcount(g())) == 4);
  }

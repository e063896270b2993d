static inline int sq(int x) { return x * x; } inline static int cube(int x) { return x * sq(x); } static __inline__ int a1(int x) { return x + 1; } static __attribute__((always_inline)) inline int a2(int x) { return x + 2; } static int __attribute__((noinline)) a3(int x) { return x + 3; } extern inline __attribute__((gnu_inline)) int a4(int x) { return x + 4; } static int a5(int, int __attribute__((unused))); static int a5(int a, int b) { return a + 5; } _Noreturn static void never(void) { for (;;) ; } static inline void nothing(void) { } static int __attribute__((pure)) a6(int x) { if (x < 0) never(); return x + 6; } static inline int (a7)(int x) { return x + 7; }
int a4(int x);
void test(void) { out(sq(3));
    out(cube(3));
    out(a1(1));
    out(a2(1));
    out(a3(1));
    out(a5(1, 0)); nothing();
    out(a6(1));
    out(a7(1));
    out((a1)(2));
    out((*a1)(2));
    out(sq(sq(2) + 1)); }

static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); } static int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); } static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); } static int odd(unsigned n); static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); } static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; } static int moves; static void hanoi(int n, int a, int b, int c) { if (!n) return; hanoi(n - 1, a, c, b); moves = moves * 3 + b; moves %= 10007; hanoi(n - 1, c, b, a); } static int sum(const int *a, int n) { int local[2] = {n, n ? a[0] : 0}; if (!n) return 0; int r = sum(a + 1, n - 1); return local[1] + r + local[0] * 0; } static int addr(int n, int *up) { int me = n; if (up) *up += n; if (n) addr(n - 1, &me); return me; }
static long power(long b, unsigned e) { return !e ? 1 : (e & 1 ? b : 1) * power(b * b, e / 2); } static int (*self)(int); static int viaptr(int n) { return n ? n + self(n - 1) : 0; }
void test(void) { out(fact(10));
    out(fib(10));
    out(ack(2, 2));
    out(even(7));
    out(odd(7));
    out(gcd(48, 18)); hanoi(4, 0, 1, 2);
    out(moves); int a[] = {1, 2, 3, 4};
    out(sum(a, 4));
    out(addr(4, 0));
    out(power(3, 13)); self = viaptr;
    out(viaptr(5)); }

static int f(int n) { int r = 0; top: { int x = n; if (x > 3) { n -= 2; r += x; goto top; } } return r + n; } static int g(void) { int n = 0; { int i = 0; inner: i++; n += i; if (i < 3) goto inner; } return n; } static int h(int k) { switch (k) { case 0: goto a; case 1: goto b; } return 0; a: k += 10; b: k += 100; return k; } static int deep(void) { int c = 0; for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { if (j == 1) goto next; c += 10; } next: c++; } return c; } static int jumpin(int k) { int s = 0; if (k) goto in; while (s < 20) { s += 5; in: s += 1; } return s; } static int retry(void) { int tries = 0; again: tries++; for (int i = 0; i < 5; i++) { int local = i * tries; if (local == 4 && tries < 3) goto again; } return tries; }
void test(void) { out(f(10));
    out(f(2));
    out(g());
    out(h(0));
    out(h(1));
    out(h(2));
    out(deep());
    out(jumpin(0));
    out(jumpin(1));
    out(retry()); int n = 0; if (0) { skip: n += 5; } else n++; if (n == 1) goto skip;
    out(n); int arr[2] = {0}; l: arr[n % 2]++; if (++n < 10) goto l;
    out(arr[0] * 10 + arr[1]); }

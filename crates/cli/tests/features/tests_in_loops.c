static int n; static int next(void) { return n++; } static int lim(int k) { n += k; return n; }
void test(void) { while (next() < 3) ;
    out(n); for (int i = next(); i < lim(1); i = i + 3) out(i); do n -= 3; while (lim(0) > 0);
    out(n); for (; lim(1) < 5;) ;
    out(n); while (lim(1) < 8 && next() < 100) ;
    out(n); for (int i = 0, j = lim(-5); i < j && lim(1); i += 2, j = lim(0)) if (i > 6) break;
    out(n); int c = 0; while (c++ < 5) { if (next() % 2) continue; c++; } out(c);
    out(n); do { if (c-- > 3) continue; n++; } while (c > 0);
    out(n); for (int k = 0; k < 3; k++) { while (1) { if (next() % 3 == 0) break; } } out(n); for (n = 0; n < 10; n++) { if (n == 3) { n = 7; continue; } if (n == 9) break; } out(n); }

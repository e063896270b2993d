void test(void)
{
    int s = 0, i, j; for (i = 0; i < 5; i++) s += i;
    out(s); for (;;) { if (++s > 12) break; } out(s); while (s) s -= s > 3 ? 3 : 1;
    out(s); do s++; while (s < 4);
    out(s); do { s = 100; } while (0);
    out(s);
    for (i = 0, j = 10; i < j; i++, j--) ;
    out(i * 100 + j); s = 0; for (i = 0; i < 4; i++) { for (j = 0; j < 4; j++) { if (j == i) continue; if (j > 2) break; s = s * 3 + j; } } out(s); i = 0; while (1) { i++; if (i % 2) continue; if (i > 6) break; s += i; } out(s); for (int i = 0; i < 2; i++) for (int i = 5; i < 7; i++) s += i;
    out(s);
    out(i); i = 0; do { if (i == 2) continue; s++; } while (i++ < 4);
    out(s); for (unsigned char u = 250; u; u++) s++;
    out(s); for (int k = 3; k --> 0;) out(k); int n = 0; while (n++ < 3) ;
    out(n); for (i = 0; i < 3; ) i += 2;
    out(i); if (i) if (!i) out(1); else out(2); if (0) ; else if (1) out(3); else out(4); {} ; ; for (char c = 'a'; c <= 'c'; ++c) out(c); do if (i-- < 0) break; while (1);
    out(i); for (int a = 0, *p = &a; *p < 3; ++*p) out(a);
}

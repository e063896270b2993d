void test(void) { unsigned char c = 0; int n = 0; do n++; while (++c);
    out(n); signed char s = 0; n = 0; do { n++; s = s + 1; } while (s > 0);
    out(n);
    out(s); unsigned short u = 65530; n = 0; while (u) { u++; n++; } out(n); for (c = 5; c < 10; c--) n++;
    out(n);
    out(c); }

static int f(unsigned char c) { switch (c) { case 0 ... 9: return 1; case 10: return 2; case 255: return 3; default: return 4; } } static int s(signed char c) { switch (c) { case -128: return 1; case 127: return 2; case -1: return 3; } return 4; } static int ll(long long x) { switch (x) { case 1ll << 40: return 1; case -(1ll << 40): return 2; } return 3; } static int b(_Bool x) { switch (x) { case 0: return 5; case 1: return 6; } return 7; } enum e { A, B, C }; static int en(enum e x) { switch (x) { case A: return 10; case B: { return 11; } default: ; } return 12; }
void test(void) { out(f(5));
    out(f(10));
    out(f(255));
    out(f(-1));
    out(f(100));
    out(s(-128));
    out(s(127));
    out(s(255));
    out(s(0));
    out(ll(1ll << 40));
    out(ll(-(1ll << 40)));
    out(ll(0));
    out(b(5));
    out(b(0));
    out(en(A));
    out(en(B));
    out(en(C)); for (int i = 0; i < 4; i++) switch (i) { case 0: out(100); continue; case 1: { int z = 3;
    out(z); break; } case 2: for (;;) { break; } out(200); break; default: out(300); } int i = 0; switch (i) { case 0: do { i++; case 5: i += 2; } while (i < 8); } out(i); switch (i) for (;;) { default: out(1); goto done; } done: switch (3) { case 3:; } switch (2) { case 1: ; int q; case 2: q = 6;
    out(q); } }

static int find(int n) { for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) if (i * j == n) goto found; return -1; found: return n * 2; } static int cleanup(int k) { int r = 0; if (k == 0) goto out0; r += 1; if (k == 1) goto out1; r += 10; r += 100; out1: r += 1000; out0: r += 10000; return r; }
static int into(int k) { int s = 0; if (k) goto mid; for (s = 100; s < 103; s++) { mid: s += 10; } return s; }
void test(void)
{
    int i = 0; again: i++; if (i < 5) goto again;
    out(i);
    out(find(6));
    out(find(7));
    out(cleanup(0));
    out(cleanup(1));
    out(cleanup(2));
    out(into(0));
    out(into(1)); goto fwd; i = 99; fwd: out(i); { int x = 3; l1: x--; if (x) goto l1;
    out(x); } goto l2; { l3: out(33); goto l4; } l2: out(22); goto l3; l4:; int n = 0; loop: if (n == 3) goto done; n++; goto loop; done: out(n); while (1) { while (1) { if (n++ > 6) goto out2; if (n > 100) break; } } out2: out(n); switch (n) { case 8: goto c9; case 9: c9: out(9); }
    int m = 0; { lab: __attribute__((unused)); m++; } if (m < 3) goto lab; out(m);
}

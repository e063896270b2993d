static int f(int x) { int r = 0; switch (x) { case 0: r += 1; case 1: r += 10; break; default: r += 1000; case 2: case 3: r += 100; break; case 4 ... 6: r = x; } return r; }
static int g(unsigned char c) { switch (c) { case 'a' ... 'z': return 1; case 'A' ... 'Z': return 2; case 200: return 3; } return 0; } static int duff(int n) { int s = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { s++; case 3: s++; case 2: s++; case 1: s++; } while (--k > 0); } return s; }
static int h(long l) { switch (l) { case 0x100000000: return 1; case -1: return 2; case 1: return 3; default: return 4; } } static int nodef(int x) { switch (x) case 3: return 7; return 8; } static int u(unsigned x) { switch (x) { case -1: return 1; case 0: return 2; } return 3; }
void test(void)
{
    for (int i = -1; i < 9; i++) out(f(i));
    out(g('q'));
    out(g('Q'));
    out(g(200));
    out(g('1')); for (int i = 1; i < 9; i++) out(duff(i));
    out(h(0x100000000));
    out(h(-1));
    out(h(1));
    out(h(0));
    out(nodef(3));
    out(nodef(4));
    out(u(4294967295u));
    out(u(0)); int s = 0; for (int i = 0; i < 6; i++) { switch (i) { case 1: continue; case 3: break; case 4: s += 50; default: s += i; } s *= 2; } out(s); switch (s) { int z; case 1: z = 3;
    out(z); break; default: z = 4;
    out(z); } switch (1) { case 1: switch (2) { case 2: out(22); break; case 1: out(21); } out(11); break; case 2: out(0); } switch (5) { default: out(9); } switch (0) { } int k = 0; switch (k++) { case 0: k += 10; } out(k); switch (2) { case 1: if (0) { case 2: out(77); } else out(78); } char c = -1; switch (c) { case 255: out(1); break; case -1: out(2); } while (1) { switch (k) { case 11: k++; break; default: goto end; } } end: out(k);
}

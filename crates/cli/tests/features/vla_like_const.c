enum { N = 3 }; static const int M = 4; static int a[N * 2], b[sizeof(int)], c[(int)3], d['a' - 94], e[1 ? 2 : 3], f[N > 2 ? N : 1][2], g[!0 + 1], h[-(-2)], i2[7 / 2], j[1 << 3], k[0x10 & 0x18], l[sizeof(int[2])];
void test(void) { out(sizeof a / 4);
    out(sizeof b / 4);
    out(sizeof c / 4);
    out(sizeof d / 4);
    out(sizeof e / 4);
    out(sizeof f / 4);
    out(sizeof g / 4);
    out(sizeof h / 4);
    out(sizeof i2 / 4);
    out(sizeof j / 4);
    out(sizeof k / 4);
    out(sizeof l / 4); int m[N]; m[2] = 1;
    out(m[2]); switch (4) { case N + 1: out(1); } }

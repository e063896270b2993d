static int tr; static int t(int k) { tr = tr * 10 + k; return k; } struct p { int x, y; }; static struct p mk(int k) { tr++; return (struct p){k, k + 1}; }
void test(void) { int a[3] = {0, 5, 6}; int i = 1; a[i] = t(4);
    out(a[1]);
    out(a[0]); int b[3] = {7, 8, 9}; b[t(2)] = t(1);
    out(b[2]);
    out(b[0]);
    out(tr); struct p ps[2] = {{0, 0}, {0, 0}}; int j = 1; ps[j] = mk(5);
    out(ps[1].x);
    out(ps[0].x);
    out(ps[1].y); int k = 1; ps[k].y = t(3);
    out(ps[1].y);
    out(ps[0].y); int c[2] = {1, 2}; int m = 1; c[m] += t(6);
    out(c[1]);
    out(c[0]); for (int q = 0; q < 2; q++) c[q] = t(q + 3);
    out(c[0] * 10 + c[1]); int d[2][2] = {{1, 2}, {3, 4}}; int r = 1, s = 1; d[r][s] = t(9);
    out(d[1][1]);
    out(d[0][0] + d[0][1] + d[1][0]); }

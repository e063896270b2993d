static int sum(int n, int v[n]) { int s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }
void test(void)
{
    for (int n = 1; n < 4; n++) {
        int v[n];
        long grid[n][2];
        for (int i = 0; i < n; i++) { v[i] = i * n; grid[i][0] = i; grid[i][1] = -i; }
        out(sum(n, v)); out(sizeof v); out(sizeof v / sizeof v[0]); out(sizeof grid); out(grid[n - 1][1]);
        int *p = v; out(p[n - 1]);
    }
}

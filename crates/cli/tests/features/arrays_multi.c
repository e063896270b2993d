static int g[3][4] = {{1, 2}, {3, 4, 5, 6}, {[2] = 9}}; static char cube[2][2][2];
static int sum(int m[][4], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) s += m[i][j]; return s; }
static int row(int (*r)[4]) { return (*r)[1] + r[1][0]; } static void fill(char (*c)[2][2]) { int k = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) for (int l = 0; l < 2; l++) c[i][j][l] = k++; }
static int first(int a[static 2]) { return a[0] * 10 + a[1]; }
void test(void)
{
    out(sum(g, 3));
    out(sum(g + 1, 2));
    out(row(g));
    out(sizeof g);
    out(sizeof g[0]);
    out(sizeof g[0][0]); fill(cube);
    out(cube[1][0][1]);
    out(cube[1][1][1]); int k = 0; cube[k++][k++][0] = 42;
    out(k);
    int (*p)[4] = g; p++;
    out((*p)[3]);
    out(p[-1][1]); int *q = g[1];
    out(q[2]);
    out(*(*(g + 1) + 2));
    out(&g[2][0] - &g[0][0] == 8);
    out(g[2] - g[1]); int m[2][2] = {1, 2, 3, 4};
    out(m[1][0]); m[0][1] += m[1][1];
    out(m[0][1]);
    out(first(m[1])); int z[2][3] = {0};
    out(z[1][2]); int (*r)[2][2] = &m;
    out((*r)[1][1]);
    out(sizeof *r); int *rows[2] = {m[1], m[0]};
    out(rows[0][0]);
    out(1[m][1]);
}

/* Arrays whose rows have a variable length, as variables, parameters and behind pointers. */
#include <stdlib.h>

static int corner(int n, int m, int a[n][m]) { return a[n - 1][m - 1]; }
static int inner(int n, int a[][n], int i, int j) { return a[i][j]; }
static void fill(int n, int m, int (*a)[m], int by)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i * by + j;
}
static int sum(const int *row, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += row[i];
    return s;
}
static int cube(int a, int b, int c, short x[a][b][c]) { return x[a - 1][0][c - 1] * 10 + x[0][b - 1][0]; }

void test(void)
{
    int y[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    out(corner(2, 3, y));
    out(inner(3, y, 1, 0));
    int n = 3, m = 2;
    int g[n][m];
    fill(n, m, g, 10);
    out(g[0][0]);
    out(g[2][1]);
    out(corner(n, m, g));
    out(sum(g[1], m));
    out(sum(&g[2][0], m));
    out(*g[1]);
    out(sizeof g);
    out(sizeof g[0]);
    out(sizeof g[0][0]);
    int k[2][n];
    fill(2, n, k, 100);
    out(k[1][2]);
    out(sizeof k);
    int (*p)[m] = malloc(n * sizeof *p);
    fill(n, m, p, 7);
    out(p[2][1]);
    out(sizeof *p);
    out(sizeof p);
    free(p);
    int (*q)[n] = malloc(sizeof(int[m][n]));
    fill(m, n, q, 9);
    out(q[1][2]);
    out(sizeof(int[m][n]));
    free(q);
    short x[m][n][2];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < 2; l++)
                x[i][j][l] = i * 100 + j * 10 + l;
    out(cube(m, n, 2, x));
    out(x[1][2][1]);
    out(sizeof x[0]);
    int i = 0;
    g[++i][0]++;
    g[1][1] += 5;
    out(i + g[1][0] * 10 + g[1][1] * 1000);
    m = 5;
    out(sizeof g[0]);
    out(corner(3, 2, g));
}

static int two(int n, int a[n]) { return a[n - 1]; } static int m(int r, int c, int a[r][4]) { return a[r - 1][c - 1]; } static int star(int n, int a[*]); static int star(int n, int a[n]) { return a[0]; }
void test(void) { int a[] = {1, 2, 3}, b[2][4] = {{1}, {2, 3}};
    out(two(2, a));
    out(m(2, 2, b));
    out(star(1, a)); }

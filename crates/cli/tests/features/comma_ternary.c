static int n; static int se(int k) { n = n * 10 + k; return k; } struct s { int a; };
void test(void)
{
    int a = 1, b = 2, c; c = (a = 5, b = 6, a + b);
    out(c);
    out((se(1), se(2), se(3)));
    out(n); n = 0;
    out(a > b ? se(1) : se(2));
    out(n);
    out(a ? b ? 1 : 2 : 3);
    out(0 ? 1 : 0 ? 2 : 3);
    out(a < 0 ? -1 : a > 0 ? 1 : 0); int x = 0, y = 0; (a ? x : y); a ? x++ : y++;
    out(x * 10 + y); *(a ? &x : &y) = 7;
    out(x); int *p = a ? &x : 0;
    out(*p); p = 0 ? &x : (void *)0;
    out(p == 0); const void *cp = a ? (void *)&x : (const int *)&y;
    out(cp == &x); void *v = a ? (void *)&x : &y;
    out(v == &x);
    out(sizeof(a ? 1 : 1l));
    out((a ? (char)-1 : 1u) > 0);
    out((a ? (unsigned char)255 : (signed char)-1)); struct s s1 = {1}, s2 = {2};
    out((a ? s1 : s2).a); for (x = 0, y = 5; x < y; x++, y--) ;
    out(x);
    out((0, 1) ? 10 : 20);
    out((n = 0, a ? se(1) : se(2), n)); a ? (void)se(3) : (void)se(4);
    out(n); int r = a ? (b = 3, b * 2) : 0;
    out(r);
    out(a == 5 ? b == 3 ? c == 11 : 9 : 8); int arr[] = {(1, 2), (3, 4)};
    out(arr[1]);
    out(arr[a ? 1 : 0]);
    out((a ? arr : arr + 1)[0]);
    out(!a ? 1 : -1);
    out(a ? 1ll << 40 : 0); return (void)0;
}

static int n; static int t(int k) { n = n * 10 + k; return 1; } static int f(int k) { n = n * 10 + k; return 0; } static int id(int x) { return x; }
void test(void)
{
    out(t(1) && f(2) && t(3));
    out(n); n = 0;
    out(f(1) || t(2) || t(3));
    out(n); n = 0;
    out(t(1) || f(2) && t(3));
    out(n); n = 0;
    out((f(1) || t(2)) && (f(3) || f(4) || t(5)));
    out(n); n = 0;
    out(!(t(1) && t(2)) || f(3));
    out(n); n = 0; int i = 0; if (i++ && i++) out(1);
    out(i); if (i++ || i++) out(2);
    out(i); int *p = 0;
    out(p && *p);
    out(!p || *p);
    out((i && 5) + (i || 0));
    out(5 && 7);
    out(256 && 1);
    out(sizeof(1 && 1));
    out(0 && (i = 50));
    out(i);
    out(1 || (i = 60));
    out(i); while (t(1) && id(n) < 1000) ;
    out(n); int a = 0, b = 0, c = 0; a++ || b++ && c++;
    out(a * 100 + b * 10 + c); a = 0; (a = 1) && (b = 2) && (c = 3);
    out(a * 100 + b * 10 + c); int x = (t(1), f(2)) || t(3);
    out(x);
    out((1 && 0) || (0 || 1));
    out(0x100000000 && 1);
    out(!0x100000000);
    out(0x100000000 ? 3 : 4); long l = 1l << 40; if (l) out(5); while (l) { l = 0;
    out(6); } out(!l); for (long q = 1l << 32; q; q = 0) out(8);
}

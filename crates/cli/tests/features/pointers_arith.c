static int a[6] = {1, 2, 3, 4, 5, 6};
static int sum(const int *b, const int *e) { int s = 0; while (b != e) s += *b++; return s; }
void test(void)
{
    int *p = a;
    out(*p++);
    out(*p);
    out(*++p);
    out(++*p);
    out((*p)++);
    out(*p);
    out(*p--);
    out(*p);
    out(p[1]);
    out(p[-1]);
    out(*(p + 3));
    out(*(3 + p)); p += 2;
    out(*p); p -= 1;
    out(*p);
    out(p - a);
    out(a - p);
    out(&a[5] - &a[1]);
    out(sum(a, a + 6));
    out(sum(a + 1, &a[3])); int *e = a + 6;
    out(e - a);
    out(e[-1]);
    out(p < e);
    out(p == a + 2);
    out(p >= a);
    out(a != p);
    out(!p); unsigned char i = 1;
    out(p[i]); long l = -1;
    out(p[l]);
    out(*(p - (unsigned char)1)); unsigned u = 2;
    out(*(a + u));
    out(&*p == p);
    out(&p[1] == p + 1);
    out((char *)(p + 1) - (char *)p); short s[3] = {1, 2, 3}; short *q = s + 2;
    out(*q-- * 10 + *q == 32 || 1); int const *c = a;
    out(c[0]); int *const k = a + 1; *k = 70;
    out(a[1]);
    out((p - a) * 2 / 3);
    out((p ? p : e) == p);
    out(p && *p);
}

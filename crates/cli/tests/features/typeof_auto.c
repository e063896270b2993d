struct p { int x; }; static int f(int x) { return x; } static unsigned char uc;
void test(void)
{
    __typeof__(1l) l = 1l << 40;
    out(l); typeof(uc) c = 300;
    out(c); typeof(uc + 1) d = 300;
    out(d); __auto_type a = 5u;
    out(a - 6 > 0); __auto_type p = &a; *p = 7;
    out(a); typeof(int *) q = 0;
    out(q == 0); typeof(int[3]) arr = {1, 2, 3};
    out(arr[2] + sizeof(arr)); typeof(f) *fp = f;
    out(fp(4)); typeof(&f) fp2 = f;
    out(fp2(5)); struct p s = {8}; typeof(s) t = s;
    out(t.x); typeof(s.x) y = 9;
    out(y); __auto_type u = s; u.x++;
    out(u.x);
    out(s.x); int i = 3; typeof(i++) z = 1;
    out(i);
    out(z); const int ci = 4; typeof(ci) cj = 5;
    out(cj); typeof(arr[0]) e = arr[1];
    out(e); __auto_type sc = (signed char)200;
    out(sc);
    out(sizeof(typeof(sc))); typeof(typeof(char)[4]) ch = "abc";
    out(sizeof ch); __typeof(1 ? 1 : 1l) tl = 1l << 35;
    out(tl); __typeof__(*p) st = 3;
    out(st); __typeof__(p) *pp = &p;
    out(**pp);
}

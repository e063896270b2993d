static void set(int **pp, int *v) { *pp = v; } static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; } static int deref3(int ***ppp) { return ***ppp; }
static int g1 = 10, g2 = 20; static int *gp = &g1; static int **gpp = &gp;
void test(void)
{
    int *p = 0; set(&p, &g1);
    out(*p); set(gpp, &g2);
    out(*gp);
    out(**gpp); swap(&p, &gp);
    out(*p);
    out(*gp); int **q = &p; int ***r = &q;
    out(deref3(r)); ***r = 33;
    out(g2); *q = &g1;
    out(*p); **q += 5;
    out(g1); int *arr[3] = {&g1, &g2, 0}; int **w = arr;
    out(**w); w++;
    out(**w);
    out(*w[-1]);
    out(w[1] == 0);
    out(*arr[1]); (*arr[1])++;
    out(g2); *arr[0]++;
    out(arr[0] == &g1 + 1); const char *names[] = {"x", "yz", "abc"}; const char **n = names;
    out(n[2][1]);
    out(*++*++n);
    out(names[1][0]);
    out(q == &p); *r = &gp;
    out(q == &gp); void **vp = (void **)&p;
    out(*vp == p);
}

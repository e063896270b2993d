struct p { int x, y; }; static struct p gp0 = {7, 8}, *gp = &gp0; static int ga[] = {1, 2, 3};
static int sum(struct p a) { return a.x + a.y; } static int sump(const struct p *a) { return a->x * a->y; } static int suma(int *a, int n) { int s = 0; while (n--) s += *a++; return s; }
void test(void)
{
    out(gp->y);
    out(ga[2]); gp->y = 80;
    out(gp->y);
    out(sum((struct p){1, 2}));
    out(sump(&(struct p){.y = 3, .x = 4}));
    out(suma((int[]){1, 2, 3, 4}, 4));
    out(suma((int[5]){[1] = 5, 6}, 5)); struct p q; q = (struct p){9};
    out(q.y);
    out((struct p){1, 5}.y);
    out(((int[]){4, 5, 6})[1]); int *p = (int[2]){10, 20}; p[0]++;
    out(p[0] + p[1]);
    out((int){5} + 1); int *k = &(int){3}; *k += 2;
    out(*k);
    out(sizeof((int[]){1, 2, 3})); char *s = (char[]){"hey"}; s[0] = 'b';
    out(s[0]);
    out(s[3]); struct p arr[] = {(struct p){1, 2}, {3, 4}};
    out(arr[0].y + arr[1].x); for (int i = 0; i < 2; i++) { struct p *z = &(struct p){i, i}; z->x++;
    out(z->x); } out(*(int *){&q.x}); const struct p c = (const struct p){2, 3};
    out(c.x);
}

struct vt { int (*get)(void *); void (*set)(void *, int); }; struct obj { const struct vt *v; int x; }; static int get1(void *o) { return ((struct obj *)o)->x; } static void set1(void *o, int v) { ((struct obj *)o)->x = v; } static int get2(void *o) { return -((struct obj *)o)->x; } static void set2(void *o, int v) { ((struct obj *)o)->x = v * 2; } static const struct vt v1 = {get1, set1}, v2 = {.set = set2, .get = get2}; static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; } static void sort(int *a, int n, int (*c)(const void *, const void *)) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) if (c(&a[i], &a[j]) > 0) { int t = a[i]; a[i] = a[j]; a[j] = t; } } static int map(int (*f)(int), int x) { return f(f(x)); } static int dec(int x) { return x - 1; } static void each(int *a, int n, void (*f)(int, void *), void *ctx) { while (n--) f(*a++, ctx); } static void addto(int x, void *c) { *(int *)c += x; } typedef int (*state)(int *); 
void test(void) { struct obj os[2] = {{&v1, 0}, {&v2, 0}}; for (int i = 0; i < 2; i++) { os[i].v->set(&os[i], 5);
    out(os[i].v->get(&os[i])); } struct obj *o = os; o->v = &v2;
    out(o->v->get(o)); int a[] = {5, 2, 9, 1}; sort(a, 4, cmp);
    out(a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3]);
    out(map(dec, 10)); int s = 0; each(a, 4, addto, &s);
    out(s); int (*p)(int) = dec; p = p == dec ? dec : 0;
    out(p(3)); void *vp = (void *)dec;
    out(((int (*)(int))vp)(8)); }

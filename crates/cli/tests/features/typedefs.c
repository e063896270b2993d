typedef int i32; typedef unsigned long size; typedef i32 vec[3]; typedef i32 (*fn)(i32); typedef struct pt { i32 x, y; } pt, *ptp; typedef struct pt pts[2]; typedef fn fns[2];
typedef void handler(int); static int last; static void on(int v) { last = v; } static handler on2; static void on2(int v) { last = v * 2; }
static i32 dbl(i32 x) { return 2 * x; } static i32 inc(i32 x) { return x + 1; }
typedef unsigned char byte, *bytep;
typedef int T;
static int shadow(void) { int T = 4; return T * 2; }
static int shadow2(T T) { return T + 1; }
void test(void)
{
    vec v = {1, 2, 3}; fn f = dbl; pt p = {4, 5}; ptp q = &p; pts ps = {{1, 2}, {3, 4}}; fns t = {dbl, inc};
    out(v[2] + sizeof(vec)); out(f(21)); out(q->x * q->y); out(ps[1].x); out(t[1](t[0](5)));
    handler *h = on; h(3); out(last); h = on2; (*h)(3); out(last);
    byte b = 300; bytep bp = &b; out(*bp); size s = -1; out(s >> 60);
    { typedef short i32; out(sizeof(i32)); } out(sizeof(i32)); out(shadow()); out(shadow2(3));
    typedef int row[2]; row m[3] = {{1, 2}, {3, 4}, {5, 6}}; row *r = m + 1;
    out((*r)[1]);
    out(sizeof m);
    T T = 9;
    out(T); typedef enum { E0, E1 } e; e x = E1;
    out(x); const vec cv = {7, 8, 9};
    out(cv[1]);
}

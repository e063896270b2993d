static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } static int mul(int a, int b) { return a * b; }
static int (*table[3])(int, int) = {add, sub, &mul}; typedef int (*op)(int, int);
static int apply(int (*f)(int, int), int a, int b) { return f(a, b); } static int apply2(int f(int, int), int a) { return (*f)(a, a); } static op choose(int k) { return k == 0 ? add : k == 1 ? sub : mul; } static int (*choose2(int k))(int, int) { return table[k]; }
struct ops { op f; int (*g)(int, int); const char *name; }; static const struct ops ops[] = {{add, sub, "a"}, {.g = mul, .f = sub}};
static int fold(op f, const int *a, int n, int z) { for (int i = 0; i < n; i++) z = f(z, a[i]); return z; }
static void nop(void) {} static void (*hook)(void) = nop; static int calls; static void count(void) { calls++; }
void test(void)
{
    for (int i = 0; i < 3; i++) out(table[i](7, 3));
    out(apply(sub, 1, 5));
    out(apply(&add, 1, 5));
    out(apply2(mul, 6));
    out(choose(2)(4, 5));
    out(choose2(1)(4, 5)); op f = add;
    out(f(1, 2));
    out((*f)(1, 2));
    out((**f)(1, 2)); f = *sub;
    out(f(1, 2));
    out(f == sub);
    out(f != &sub);
    out(f ? 1 : 0);
    out(ops[1].f(9, 4));
    out(ops[1].g(9, 4)); const struct ops *o = ops;
    out(o->f(o[0].g(5, 1), 2)); int a[] = {1, 2, 3};
    out(fold(mul, a, 3, 1));
    out(fold(add, a, 3, 0)); hook(); hook = count; hook(); (*hook)();
    out(calls); op *pf = &f;
    out((*pf)(8, 1)); *pf = mul;
    out(f(3, 3));
    out((1 ? add : sub)(2, 2)); op arr2[2][2] = {{add, sub}, {mul, add}};
    out(arr2[1][0](3, 4)); f = 0;
    out(f == 0); if (!f) out(11);
}

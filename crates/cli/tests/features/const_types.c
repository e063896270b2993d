#define KIND(x) _Generic((x), int: 1, const char *: 2, char *: 3, const int *: 4, int *: 5, int *const *: 6, default: 0)
void test(void)
{
    const char *a = "x"; char b[2]; const int i = 3; const int *c = &i; int j, *d = &j; int *const e = d;
    out(KIND(a)); out(KIND(b)); out(KIND(i)); out(KIND(c)); out(KIND(d)); out(KIND(&e)); out(KIND(&i)); out(KIND(1u));
    out(__builtin_types_compatible_p(const int, int)); out(__builtin_types_compatible_p(const int *, int *));
}

union u { int i; long l; }; struct s { int t; union u u; };
void test(void) { union u a = {5}; union u e = a;
    out(e.i); struct s s = {1, {.i = 9}}, t; t = s;
    out(t.u.i); e = t.u;
    out(e.i); }

union u { int i; long l; char c; };
void test(void) { union u a; a.i = 5;
    out(a.i); a.l = 1l << 33;
    out(a.l); a.c = 3;
    out(a.c); a.i = 7;
    out(a.i); }

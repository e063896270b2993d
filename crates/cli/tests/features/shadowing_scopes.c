static int x = 1; static int get(void) { return x; } static int param(int x) { { int x = 50; x++; } return x; } struct t { int a; }; static int lab(int lab) { goto lab; lab: return lab; }
void test(void) { out(x); int x = 2;
    out(x); { int x = 3;
    out(x); { int x = x = 4;
    out(x); } out(x); } out(x);
    out(get()); for (int x = 10; x < 12; x++) { int x = 7;
    out(x); } out(x);
    out(param(9)); if (1) { int x = 20;
    out(x); } else { int x = 30;
    out(x); } { struct t { char c[3]; };
    out(sizeof(struct t)); } out(sizeof(struct t)); { int get = 5;
    out(get); } out(get());
    out(lab(6)); { typedef char x;
    out(sizeof(x)); } out(sizeof(x)); { enum { x = 99 };
    out(x); } switch (1) { case 1: { int y = 3;
    out(y); } } do { int x = 77;
    out(x); } while (x == 77); int y = 5; { int z = y; int y = z + 1;
    out(y); } out(y); struct x { int x; } xx = {x};
    out(xx.x); for (int i = 0; i < 2; i++) { int fresh = 0; fresh++;
    out(fresh); } x: out(x); { extern int ext;
    out(ext); } }
int ext = 88;

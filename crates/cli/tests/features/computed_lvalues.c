struct s { int a[3]; struct { int x, y; } p[2]; int *q; }; static struct s s, *ps = &s; static struct s *get(void) { return ps; } static int n; static int idx(void) { return n++; } static int *ref(int i) { return &s.a[i]; }
void test(void) { get()->a[idx()] = 5;
    out(s.a[0]); get()->p[idx()].y += 7;
    out(s.p[1].y); *ref(2) = 9;
    out(s.a[2]); (*ref(2))++;
    out(*ref(2)); *ref(1) += *ref(2);
    out(s.a[1]); s.q = s.a; *s.q++ = 1; *s.q-- = 2;
    out(s.a[0] * 10 + s.a[1]); *(s.q + 2) = 3;
    out(s.a[2]); (&s)->q[1] = 8;
    out((*ps).a[1]); (*get()).p[0].x = 4;
    out(s.p->x); int *arr[2] = {&s.a[0], &s.a[1]}; *arr[1] = 6;
    out(s.a[1]); arr[0][2] = 77;
    out(s.a[2]); int i = 0; s.a[i++] = 2;
    out(i); int x, y; (i ? x : y, x = 3); *(i ? &x : &y) = 12;
    out(x); ((int *)&s)[1] = 55;
    out(s.a[1]); *&x = 4;
    out(x); (x) = 5;
    out(x); int *p = &x; int **pp = &p; **pp = 6;
    out(x); *pp = &y; *p = 8;
    out(y); (*pp)[0]++;
    out(y); 0[p] = 3;
    out(y); }

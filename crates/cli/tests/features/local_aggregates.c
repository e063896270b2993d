struct p { int x, y; }; struct q { struct p a[2]; int n; }; static int id(int x) { return x; } static struct p mk(int a) { struct p p = {id(a), id(a + 1)}; return p; }
void test(void) { int a[4] = {0}; for (int i = 0; i < 4; i++) a[i] = id(i * i);
    out(a[3]);
    out(a[2]); int i = 2; a[i] = id(50);
    out(a[2]);
    out(a[0]); struct p ps[3]; for (int i = 0; i < 3; i++) ps[i] = mk(i);
    out(ps[2].y);
    out(ps[0].x); ps[i].x = id(9);
    out(ps[2].x); struct q q; q.n = 0; q.a[q.n++] = mk(5); q.a[q.n++] = mk(6);
    out(q.a[1].y);
    out(q.n);
    out(q.a[0].x); int m[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) m[i][j] = id(i * 3 + j);
    out(m[1][2]);
    out(m[0][1]); a[id(1)] = id(7);
    out(a[1]);
    out(a[id(3)]); a[a[0]] = 4;
    out(a[0]); int *p = a; p[id(3)] = id(8);
    out(a[3]); a[i = 1] += id(3);
    out(a[1]); int sum = 0; for (int k = 0; k < 4; k++) sum += a[k];
    out(sum); char buf[5]; int n = 0; do { buf[n] = 'a' + n; n++; } while (n < 5);
    out(buf[4]); struct p t = ps[1]; ps[1] = ps[2]; ps[2] = t;
    out(ps[2].x); int big[10] = {[9] = 1};
    out(big[id(9)] + big[id(0)]); unsigned char u[2] = {255, 1}; u[0] += u[1];
    out(u[0]); u[i]--;
    out(u[1]); u[i] = id(300);
    out(u[1]); long l[2]; l[1] = id(-1);
    out(l[1]); _Bool b[2]; b[0] = id(4);
    out(b[0]); signed char sc[1]; sc[0] = id(200);
    out(sc[0]); }

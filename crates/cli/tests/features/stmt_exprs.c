#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define once(x) ({ static int n; n += (x); n; })
struct p { int x, y; };
static int early(int k) { int r = ({ if (k) return 99; 5; }); return r + 1; }
void test(void)
{
    out(({ 1; 2; 3; })); int i = 5;
    out(max(i++, 3));
    out(i);
    out(max(max(1, 7), max(4, 2)));
    out(({ int s = 0; for (int k = 0; k < 4; k++) s += k; s; }));
    out(early(0));
    out(early(1));
    out(({ struct p q = {3, 4}; q; }).y); for (int k = 0; k < 3; k++) once(k + 1);
    out(({ i = 9; i; }) + ({ i + 1; })); ({ i++; });
    out(i); ({ }); int a = ({ int a = 3; a * a; });
    out(a); while (({ i--; i > 3; })) ;
    out(i);
    out(sizeof(({ (char)1; }))); int arr[] = {({ 1; }), ({ 2; })};
    out(arr[1]);
    out(({ ({ ({ 5; }); }); }));
    out(1 && ({ i = 50; 0; }));
    out(i);
    out(0 && ({ i = 60; 1; }));
    out(i); if (({ int z = i; z == 50; })) out(44); for (int k = 0; k < 5; k++) { int v = ({ if (k == 1) continue; if (k == 3) break; k; });
    out(v); } int *p = ({ &i; }); *p = 2;
    out(i);
    out(({ int x = 1; { int x = 2; } x; })); switch (({ 3; })) { case 3: out(3); }
}

_Static_assert(sizeof(int) == 4, "int"); extern int later; extern int later; int later = 12; int tentative; int tentative; extern int arr[]; int arr[3] = {1, 2, 3}; int tent2[]; int proto(int); extern int proto(int a); static int fwd(void); extern const int cst; const int cst = 3;
struct st { int a; _Static_assert(1, "in struct"); }; static int st_v; extern int st_v;
void test(void) { _Static_assert(1 + 1 == 2, "math"); extern int later;
    out(later); tentative++;
    out(tentative);
    out(arr[2]);
    out(proto(4));
    out(fwd());
    out(cst); { extern int arr[];
    out(arr[0]); int proto(int);
    out(proto(1)); } _Static_assert(1);
    out(sizeof(struct st));
    out(st_v); }
int proto(int a) { return a * 2; } static int fwd(void) { return later + 1; }

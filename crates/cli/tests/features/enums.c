enum colour { RED, GREEN = 5, BLUE, NEG = -3, AFTER, SAME = GREEN, EXPR = BLUE * 2 + 1, };
typedef enum { A1 = 1, A2 } anon;
enum { N = 4, M = N << 2 };
static int arr[N];
enum colour next(enum colour c) { switch (c) { case RED: return GREEN; case GREEN: return BLUE; default: return RED; } }
struct has { enum inner { P = 7, Q } k; } h;
enum big { BIGV = 0xffffffffu, };
enum neg { MINUS = -1, PLUS = 1 };
void test(void)
{
    enum colour c = BLUE;
    out(c);
    out(NEG);
    out(AFTER);
    out(SAME);
    out(EXPR);
    out(next(RED));
    out(next(next(RED)));
    out(next(c));
    out(M);
    anon a = A2; out(a); a++; out(a); out(sizeof(arr) / sizeof(*arr));
    h.k = Q; out(h.k + P); out(sizeof(enum colour)); out(sizeof(RED)); out(BIGV > 0);
    enum neg n = MINUS; out(n < 0); out(n < 0u); n = n + 2; out(n == PLUS);
    enum { LOCAL = 9 } l = LOCAL; out(l);
    { enum { RED = 77 }; out(RED); } out(RED);
    c = 100; out(c); out(c == RED || c != GREEN); c |= 3; out(c); c = (enum colour)-1; out((int)c);
}

static __thread int counter = 5;
static _Thread_local struct { int a; int b[3]; } state = { 1, { 2, 3, 4 } };
static void bump(int *p) { (*p)++; }
void test(void)
{
    bump(&counter); out(counter); int *p = &state.b[1]; *p += 10; out(state.b[1]); out(state.a); out(*(p + 1));
    counter = 9; bump(&counter); out(counter);
}

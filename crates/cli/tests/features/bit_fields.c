struct flags { unsigned ready : 1; unsigned mode : 3; int level : 4; unsigned : 0; unsigned rest : 8; char c; };
struct mixed { char first; int a : 5; long b : 40; _Bool yes : 1; unsigned short tail : 9; };
static struct flags global = { 1, 5, -3, 200, 'x' };
static struct flags designated = { .level = 7, .rest = 300 };
void test(void)
{
    struct flags f = { 0 };
    struct mixed m = { 1, 2, 3, 1, 4 };
    out(sizeof(struct flags)); out(sizeof(struct mixed));
    out(global.ready); out(global.mode); out(global.level); out(global.rest); out(global.c);
    out(designated.level); out(designated.rest); out(designated.ready);
    f.mode = 13; out(f.mode); out(f.mode = 9); out(f.level = 9); out(f.level);
    f.ready = !f.ready; out(f.ready); out(f.mode++); out(f.mode); f.level -= 20; out(f.level);
    f.rest |= 0x1ff; out(f.rest);
    m.b = -5; m.a = 17; m.yes = 42; m.tail = 1000; out(m.b); out(m.a); out(m.yes); out(m.tail); out(m.first);
    f = global; out(f.level); out(f.mode - 10 < 0);
    struct flags *p = &f; p->mode = 2; out(p->mode + p->level);
}

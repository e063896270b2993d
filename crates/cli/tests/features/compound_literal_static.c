struct p { int x, y; }; static struct p *gp = &(struct p){7, 8}; static int *ga = (int[]){1, 2, 3};
void test(void) { out(gp->y); out(ga[2]); gp->y = 80; out(gp->y); }

void test(void) { out(({ goto l; l: 7; })); int i = 0;
    out(({ again: i++; if (i < 3) goto again; i; })); }

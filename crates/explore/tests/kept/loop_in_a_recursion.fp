// Local loops inside a procedure that calls itself, between accesses that others see.
shared 0..3 x;
shared 0..3 y;

0..3 down(0..3 n) {
    0..3 i = 0;
    while (i < n) {
        i = i + 1;
    }
    if (n > 0) {
        i = down(n - 1);
    }
    return i;
}

thread one {
    0..3 r;
    x = 1;
    r = down(2);
    r = y;
    assert(r == 1 || r == 0);
    if (r == 0) { x = 2; }
}

thread two {
    0..3 r;
    y = 1;
    r = down(1);
    r = x;
    assert(r != 2);
}

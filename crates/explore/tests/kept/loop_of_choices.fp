// Every cycle of local steps has a choice in it, one of them in a function: the choice must not put others off for ever.
shared 0..3 x;

0..3 pick() {
    0..3 r;
    r = any(0..3);
    return r;
}

thread picks {
    0..3 r = 0;
    while (r != 3) {
        r = pick();
        while (r == 1) {
            choose { skip; } or { r = 2; }
        }
    }
    x = 3;
}

thread looks {
    0..3 r = x;
    0..3 s = x;
    assert(r == s);
}

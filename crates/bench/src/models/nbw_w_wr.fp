// The non-blocking write protocol: one writer, one reader that also writes elsewhere; one update, and
// one try to read it.
shared 0..2 version;
shared 0..1 low, high, other;

thread writer {
    version = 1;
    low = 1;
    high = 1;
    version = 2;
}

thread reader {
    0..2 before, after;
    0..1 l, h;
    other = 1;
    before = version;
    l = low;
    h = high;
    after = version;
    assume(before == after && before != 1);
    assert(l == h);
}

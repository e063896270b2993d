// A seqlock without the acquire fence. Wrong: the last load may be done before the others.

shared 0..2 seq;
shared 0..1 first, second;

thread writer {
    seq@relaxed = 1;
    fence release;
    first@relaxed = 1;
    second@relaxed = 1;
    seq@release = 2;
}

thread reader {
    0..2 before, after;
    0..1 x, y;
    before = seq@acquire;
    x = first@relaxed;
    y = second@relaxed;
    after = seq@relaxed;
    if (before == after && before != 1) {
        assert(x == y);
    }
}

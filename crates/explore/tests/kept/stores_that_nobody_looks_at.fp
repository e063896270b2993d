// Buffers of several cells, of which some are looked at and some are not, emptied by a fence, by a lock and by the end.
shared 0..3 x;
shared 0..3 y;
shared 0..3 unseen[3];
mutex m;

thread one {
    unseen[0] = 1;
    x = 1;
    unseen[1] = 2;
    y = 1;
    unseen[0] = 3;
    fence;
    unseen[2] = x;
    lock(m);
    unseen[1] = y;
    unlock(m);
}

thread two {
    0..3 r;
    0..3 s;
    r = y;
    s = x;
    assert(r == 0 || s == 1);
    unseen[2] = 2;
    x = 2;
}

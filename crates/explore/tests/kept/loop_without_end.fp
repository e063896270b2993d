// One thread goes round for ever without looking at anything; the others must still come to their ends.
shared 0..3 x;

thread spins {
    0..1 r = 0;
    while (true) {
        r = 1 - r;
    }
}

thread stores {
    x = 1;
    x = 2;
}

thread looks {
    0..3 r = x;
    assert(r != 2);
}

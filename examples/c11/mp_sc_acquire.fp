// Message passing by a seq_cst store and an acquire load: right on every machine.

shared 0..1 data, ready;

thread writer {
    data = 1;
    ready@seq_cst = 1;
}

thread reader {
    0..1 r;
    r = ready@acquire;
    if (r == 1) {
        assert(data == 1);
    }
}

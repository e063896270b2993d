// Message passing by a seq_cst store and a relaxed load: a data race on `data`.

shared 0..1 data, ready;

thread writer {
    data = 1;
    ready@seq_cst = 1;
}

thread reader {
    0..1 r;
    r = ready@relaxed;
    if (r == 1) {
        assert(data == 1);
    }
}

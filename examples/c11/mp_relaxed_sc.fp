// Message passing by a relaxed store and a seq_cst load: a data race on `data`.

shared 0..1 data, ready;

thread writer {
    data = 1;
    ready@relaxed = 1;
}

thread reader {
    0..1 r;
    r = ready@seq_cst;
    if (r == 1) {
        assert(data == 1);
    }
}

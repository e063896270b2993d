// Message passing by a release store and a seq_cst load: right on every machine.

shared 0..1 data, ready;

thread writer {
    data = 1;
    ready@release = 1;
}

thread reader {
    0..1 r;
    r = ready@seq_cst;
    if (r == 1) {
        assert(data == 1);
    }
}

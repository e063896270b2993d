// Message passing by a release store and a relaxed load: a data race on `data`.

shared 0..1 data, ready;

thread writer {
    data = 1;
    ready@release = 1;
}

thread reader {
    0..1 r;
    r = ready@relaxed;
    if (r == 1) {
        assert(data == 1);
    }
}

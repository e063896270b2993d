// The index of `a[i] = f()` is read when the call returns: it is not dead meanwhile.
shared int x;

int f() {
    x = x + 1;
    return x;
}

thread t {
    int a[3];
    int i = 2;
    a[i] = f();
    i = 0;
    assert(a[2] == 0);
}

thread u {
    x = 0;
}

// Read-to-write causality, the litmus test RWC: t2 sees x but not yet y, so t3, which stores y
// first, should find x.
// Safe under SC. Under TSO and PSO t3 can load x while its store of y still waits in its
// buffer: the right half of store buffering.

shared int x, y;

thread t1 {
    x = 1;
}

thread t2 {
    int r = x;
    int s = y;
}

thread t3 {
    y = 1;
    int r = x;
}

final not exists (t2.r == 1 && t2.s == 0 && t3.r == 0);

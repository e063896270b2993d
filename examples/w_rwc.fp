// The litmus test W+RWC: RWC with message passing in front. t1 stores x and y; t2 sees y but
// not yet z; t3, which stores z first, should find x.
// Safe under SC. Under TSO t3 can load x while its store of z waits in the buffer. Under
// PSO, besides, y can overtake x.

shared int x, y, z;

thread t1 {
    x = 1;
    y = 1;
}

thread t2 {
    int r = y;
    int s = z;
}

thread t3 {
    z = 1;
    int r = x;
}

final not exists (t2.r == 1 && t2.s == 0 && t3.r == 0);

// Message passing through a third thread, the litmus test ISA2: t1 stores x and y, t2 sees y
// and stores z, t3 sees z and should see x.
// Safe under SC and TSO. Under PSO the store of y can overtake the store of x, and t3 comes
// in between.

shared int x, y, z;

thread t1 {
    x = 1;
    y = 1;
}

thread t2 {
    int r = y;
    z = 1;
}

thread t3 {
    int r = z;
    int s = x;
}

final not exists (t2.r == 1 && t3.r == 1 && t3.s == 0);

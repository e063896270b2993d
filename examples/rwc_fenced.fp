// The litmus test RWC with a full fence: safe under SC, TSO and PSO.
// Only t3 needs it, because only t3 loads after a store. The loads of t2 stay in order
// by themselves.

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
    fence;
    int r = x;
}

final not exists (t2.r == 1 && t2.s == 0 && t3.r == 0);

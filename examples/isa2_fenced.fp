// The litmus test ISA2 with a store-store fence: safe under SC, TSO and PSO.
// The fence keeps y behind x. The other threads need none: t2 loads before it stores, t3
// only loads, and neither model reorders that.

shared int x, y, z;

thread t1 {
    x = 1;
    fence store_store;
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

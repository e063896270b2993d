// Independent reads of independent writes, the litmus test IRIW: two readers see two stores
// of different threads in opposite orders.
// Safe under SC, TSO and PSO: stores reach one memory, in one order for all other threads,
// and loads are not reordered.

shared int x, y;

thread w1 {
    x = 1;
}

thread w2 {
    y = 1;
}

thread r1 {
    int r = x;
    int s = y;
}

thread r2 {
    int r = y;
    int s = x;
}

final not exists (r1.r == 1 && r1.s == 0 && r2.r == 1 && r2.s == 0);

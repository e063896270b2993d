// The litmus test W+RWC with fences: safe under SC, TSO and PSO.
// TSO needs the full fence, which holds back the load of t3. PSO needs the store-store
// fence too, which keeps y behind x.

shared int x, y, z;

thread t1 {
    x = 1;
    fence store_store;
    y = 1;
}

thread t2 {
    int r = y;
    int s = z;
}

thread t3 {
    z = 1;
    fence;
    int r = x;
}

final not exists (t2.r == 1 && t2.s == 0 && t3.r == 0);

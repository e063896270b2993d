// Store buffering with a full fence between store and load: safe under SC, TSO and PSO.
// One fence is not enough: a thread without one still reads before its store is seen.
// A store-store fence would not help either, for it does not hold back loads.

shared int x, y;

thread t1 {
    x = 1;
    fence;
    int r = y;
}

thread t2 {
    y = 1;
    fence;
    int r = x;
}

final not exists (t1.r == 0 && t2.r == 0);

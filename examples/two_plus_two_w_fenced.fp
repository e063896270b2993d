// The litmus test 2+2W with a store-store fence in each thread: safe under SC, TSO and PSO.
// One fence is not enough: the other thread's stores would still change places.

shared int x, y;

thread t1 {
    x = 1;
    fence store_store;
    y = 2;
}

thread t2 {
    y = 1;
    fence store_store;
    x = 2;
}

final not exists (x == 1 && y == 1);

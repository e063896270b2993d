// The litmus test 2+2W: two threads store to x and y in opposite orders. Can the first store
// of both threads be the one that lasts?
// Safe under SC and TSO, where stores reach memory in program order. Under PSO each
// thread's second store can overtake its first.

shared int x, y;

thread t1 {
    x = 1;
    y = 2;
}

thread t2 {
    y = 1;
    x = 2;
}

final not exists (x == 1 && y == 1);

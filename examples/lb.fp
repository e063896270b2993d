// Load buffering, the litmus test LB: two threads load one variable and then store the other.
// The weak outcome is that each load sees the store that comes after the other load. It
// needs loads that wait for later stores. TSO and PSO hold back only stores, so it is safe
// under SC, TSO and PSO without a fence.

shared int x, y;

thread t1 {
    int r = x;
    y = 1;
}

thread t2 {
    int r = y;
    x = 1;
}

final not exists (t1.r == 1 && t2.r == 1);

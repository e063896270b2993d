// Store buffering, the litmus test SB: two threads store to one variable and load the other.
// Under SC at least one thread sees the other's store. Under TSO and PSO both stores can
// wait in their buffers while both loads read 0.

shared int x, y;

thread t1 {
    x = 1;
    int r = y;
}

thread t2 {
    y = 1;
    int r = x;
}

final not exists (t1.r == 0 && t2.r == 0);
